// SPDX-License-Identifier: BSL-1.0
#include "platform/file_lock.hpp"

#include <cerrno>
#include <chrono>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

FileLock::FileLock(const std::filesystem::path& path) : handle_(no_handle) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  for (;;) {
    // Nobody else can open it meanwhile.
    if (Handle file = open_alone(path, OPEN_ALWAYS)) {
      handle_ = reinterpret_cast<NativeHandle>(file.release());
      return;
    }
    const bool taken = GetLastError() == ERROR_SHARING_VIOLATION;
    error_ = taken ? EWOULDBLOCK : errno_of(last_error());
    if (!taken || std::chrono::steady_clock::now() > deadline) return;
    error_ = 0;
    Sleep(5);
  }
}

FileLock::~FileLock() {
  if (handle_ != no_handle) CloseHandle(reinterpret_cast<HANDLE>(handle_));
}

}}}  // namespace tenon::v0_1::platform
