// SPDX-License-Identifier: BSL-1.0
//
// Windows loads code only from files of a file system.
#include "platform/memory_file.hpp"

#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {

Result<MemoryFile> MemoryFile::create(const std::string& name, std::span<const std::byte>) {
  return Error({.code = "cannot-write",
                .where = name,
                .found = "a copy of the module in memory",
                .needed = "a directory for copies: Windows loads no code from memory",
                .fix = "set TMPDIR to a directory of this user"});
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

MemoryFile::~MemoryFile() = default;

std::filesystem::path MemoryFile::path() const {
  return {};
}

void MemoryFile::keep() noexcept {
  descriptor_ = -1;
}

}}}  // namespace tenon::v0_1::platform
