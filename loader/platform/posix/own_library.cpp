// SPDX-License-Identifier: BSL-1.0
#include "base/own_library.hpp"

#include <dlfcn.h>

#include <atomic>

namespace tenon::inline v0_1::platform {
namespace {

constinit std::atomic<bool> left_loaded{false};

}  // namespace

LibraryUse::LibraryUse() noexcept : handle_(nullptr) {
  Dl_info own{};
  if (dladdr(&left_loaded, &own) == 0 || own.dli_fname == nullptr) return;
  handle_ = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

LibraryUse::~LibraryUse() {
  if (handle_ != nullptr && !left_loaded.load()) dlclose(handle_);
}

void leave_library_loaded() noexcept {
  left_loaded.store(true);
}

}  // namespace tenon::inline v0_1::platform
