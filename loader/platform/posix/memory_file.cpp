// SPDX-License-Identifier: BSL-1.0
#include "platform/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "platform/posix/descriptor.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
Result<MemoryFile> MemoryFile::create(const std::string& name, std::span<const std::byte> content) {
  constexpr int seals = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;
  MemoryFile file(::memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.descriptor_ < 0 || !write_all(file.descriptor_, content) ||
      ::fcntl(file.descriptor_, F_ADD_SEALS, seals) != 0) {
    const int number = errno;
    return Error({.code = "cannot-write",
                  .where = name,
                  .found = "creating a file in memory: " + std::generic_category().message(number),
                  .needed = "memory for a copy of the module",
                  .fix = "raise the limits of the process for memory and file descriptors"});
  }
  return file;
}

MemoryFile::MemoryFile(MemoryFile&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

MemoryFile& MemoryFile::operator=(MemoryFile&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::filesystem::path MemoryFile::path() const {
  // Not /proc/self: a forked child may use the same numbers for other files.
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_);
}

void MemoryFile::keep() noexcept {
  descriptor_ = -1;
}

}}}  // namespace tenon::v0_1::platform
