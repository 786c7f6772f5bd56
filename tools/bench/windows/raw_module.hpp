// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/abi.h>

#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>

#include <cstdlib>

namespace tenon::bench {

/// A module that is loaded with LoadLibrary, without the loader. Aborts on failure.
class RawModule {
 public:
  explicit RawModule(const char* file) : image_(LoadLibraryA(file)) {
    if (image_ == nullptr) std::abort();
    const auto* module = reinterpret_cast<const tenon_module*>(
        reinterpret_cast<void*>(GetProcAddress(image_, "tenon_module_v1")));
    vtable_ = TENON_AT(tenon_registration, module->registrations, 0).table;
  }
  ~RawModule() { FreeLibrary(image_); }
  RawModule(const RawModule&) = delete;
  RawModule& operator=(const RawModule&) = delete;

  /// Returns the vtable of the first plugin.
  template <class Vtable>
  const Vtable& vtable() const noexcept {
    return *static_cast<const Vtable*>(vtable_);
  }

 private:
  HMODULE image_;
  const void* vtable_;
};

}  // namespace tenon::bench
