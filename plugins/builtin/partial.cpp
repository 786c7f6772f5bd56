// SPDX-License-Identifier: BSL-1.0
#include "partial.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace tenon::builtin {
namespace {

// Maximum number of leftovers that one call of remove_abandoned examines. There are more only after
// hundreds of crashes.
constexpr std::size_t max_examined = 100;
// A new file disappears only if another process searches for leftovers at the same moment.
constexpr int max_names = 100;

enum class Lock { acquired, held_by_other, unsupported };

Lock lock(const Descriptor& file) {
  if (retry([&] { return ::flock(file.get(), LOCK_EX | LOCK_NB); }) == 0) return Lock::acquired;
  return errno == EWOULDBLOCK ? Lock::held_by_other : Lock::unsupported;
}

Descriptor make_file(const Directory& parent, const std::string& name) {
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  return Descriptor(retry([&] { return ::openat(parent.get(), name.c_str(), flags, 0600); }));
}

Descriptor make_directory(const Directory& parent, const std::string& name) {
  constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  if (::mkdirat(parent.get(), name.c_str(), 0700) != 0) return Descriptor(-1);
  Descriptor made(retry([&] { return ::openat(parent.get(), name.c_str(), flags); }));
  if (!made.is_open()) {
    const int reason = errno;
    ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR);
    errno = reason;
  }
  return made;
}

/// Throws sdk::Failure if another user may exchange what is prepared in a directory.
void check_private(const Directory& directory) {
  struct stat status;
  if (::fstat(directory.get(), &status) != 0) {
    throw sdk::system_failure(errno, "cannot read the attributes of ", directory.path());
  }
  const uid_t user = ::geteuid();
  const bool is_open = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (status.st_uid == user && !is_open) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, directory.path(),
                     is_open ? " can be changed by others" : " is a directory of another user",
                     "; needed: a directory that only the user ", user,
                     " may write; fix: remove it, it is created again");
}

/// Removes an entry that no process uses. An entry that can be locked and still has its name is
/// abandoned, since its owner moves it before it releases the lock.
void remove_if_abandoned(const Directory& parent, const std::string& name) {
  constexpr int flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor file(::openat(parent.get(), name.c_str(), flags));
  if (!file.is_open() || lock(file) != Lock::acquired || !parent.refers_to(name, file.get()))
    return;
  try {
    remove_tree(parent, name);
  } catch (const sdk::Failure&) {
    // Leftovers are harmless.
  }
}

}  // namespace

std::string random_name() {
  std::array<char, 17> name{};
  std::uint64_t number = 0;
  if (::getentropy(&number, sizeof number) != 0) {
    throw sdk::system_failure(errno, "cannot get random numbers from the system");
  }
  std::snprintf(name.data(), name.size(), "%016llx", static_cast<unsigned long long>(number));
  return name.data();
}

Directory open_partial(const Directory& top) {
  std::optional<Directory> directory = top.make(partial_name);
  if (!directory) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, top.path_of(partial_name),
                       " is not a directory: remove it");
  }
  check_private(*directory);
  return *std::move(directory);
}

Partial::Partial(Directory parent, std::string name, Descriptor made)
    : parent_(std::move(parent)), name_(std::move(name)), made_(std::move(made)) {}

Partial::~Partial() {
  if (!made_.is_open() || moved_) return;
  try {
    remove_tree(parent_, name_);
  } catch (const sdk::Failure&) {
    // A later process removes it.
  }
}

Partial Partial::make(const Directory& top, Make make) {
  for (int i = 0; i < max_names; ++i) {
    Directory parent = open_partial(top);
    std::string name = random_name();
    Descriptor made = make(parent, name);
    if (!made.is_open()) throw sdk::system_failure(errno, "cannot create ", parent.path_of(name));
    Partial partial(std::move(parent), std::move(name), std::move(made));
    if (lock(partial.made_) != Lock::held_by_other &&
        partial.parent_.refers_to(partial.name_, partial.made_.get())) {
      return partial;
    }
  }
  throw sdk::Failure(TENON_ABORTED, "other processes remove every file that is created in ",
                     top.path_of(partial_name))
      .retryable();
}

Partial Partial::file(const Directory& top) {
  return make(top, make_file);
}

Partial Partial::directory(const Directory& top) {
  return make(top, make_directory);
}

bool Partial::move_to(const Directory& directory, const std::string& name) {
  moved_ = ::renameat(parent_.get(), name_.c_str(), directory.get(), name.c_str()) == 0;
  return moved_;
}

std::string move_away(const Directory& from, const std::string& name, const Directory& partial) {
  std::string away = random_name();
  if (::renameat(from.get(), name.c_str(), partial.get(), away.c_str()) == 0) return away;
  if (errno == ENOENT) return {};
  throw sdk::system_failure(errno, "cannot remove ", from.path_of(name));
}

void remove_abandoned(const Directory& top) {
  const Directory parent = open_partial(top);
  std::size_t count = 0;
  for (const Entry& entry : parent.entries()) {
    if (++count > max_examined) return;
    remove_if_abandoned(parent, entry.name);
  }
}

}  // namespace tenon::builtin
