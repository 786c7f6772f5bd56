// SPDX-License-Identifier: BSL-1.0
//
// Sockets are bound and connected through /proc/self/fd, because the path of a socket is limited to
// 107 bytes.
#include "platform/local_socket.hpp"

#include <tenon/mutex.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>

#include "base/path_error.hpp"
#include "base/test_point.hpp"
#include "platform/posix/descriptor.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
constexpr int most_sockets = 1000;  // of one process
constexpr int backlog = 64;

/// The descriptors that a forked child has to close.
struct Held {
  sync::Mutex mutex;
  std::vector<int> descriptors TENON_GUARDED_BY(mutex);
};
Held& held() {
  static auto& all = *new Held;
  return all;
}

void prepare_for_forks() {
  static const int prepared =
      pthread_atfork([]() TENON_ACQUIRE(held().mutex) { held().mutex.lock(); },
                     []() TENON_RELEASE(held().mutex) { held().mutex.unlock(); },
                     []() TENON_RELEASE(held().mutex) {
                       for (const int number : held().descriptors) ::close(number);
                       held().descriptors.clear();
                       held().mutex.unlock();
                     });
  static_cast<void>(prepared);
}

/// Opens a handle that a forked child closes. The mutex is held since before it is opened.
template <class Open>
OwnHandle hold(Open open) {
  prepare_for_forks();
  const sync::Lock no_fork(held().mutex);
  auto& descriptors = held().descriptors;
  descriptors.reserve(descriptors.size() + 1);
  const int descriptor = open();
  if (descriptor >= 0) descriptors.push_back(descriptor);
  return OwnHandle(descriptor);
}

sockaddr_un address_of(int directory, const std::string& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

int number(const OwnHandle& handle) noexcept {
  return static_cast<int>(handle.get());
}

template <class Call>
int with_address(const Call& call, int socket, const sockaddr_un& address) {
  return call(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

/// Returns whether the process at the other end of a connection is of this user or root.
bool is_own_peer(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         (peer.uid == ::geteuid() || peer.uid == 0);
}

Error failed(const fs::path& where, std::string_view action, int number) {
  return detail::cannot_write(
      where, {.attempt = action, .number = number, .code = number == ENOENT ? "not-found" : ""});
}

Error untrusted(const fs::path& where, std::string found, const std::string& fix) {
  return Error({.code = "untrusted-owner",
                .where = where.string(),
                .found = std::move(found),
                .needed = "a directory for sockets that no other user can exchange",
                .fix = fix});
}

std::string mode_text(mode_t mode) {
  std::string text = "0000";
  for (std::size_t i = 0; i < text.size(); ++i) {
    text[text.size() - 1 - i] = static_cast<char>('0' + (mode >> (3 * i) & 7U));
  }
  return text;
}

std::string owner_text(const struct stat& status) {
  return "a directory of the user with the number " + std::to_string(status.st_uid);
}

/// Checks the directory above that of the sockets.
Result<void> check_above(const fs::path& path, int directory) {
  struct stat status;
  if (::fstat(directory, &status) != 0) return failed(path, "examining the directory", errno);
  const std::string fix = "set XDG_RUNTIME_DIR to a private directory of this user, or unset it";
  if (status.st_uid != ::geteuid() && status.st_uid != 0) {
    return untrusted(path, owner_text(status), fix);
  }
  if ((status.st_mode & 0022) != 0 && (status.st_mode & S_ISVTX) == 0) {
    return untrusted(path, "mode " + mode_text(status.st_mode) + ", so that other users may write",
                     fix);
  }
  return {};
}

Result<void> check_itself(const fs::path& path, int directory) {
  struct stat status;
  if (::fstat(directory, &status) != 0) return failed(path, "examining the directory", errno);
  if (status.st_uid != ::geteuid()) {
    return untrusted(path, owner_text(status),
                     "remove it, or set XDG_RUNTIME_DIR to a private directory of this user");
  }
  if ((status.st_mode & 0077) != 0) {
    return untrusted(path, "mode " + mode_text(status.st_mode), "chmod 700 " + path.string());
  }
  return {};
}

/// Keeps other processes from removing names. Does not wait: a stopped process may hold the lock.
class NameLock {
 public:
  explicit NameLock(int directory)
      : file_(::openat(directory, ".", directory_flags)),
        locked_(file_ && ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) {}
  explicit operator bool() const noexcept { return locked_; }

 private:
  const Descriptor file_;  // of its own, since a lock belongs to an open file
  const bool locked_;
};

/// Returns 0 if a process listens, otherwise the number of the error.
int try_to_connect(int directory, const std::string& name) {
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return errno;
  return with_address(::connect, socket.get(), address_of(directory, name)) == 0 ? 0 : errno;
}

/// Removes a name whose socket refuses connections. Returns whether it was removed.
bool remove_dead(int directory, const std::string& name) {
  const NameLock lock(directory);
  if (!lock || try_to_connect(directory, name) != ECONNREFUSED) return false;
  TENON_TEST_POINT("socket: refused");
  return ::unlinkat(directory, name.c_str(), 0) == 0;
}

/// Gives a socket that listens the first free name of this process. Returns nothing if the system
/// refuses.
std::optional<SocketName> give_name(int directory, const std::string& unnamed) {
  bool removed = false;
  for (SocketName name{::getpid(), 1}; name.number <= most_sockets;) {
    const std::string file = to_string(name);
    if (::linkat(directory, unnamed.c_str(), directory, file.c_str(), 0) == 0) return name;
    if (errno != EEXIST) break;
    removed = !removed && remove_dead(directory, file);
    if (!removed) ++name.number;
  }
  return std::nullopt;
}

Error not_listening(const fs::path& where) {
  return Error({.code = "not-found",
                .where = where.string(),
                .found = "no process that listens",
                .needed = "a running host with HostOptions::control",
                .fix = "see tenon ps"});
}

Error no_reply(const fs::path& where) {
  return Error({.code = "no-reply",
                .where = where.string(),
                .found = "a process that accepts no connection",
                .needed = "a host that runs",
                .fix = "check whether the process is stopped or hangs"});
}

}  // namespace

// -- Names --------------------------------------------------------------------

std::string to_string(const SocketName& name) {
  return std::to_string(name.process) + "." + std::to_string(name.number);
}

std::optional<SocketName> parse_socket_name(std::string_view text) {
  SocketName name;
  const auto take = [&text](auto& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 1 || text.starts_with('0')) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  };
  if (!take(name.process) || !text.starts_with('.')) return std::nullopt;
  text.remove_prefix(1);
  if (!take(name.number) || !text.empty()) return std::nullopt;
  return name;
}

// -- Connections --------------------------------------------------------------

OwnHandle::~OwnHandle() {
  if (handle_ < 0) return;
  const sync::Lock lock(held().mutex);
  if (std::erase(held().descriptors, number(*this)) != 0) {
    ::close(number(*this));
  }
}

bool OwnHandle::is_own() const noexcept {
  const sync::Lock lock(held().mutex);
  return std::ranges::find(held().descriptors, number(*this)) != held().descriptors.end();
}

LocalSocket::Read LocalSocket::read(std::string& text, std::size_t most) {
  const std::size_t before = text.size();
  text.resize(before + most);
  ssize_t count = -1;
  do {
    count = ::recv(number(handle_), text.data() + before, most, MSG_DONTWAIT);
  } while (count < 0 && errno == EINTR);
  text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count > 0) return Read::some;
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Read::none : Read::end;
}

void LocalSocket::end_writing() noexcept {
  if (handle_.is_own()) ::shutdown(static_cast<int>(handle_.get()), SHUT_WR);
}

std::optional<std::size_t> LocalSocket::write(std::string_view text) noexcept {
  ssize_t count = -1;
  do {
    count = ::send(number(handle_), text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  } while (count < 0 && errno == EINTR);
  if (count >= 0) return static_cast<std::size_t>(count);
  if (errno == EAGAIN || errno == EWOULDBLOCK) return 0;
  return std::nullopt;
}

LocalListener::~LocalListener() {
  if (handle_.is_own()) ::unlinkat(number(directory_), to_string(name_).c_str(), 0);
}

LocalListener::Accept LocalListener::accept(std::optional<LocalSocket>& connection) {
  int error = 0;
  OwnHandle accepted = hold([&] {
    const int flags = SOCK_CLOEXEC | SOCK_NONBLOCK;
    const int socket = ::accept4(number(handle_), nullptr, nullptr, flags);
    error = errno;
    return socket;
  });
  if (accepted) {
    if (!is_own_peer(number(accepted))) return Accept::foreign;
    connection.emplace(std::move(accepted));
    return Accept::connected;
  }
  const bool none =
      error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == ECONNABORTED;
  return none ? Accept::none : Accept::failed;
}

// -- The directory ------------------------------------------------------------

std::vector<fs::path> SocketDirectory::paths() {
  std::vector<fs::path> paths;
  const char* runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') paths.push_back(fs::path(runtime) / "tenon");
  paths.emplace_back("/tmp/tenon-" + std::to_string(::geteuid()));
  return paths;
}

Result<SocketDirectory> SocketDirectory::open(const fs::path& path, bool create) {
  const fs::path parent = path.parent_path();
  const Descriptor above(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!above) return failed(parent, "opening the directory", errno);
  if (auto good = check_above(parent, above.get()); !good) return std::move(good).error();
  const std::string name = path.filename().string();
  if (create && ::mkdirat(above.get(), name.c_str(), 0700) != 0 && errno != EEXIST) {
    return failed(path, "creating the directory", errno);
  }
  int error = 0;
  OwnHandle handle = hold([&] {
    const int directory = ::openat(above.get(), name.c_str(), directory_flags);
    error = errno;
    return directory;
  });
  if (!handle) return failed(path, "opening the directory", error);
  if (auto good = check_itself(path, number(handle)); !good) return std::move(good).error();
  return SocketDirectory(path, std::move(handle));
}

/// The socket gets its name after it listens, since a socket that does not listen yet looks like
/// one of a killed process.
Result<LocalListener> SocketDirectory::listen() const {
  OwnHandle directory = hold([&] { return ::openat(number(handle_), ".", directory_flags); });
  OwnHandle socket =
      hold([] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); });
  if (!directory || !socket) return failed(path_, "creating a socket", errno);
  const std::string unnamed =
      "new-" + std::to_string(::getpid()) + "-" + std::to_string(socket.get());
  ::unlinkat(number(directory), unnamed.c_str(), 0);  // of a killed process
  if (with_address(::bind, number(socket), address_of(number(directory), unnamed)) != 0) {
    return failed(path_, "binding a socket", errno);
  }
  const auto name =
      ::listen(number(socket), backlog) == 0 ? give_name(number(directory), unnamed) : std::nullopt;
  const int error = errno;
  ::unlinkat(number(directory), unnamed.c_str(), 0);
  if (!name) return failed(path_, "naming a socket", error);
  return LocalListener(std::move(directory), std::move(socket), *name);
}

std::vector<SocketName> SocketDirectory::names() const {
  std::vector<SocketName> names;
  const int copy = ::openat(number(handle_), ".", directory_flags);
  DIR* stream = copy >= 0 ? ::fdopendir(copy) : nullptr;
  if (stream == nullptr) {
    if (copy >= 0) ::close(copy);
    return names;
  }
  while (const dirent* entry = ::readdir(stream)) {
    if (const auto name = parse_socket_name(entry->d_name)) names.push_back(*name);
  }
  ::closedir(stream);
  std::sort(names.begin(), names.end());
  return names;
}

Result<LocalSocket> SocketDirectory::connect(const SocketName& name,
                                             Clock::time_point deadline) const {
  const std::string file = to_string(name);
  const fs::path where = path_ / file;
  OwnHandle socket = hold([] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); });
  if (!socket) return failed(where, "creating a socket", errno);
  const auto time =
      std::max(std::chrono::duration_cast<std::chrono::microseconds>(deadline - Clock::now()),
               std::chrono::microseconds(1));
  const timeval limit{time.count() / 1'000'000, time.count() % 1'000'000};
  ::setsockopt(number(socket), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  int error = 0;
  while (with_address(::connect, number(socket), address_of(number(handle_), file)) != 0) {
    error = errno;
    if (error != EINTR || Clock::now() >= deadline) break;
    error = 0;
  }
  if (error == ECONNREFUSED) remove_dead(number(handle_), file);
  if (error == EAGAIN || error == EINTR) return no_reply(where);
  if (error == ECONNREFUSED || error == ENOENT) return not_listening(where);
  if (error != 0) return failed(where, "connecting to the socket", error);
  if (!is_own_peer(number(socket))) {
    return untrusted(where, "a socket of another user", "remove it");
  }
  return LocalSocket(std::move(socket));
}

// -- Waiting ------------------------------------------------------------------

void wait_sockets(std::span<SocketEvents> sockets, std::chrono::milliseconds timeout) {
  std::vector<pollfd> entries;
  entries.reserve(sockets.size());
  for (const SocketEvents& one : sockets) {
    const int events = (one.wants_read ? POLLIN : 0) | (one.wants_write ? POLLOUT : 0);
    entries.push_back({static_cast<int>(one.handle), static_cast<short>(events), 0});
  }
  const auto milliseconds = std::min<std::int64_t>(timeout.count(), 60'000);
  if (::poll(entries.data(), entries.size(), static_cast<int>(milliseconds)) <= 0) return;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int events = entries[i].revents;
    sockets[i].ended = (events & (POLLHUP | POLLERR | POLLNVAL)) != 0;
    sockets[i].can_read = (events & POLLIN) != 0;
    sockets[i].can_write = (events & POLLOUT) != 0;
  }
}

}}}  // namespace tenon::v0_1::platform
