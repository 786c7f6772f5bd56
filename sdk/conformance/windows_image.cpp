// SPDX-License-Identifier: BSL-1.0
#include "image.hpp"
#include "platform/windows/system.hpp"

namespace tenon::sdk::conformance {

void* load_image(const std::filesystem::path& file, std::string& error) {
  const HMODULE image = LoadLibraryExW(
      file.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  if (image == nullptr) error = platform::last_error().message();
  return image;
}

const void* symbol_of(void* image, const char* name) noexcept {
  return reinterpret_cast<const void*>(GetProcAddress(static_cast<HMODULE>(image), name));
}

void unload_image(void* image) noexcept {
  FreeLibrary(static_cast<HMODULE>(image));
}

bool is_mapped(const std::filesystem::path& file) noexcept {
  return GetModuleHandleW(file.c_str()) != nullptr;
}

}  // namespace tenon::sdk::conformance
