// SPDX-License-Identifier: BSL-1.0
//
// The file has a name, but the system removes it when it is closed.
#include "platform/nameless_file.hpp"

#include <string>
#include <utility>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

NamelessFile::NamelessFile(const std::filesystem::path& directory) : handle_(no_handle) {
  const std::filesystem::path path = directory / (L".tenon-spool." + random_name());
  Handle file(CreateFileW(path.c_str(), GENERIC_READ | GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                          FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr));
  if (file) {
    handle_ = reinterpret_cast<NativeHandle>(file.release());
  } else {
    error_ = errno_of(last_error());
  }
}

NamelessFile::NamelessFile(NamelessFile&& other) noexcept
    : handle_(std::exchange(other.handle_, no_handle)), error_(other.error_) {}

NamelessFile::~NamelessFile() {
  if (handle_ != no_handle) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

void NamelessFile::append(std::string_view content) noexcept {
  if (error_ == 0 && !write_all(reinterpret_cast<HANDLE>(handle_), content)) {
    error_ = errno_of(last_error());
  }
}

File NamelessFile::to_read(const std::filesystem::path& path) && {
  std::string name = path.string();  // before the handle changes hands
  return File(std::move(name), std::exchange(handle_, no_handle), {}, {});
}

}}}  // namespace tenon::v0_1::platform
