// SPDX-License-Identifier: BSL-1.0
#include "platform/kept_libraries.hpp"

#include <algorithm>

#include "base/lock_order.hpp"
#include "platform/image_map.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

namespace fs = std::filesystem;

Kept keep_library(const fs::path& path, bool (*may_keep)(const fs::path&)) {
  detail::lock_order::expect_none();
  if (is_loaded(path)) return Kept::loaded_before;
  const std::vector<HMODULE> before = loaded_images();
  const HMODULE library = LoadLibraryExW(path.c_str(), nullptr, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  if (library == nullptr) return Kept::not_alone;
  // With the libraries that it needs.
  std::vector<fs::path> images;
  for (const HMODULE image : loaded_images()) {
    if (std::ranges::find(before, image) == before.end()) images.push_back(path_of(image));
  }
  const bool keeps = std::all_of(images.begin(), images.end(), may_keep);
  if (keeps) {
    pin_image(path_of(library));
    add_kept_libraries(images);
  }
  FreeLibrary(library);
  return keeps ? Kept::kept : Kept::with_its_module;
}

bool is_loaded_by_program(const fs::path& path) {
  const HMODULE image = GetModuleHandleW(path.c_str());
  return image != nullptr && !is_kept(path_of(image));
}

}}}  // namespace tenon::v0_1::platform
