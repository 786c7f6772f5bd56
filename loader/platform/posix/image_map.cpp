// SPDX-License-Identifier: BSL-1.0
#include "platform/image_map.hpp"

#include <dlfcn.h>
#include <link.h>

#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace fs = std::filesystem;

ImageMap ImageMap::of(const std::filesystem::path& path) {
  struct Search {
    const std::string path;
    ImageMap map;
  } search{path.string(), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_name == nullptr || wanted.path != info->dlpi_name) return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD) continue;
          const char* begin = reinterpret_cast<const char*>(info->dlpi_addr + header.p_vaddr);
          wanted.map.segments_.push_back({begin, begin + header.p_memsz,
                                          (header.p_flags & PF_R) != 0,
                                          (header.p_flags & PF_X) != 0});
        }
        return 1;
      },
      &search);
  return std::move(search.map);
}

bool ImageMap::contains(const void* address, std::size_t size) const noexcept {
  const char* begin = static_cast<const char*>(address);
  for (const Segment& segment : segments_) {
    if (segment.readable && begin >= segment.begin && begin <= segment.end &&
        size <= static_cast<std::size_t>(segment.end - begin)) {
      return true;
    }
  }
  return false;
}

bool ImageMap::contains_code(const void* address) const noexcept {
  const char* at = static_cast<const char*>(address);
  for (const Segment& segment : segments_) {
    if (segment.code && at >= segment.begin && at < segment.end) return true;
  }
  return false;
}

std::string image_at(const void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

bool is_loaded(const std::filesystem::path& path) {
  void* image = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (image == nullptr) return false;
  dlclose(image);
  return true;
}

bool is_mapped(const std::filesystem::path& path) noexcept {
  const auto is_at = [](dl_phdr_info* info, std::size_t, void* wanted) {
    return info->dlpi_name != nullptr &&
                   static_cast<const fs::path*>(wanted)->native() == info->dlpi_name
               ? 1
               : 0;
  };
  return dl_iterate_phdr(is_at, const_cast<fs::path*>(&path)) != 0;
}

void pin_image(const std::filesystem::path& path) {
  // RTLD_NODELETE outlasts the close.
  void* image = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  if (image != nullptr) dlclose(image);
}

void release_image(const std::filesystem::path& path) {
  // The dynamic loader unmaps unused images when a handle is closed.
  static_cast<void>(is_loaded(path));
}

std::uint64_t offset_at(const void* address) {
  Dl_info info{};
  if (dladdr(address, &info) == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                    static_cast<const char*>(info.dli_fbase));
}

bool has_global_symbol(const char* name, const char* version) {
  return (version != nullptr ? dlvsym(RTLD_DEFAULT, name, version) : dlsym(RTLD_DEFAULT, name)) !=
         nullptr;
}

bool searches_own_run_path() {
  static const char here = 0;
  void* own = dlopen(image_at(&here).c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (own == nullptr) own = dlopen(nullptr, RTLD_LAZY);  // the program
  bool found = false;
  link_map* map = nullptr;
  if (dlinfo(own, RTLD_DI_LINKMAP, &map) == 0) {
    for (const ElfW(Dyn)* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
      found = found || entry->d_tag == DT_RUNPATH;
    }
  }
  dlclose(own);
  return found;
}

std::string last_load_error() {
  const char* text = dlerror();
  return text != nullptr ? text : "";
}

}}}  // namespace tenon::v0_1::platform
