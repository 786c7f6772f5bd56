// SPDX-License-Identifier: BSL-1.0
#include "base/own_library.hpp"

#include <atomic>
#include <cstddef>

#include "base/lock_order.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

constinit std::atomic<bool> left_loaded{false};
constinit std::atomic<std::size_t> uses{0};

}  // namespace

LibraryUse::LibraryUse() {
  detail::lock_order::expect_none();
  HMODULE image = nullptr;
  if (GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                         reinterpret_cast<LPCWSTR>(&left_loaded), &image) != 0) {
    handle_ = image;
  }
  ++uses;
}

LibraryUse::~LibraryUse() {
  detail::lock_order::expect_none();
  --uses;
  if (handle_ != nullptr && !left_loaded.load()) FreeLibrary(static_cast<HMODULE>(handle_));
}

void leave_library_loaded() noexcept {
  left_loaded.store(true);
}

bool library_in_use() noexcept {
  return uses.load() != 0 || left_loaded.load();
}

}}}  // namespace tenon::v0_1::platform
