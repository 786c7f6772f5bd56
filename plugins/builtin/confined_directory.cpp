// SPDX-License-Identifier: BSL-1.0
#include "confined_directory.hpp"

#include <tenon/sdk/failure.hpp>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <utility>

namespace tenon::builtin {
namespace {

// Each level of a tree keeps a file of the process open.
constexpr int most_levels = 128;

/// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  int get() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// -1 with errno where `name` is not a directory of its own.
Descriptor open_directory(int parent, const std::string& name) {
  int opened;
  do {
    opened = ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  } while (opened < 0 && errno == EINTR);
  return Descriptor(opened);
}

/// Whether an error says that there is nothing to remove.
bool absent(int error) {
  return error == ENOENT;
}

sdk::Failure cannot_remove(const std::string& path, int error) {
  if (error == ELOOP || error == ENOTDIR) {
    return sdk::Failure(TENON_FAILED_PRECONDITION, "cannot remove ", path,
                        ": found a file or a symbolic link on the way to it; needed: directories");
  }
  return sdk::system_failure(error, "cannot remove ", path);
}

struct CloseStream {
  void operator()(DIR* stream) const noexcept { ::closedir(stream); }
};

/// Removes what one path names. Entries that somebody else removes meanwhile do not count.
class Removal {
 public:
  Removal(std::string path, sdk::Call call) : path_(std::move(path)), call_(call) {}

  void remove(int parent, const std::string& name, int levels) {
    if (::unlinkat(parent, name.c_str(), 0) == 0 || absent(errno)) return;
    // Linux says EISDIR of a directory, POSIX EPERM.
    if (errno != EISDIR && errno != EPERM) throw cannot_remove(path_, errno);
    const int refused = errno;
    Descriptor directory = open_directory(parent, name);
    if (directory.get() < 0) {
      if (absent(errno)) return;
      throw cannot_remove(path_, errno == ENOTDIR ? refused : errno);
    }
    empty(std::move(directory), levels);
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && !absent(errno)) {
      throw cannot_remove(path_, errno);
    }
  }

 private:
  void empty(Descriptor directory, int levels) {
    if (levels == 0) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, "cannot remove ", path_, ": it has more than ",
                         most_levels, " levels of directories; fix: remove it by hand");
    }
    const std::unique_ptr<DIR, CloseStream> stream(::fdopendir(directory.get()));
    if (stream == nullptr) throw cannot_remove(path_, errno);
    const int number = directory.release();  // closed with the stream
    for (;;) {
      call_.check();
      errno = 0;
      const dirent* entry = ::readdir(stream.get());
      if (entry == nullptr && errno != 0) throw cannot_remove(path_, errno);
      if (entry == nullptr) return;
      const std::string name = entry->d_name;
      if (name != "." && name != "..") remove(number, name, levels - 1);
    }
  }

  const std::string path_;
  const sdk::Call call_;
};

/// Waits until the entries of a directory are on the disk.
void sync(int directory, const std::string& path) {
  int failed;
  do {
    failed = ::fsync(directory);
  } while (failed != 0 && errno == EINTR);
  // Some file systems cannot do this for directories.
  if (failed != 0 && errno != EINVAL) {
    throw sdk::system_failure(errno, "cannot make the removal of ", path, " durable");
  }
}

}  // namespace

RelativePath::RelativePath(std::string_view text) : text_(text) {
  const auto refuse = [&](std::string_view why) {
    return sdk::Failure(TENON_INVALID_ARGUMENT, "the path \"", text, "\" ", why,
                        "; needed: a path below the directory, such as exports/data.bin");
  };
  if (text.find('\0') != std::string_view::npos) throw refuse("has a NUL character");
  if (!text.empty() && text.front() == '/') throw refuse("is absolute");
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t slash = rest.find('/');
    const std::string_view part = rest.substr(0, slash);
    rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
    if (part == "..") throw refuse("leads out of the directory");
    if (!part.empty() && part != ".") parts_.emplace_back(part);
  }
  if (parts_.empty()) throw refuse("names the directory itself");
}

ConfinedDirectory::ConfinedDirectory(std::string path) : path_(std::move(path)) {
  do {
    directory_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } while (directory_ < 0 && errno == EINTR);
  if (directory_ < 0) throw sdk::system_failure(errno, "cannot open the directory ", path_);
}

ConfinedDirectory::~ConfinedDirectory() {
  ::close(directory_);
}

void ConfinedDirectory::remove(const RelativePath& path, sdk::Call call) const {
  const std::string shown = path_ + "/" + path.text();
  Descriptor opened(-1);
  int parent = directory_;
  for (std::size_t i = 0; i + 1 < path.parts().size(); i++) {
    Descriptor next = open_directory(parent, path.parts()[i]);
    if (next.get() < 0 && absent(errno)) return;
    if (next.get() < 0) throw cannot_remove(shown, errno);
    opened = std::move(next);
    parent = opened.get();
  }
  Removal(shown, call).remove(parent, path.parts().back(), most_levels);
  sync(parent, shown);
}

}  // namespace tenon::builtin
