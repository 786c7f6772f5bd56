// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <tenon/abi.h>

#include <dlfcn.h>

#include <cstdlib>

namespace tenon::bench {

/// A module that is loaded with dlopen, without the loader. Aborts on failure.
class RawModule {
 public:
  explicit RawModule(const char* file) : image_(dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
    if (image_ == nullptr) std::abort();
    const auto* module = static_cast<const tenon_module*>(dlsym(image_, "tenon_module_v1"));
    vtable_ = TENON_AT(tenon_registration, module->registrations, 0).table;
  }
  ~RawModule() { dlclose(image_); }
  RawModule(const RawModule&) = delete;
  RawModule& operator=(const RawModule&) = delete;

  /// Returns the vtable of the first plugin.
  template <class Vtable>
  const Vtable& vtable() const noexcept {
    return *static_cast<const Vtable*>(vtable_);
  }

 private:
  void* image_;
  const void* vtable_;
};

}  // namespace tenon::bench
