// SPDX-License-Identifier: BSL-1.0
//
// Hosts accept no control clients on Windows: no directory of sockets can be opened there, so there
// are no sockets.
#include "platform/local_socket.hpp"

#include <thread>

#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::string to_string(const SocketName& name) {
  return std::to_string(name.process) + "." + std::to_string(name.number);
}

std::optional<SocketName> parse_socket_name(std::string_view) {
  return std::nullopt;
}

OwnHandle::~OwnHandle() = default;

bool OwnHandle::is_own() const noexcept {
  return true;
}

LocalSocket::Read LocalSocket::read(std::string&, std::size_t) {
  return Read::end;
}

std::optional<std::size_t> LocalSocket::write(std::string_view) noexcept {
  return std::nullopt;
}

void LocalSocket::end_writing() noexcept {}

LocalListener::~LocalListener() = default;

LocalListener::Accept LocalListener::accept(std::optional<LocalSocket>&) {
  return Accept::failed;
}

std::vector<std::filesystem::path> SocketDirectory::paths() {
  return {temporary_directory().path / "tenon"};
}

Result<SocketDirectory> SocketDirectory::open(const std::filesystem::path& path, bool) {
  return Error({.code = "cannot-write",
                .where = path.string(),
                .found = "Windows, where hosts accept no control clients",
                .needed = "a system with sockets that tenon can use: Linux",
                .fix = "leave HostOptions::control off"});
}

Result<LocalListener> SocketDirectory::listen() const {
  return open(path_, false).error();
}

std::vector<SocketName> SocketDirectory::names() const {
  return {};
}

Result<LocalSocket> SocketDirectory::connect(const SocketName&,
                                             std::chrono::steady_clock::time_point) const {
  return open(path_, false).error();
}

void wait_sockets(std::span<SocketEvents>, std::chrono::milliseconds timeout) {
  std::this_thread::sleep_for(timeout);
}

}}}  // namespace tenon::v0_1::platform
