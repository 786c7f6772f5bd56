// SPDX-License-Identifier: BSL-1.0
#include "platform/kept_libraries.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <utility>

#include "base/lock_order.hpp"
#include "platform/image_map.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

struct Registry {
  sync::Mutex mutex;
  std::vector<KeptLibrary> libraries TENON_GUARDED_BY(mutex);
};
Registry& registry() {
  static auto& all = *new Registry;  // outlives every thread
  return all;
}

void add(const std::vector<fs::path>& images) {
  Registry& all = registry();
  const auto now = std::chrono::system_clock::now();
  const sync::Lock lock(all.mutex);
  for (const fs::path& path : images) {
    const auto identity = identity_of(path);
    std::error_code failed;
    fs::path file = fs::canonical(path, failed);
    if (!identity || failed) continue;  // its file was removed meanwhile
    all.libraries.push_back({path, std::move(file), *identity, now});
  }
}

}  // namespace

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
    add(images);
  }
  FreeLibrary(library);
  return keeps ? Kept::kept : Kept::with_its_module;
}

std::vector<KeptLibrary> kept_libraries() {
  const sync::Lock lock(registry().mutex);
  return registry().libraries;
}

bool is_replaced(const KeptLibrary& library) {
  const auto now = identity_of(library.path);
  return !now || *now != library.identity;
}

bool is_loaded_by_program(const fs::path& path) {
  const HMODULE image = GetModuleHandleW(path.c_str());
  if (image == nullptr) return false;
  const fs::path loaded = path_of(image);
  const sync::Lock lock(registry().mutex);
  return std::ranges::find(registry().libraries, loaded, &KeptLibrary::path) ==
         registry().libraries.end();
}

}}}  // namespace tenon::v0_1::platform
