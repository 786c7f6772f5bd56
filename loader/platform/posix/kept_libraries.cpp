// SPDX-License-Identifier: BSL-1.0
#include "platform/kept_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/lock_order.hpp"
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

std::string_view name_of(void* image) {
  link_map* map = nullptr;
  return dlinfo(image, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : std::string_view();
}

/// Returns the paths of an image and of those that were loaded after it, which include the new
/// images that it needs.
std::vector<fs::path> images_from(void* image) {
  struct Search {
    const std::string_view first;
    std::vector<fs::path> found;
  } search{name_of(image), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [first, found] = *static_cast<Search*>(data);
        if (!found.empty() || first == info->dlpi_name) found.emplace_back(info->dlpi_name);
        return 0;
      },
      &search);
  return std::move(search.found);
}

}  // namespace

Kept keep_library(const fs::path& path, bool (*may_keep)(const fs::path&)) {
  detail::lock_order::expect_none();
  if (is_loaded(path)) return Kept::loaded_before;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Kept::not_alone;
  const auto images = images_from(library);
  const bool keeps = std::all_of(images.begin(), images.end(), may_keep);
  if (keeps) {
    pin_image(images.front());
    add_kept_libraries(images);
  }
  dlclose(library);
  return keeps ? Kept::kept : Kept::with_its_module;
}

bool is_loaded_by_program(const fs::path& path) {
  void* image = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (image == nullptr) return false;
  const bool kept = is_kept(name_of(image));
  dlclose(image);
  return !kept;
}

}}}  // namespace tenon::v0_1::platform
