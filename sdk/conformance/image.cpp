// SPDX-License-Identifier: BSL-1.0
#include "image.hpp"

#include <dlfcn.h>

namespace tenon::sdk::conformance {

void* load_image(const std::filesystem::path& file, std::string& error) {
  void* image = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (image == nullptr) error = ::dlerror();
  return image;
}

const void* symbol_of(void* image, const char* name) noexcept {
  return ::dlsym(image, name);
}

void unload_image(void* image) noexcept {
  ::dlclose(image);
}

bool is_mapped(const std::filesystem::path& file) noexcept {
  void* mapped = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (mapped != nullptr) ::dlclose(mapped);
  return mapped != nullptr;
}

}  // namespace tenon::sdk::conformance
