// SPDX-License-Identifier: BSL-1.0
//
// A client of the control socket of a host that sends what the test wants, also what no client
// would send.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::tests {

class ControlSocket {
 public:
  /// Connects. Reads wait at most 60 s.
  explicit ControlSocket(const std::filesystem::path& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    const timeval limit{60, 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~ControlSocket() { ::close(socket_); }
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

  bool connected() const { return connected_; }
  /// Sends all of a text. Returns false if the host has closed the connection.
  bool send(std::string_view text) const {
    while (!text.empty()) {
      const auto sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  void end_sending() const { ::shutdown(socket_, SHUT_WR); }
  /// Returns the next line; nothing if the host has closed the connection.
  std::optional<std::string> line() {
    for (;;) {
      if (const auto end = in_.find('\n'); end != std::string::npos) {
        std::string line = in_.substr(0, end);
        in_.erase(0, end + 1);
        return line;
      }
      char buffer[4096];
      const auto count = ::recv(socket_, buffer, sizeof buffer, 0);
      if (count <= 0) return std::nullopt;
      in_.append(buffer, static_cast<std::size_t>(count));
    }
  }
  /// Sends a line, and returns the next line; empty if there is none.
  std::string ask(const std::string& request) {
    return send(request + "\n") ? line().value_or("") : "";
  }

  /// Returns the sockets in a directory, eg: "1234.1", sorted.
  static std::vector<std::string> names_in(const std::filesystem::path& directory) {
    std::vector<std::string> names;
    if (!std::filesystem::exists(directory)) return names;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  const int socket_;
  bool connected_ = false;
  std::string in_;
};

/// Sets $XDG_RUNTIME_DIR of this process while it exists.
class RuntimeDirectory {
 public:
  explicit RuntimeDirectory(const std::filesystem::path& path) {
    const char* before = std::getenv("XDG_RUNTIME_DIR");
    if (before != nullptr) before_ = before;
    ::setenv("XDG_RUNTIME_DIR", path.c_str(), 1);
  }
  ~RuntimeDirectory() {
    before_ ? ::setenv("XDG_RUNTIME_DIR", before_->c_str(), 1) : ::unsetenv("XDG_RUNTIME_DIR");
  }
  RuntimeDirectory(const RuntimeDirectory&) = delete;
  RuntimeDirectory& operator=(const RuntimeDirectory&) = delete;

 private:
  std::optional<std::string> before_;
};

}  // namespace tenon::tests
