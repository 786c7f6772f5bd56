// SPDX-License-Identifier: BSL-1.0
//
// Sockets between processes of one user, in a private directory. They are named after the process
// that listens: `1234.1`, `1234.2`. A forked child closes those that it inherits.
//
// A socket gets its name when it accepts connections. Its process removes the name before it stops
// to accept them, so a name whose socket refuses connections belongs to a process that was killed.
#pragma once

#include <tenon/result.hpp>

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// The name of a socket that listens.
struct SocketName {
  std::int64_t process = 0;
  int number = 1;  // from 1, of the sockets of the process

  friend auto operator<=>(const SocketName&, const SocketName&) = default;
};
/// eg: "1234.1"
std::string to_string(const SocketName& name);
/// Returns nothing if a text is no name.
std::optional<SocketName> parse_socket_name(std::string_view text);

/// Owns a handle of the system. A forked child closes those that it inherits.
class OwnHandle {
 public:
  OwnHandle() noexcept = default;
  /// REQUIRED: the handle is registered; see local_socket.cpp.
  explicit OwnHandle(std::intptr_t handle) noexcept : handle_(handle) {}
  OwnHandle(OwnHandle&& other) noexcept : handle_(std::exchange(other.handle_, -1)) {}
  OwnHandle& operator=(OwnHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  OwnHandle(const OwnHandle&) = delete;
  OwnHandle& operator=(const OwnHandle&) = delete;
  ~OwnHandle();

  std::intptr_t get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ >= 0; }
  /// Returns whether this process has opened it, and not one that it was forked from.
  bool is_own() const noexcept;

 private:
  std::intptr_t handle_ = -1;
};

/// One end of a connection. No function waits. Belongs to one thread at a time.
class LocalSocket {
 public:
  explicit LocalSocket(OwnHandle handle) noexcept : handle_(std::move(handle)) {}

  /// For wait_sockets.
  std::intptr_t handle() const noexcept { return handle_.get(); }

  enum class Read { some, none, end };
  /// Appends what has arrived, at most `most` bytes. Returns `end` if the other side has ended the
  /// connection, or it has failed.
  Read read(std::string& text, std::size_t most);
  /// Sends as much as the system takes. Returns the number of bytes; nothing if the connection has
  /// failed.
  std::optional<std::size_t> write(std::string_view text) noexcept;
  /// Ends this direction of the connection: the other side reads the end.
  void end_writing() noexcept;

 private:
  OwnHandle handle_;
};

/// A socket that listens, and its name. Belongs to one thread at a time.
class LocalListener {
 public:
  LocalListener(LocalListener&& other) noexcept = default;
  /// Removes the name and closes the socket, unless the parent of this process created it.
  ~LocalListener();

  const SocketName& name() const noexcept { return name_; }
  /// For wait_sockets.
  std::intptr_t handle() const noexcept { return handle_.get(); }

  enum class Accept { connected, foreign, none, failed };
  /// Accepts a connection if one waits. Returns `foreign` if the other process is of another user
  /// than this one and root; the connection is then closed. Returns `failed` if the system has no
  /// resources left.
  Accept accept(std::optional<LocalSocket>& connection);

 private:
  friend class SocketDirectory;
  LocalListener(OwnHandle directory, OwnHandle handle, SocketName name) noexcept
      : directory_(std::move(directory)), handle_(std::move(handle)), name_(name) {}

  OwnHandle directory_;
  OwnHandle handle_;
  SocketName name_;
};

/// A directory of this user's sockets. Thread-safe.
class SocketDirectory {
 public:
  /// Returns the paths of the directories: $XDG_RUNTIME_DIR/tenon, if that variable is set to an
  /// absolute path, and /tmp/tenon-UID. Programs listen in the first one.
  static std::vector<std::filesystem::path> paths();
  /// Opens a directory. If `create`, creates it unless it exists. Errors: not-found; cannot-write;
  /// untrusted-owner, if it or the directory above it is another user's, or others may write to it.
  static Result<SocketDirectory> open(const std::filesystem::path& path, bool create);

  const std::filesystem::path& path() const noexcept { return path_; }

  /// Creates a socket that listens under the first free name of this process. Names that a killed
  /// process with the same number left are replaced. The length of the path is not limited.
  /// Errors: cannot-write.
  Result<LocalListener> listen() const;
  /// Returns the names in the directory, sorted.
  std::vector<SocketName> names() const;
  /// Connects to a socket, at most until the deadline. Removes its name if its process was killed.
  /// Errors: not-found, if no process listens; untrusted-owner, if the process is of another user
  /// than this one and root; no-reply, at the deadline.
  Result<LocalSocket> connect(const SocketName& name,
                              std::chrono::steady_clock::time_point deadline) const;

 private:
  SocketDirectory(std::filesystem::path path, OwnHandle handle) noexcept
      : path_(std::move(path)), handle_(std::move(handle)) {}

  std::filesystem::path path_;
  OwnHandle handle_;
};

/// The events of a socket to wait for, and those that have happened.
struct SocketEvents {
  std::intptr_t handle = -1;  // of a socket or event; -1: none
  bool wants_read = false;
  bool wants_write = false;
  bool can_read = false;   // bytes, the end, or a connection
  bool can_write = false;  // or it has failed
  bool ended = false;      // both directions have ended, or it has failed
};
/// Waits until one of them can be used, or `timeout` has passed. May return early.
void wait_sockets(std::span<SocketEvents> sockets, std::chrono::milliseconds timeout);

}}}  // namespace tenon::v0_1::platform
