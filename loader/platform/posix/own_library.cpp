// SPDX-License-Identifier: BSL-1.0
#include "base/own_library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstddef>

#include "base/lock_order.hpp"
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

constinit std::atomic<bool> left_loaded{false};
constinit std::atomic<std::size_t> uses{0};

}  // namespace

LibraryUse::LibraryUse() {
  detail::lock_order::expect_none();
  handle_ = dlopen(image_at(&left_loaded).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  ++uses;
}

LibraryUse::~LibraryUse() {
  detail::lock_order::expect_none();
  --uses;
  if (handle_ != nullptr && !left_loaded.load()) dlclose(handle_);
}

void leave_library_loaded() noexcept {
  left_loaded.store(true);
}

bool library_in_use() noexcept {
  return uses.load() != 0 || left_loaded.load();
}

}}}  // namespace tenon::v0_1::platform
