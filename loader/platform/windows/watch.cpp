// SPDX-License-Identifier: BSL-1.0
//
// Files are not watched on Windows: a host that asks for it gets an error.
#include "platform/watch.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

struct FileWatch::System {};

Result<FileWatch> FileWatch::open() {
  return Error({.code = "cannot-watch",
                .found = "Windows, where files are not watched",
                .needed = "a system that tenon can watch files on: Linux",
                .fix = "leave HostOptions::watch off, and call Host::rescan"});
}

FileWatch::FileWatch(std::unique_ptr<System> system) noexcept : system_(std::move(system)) {}
FileWatch::FileWatch(FileWatch&& other) noexcept = default;
FileWatch& FileWatch::operator=(FileWatch&& other) noexcept = default;
FileWatch::~FileWatch() = default;

Result<void> FileWatch::add(const std::filesystem::path&) {
  return {};
}

void FileWatch::remove_if(const std::function<bool(const std::filesystem::path&)>&) {}

bool FileWatch::lost_any() const {
  return false;
}

void FileWatch::lose_all() noexcept {}

std::intptr_t FileWatch::event() const noexcept {
  return -1;
}

std::vector<std::filesystem::path> FileWatch::changed() {
  return {};
}

}}}  // namespace tenon::v0_1::platform
