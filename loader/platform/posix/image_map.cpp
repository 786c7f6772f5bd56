// SPDX-License-Identifier: BSL-1.0
#include "platform/image_map.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace fs = std::filesystem;

namespace {

/// Calls `visit` with each address of a symbol of another image that an image has imported, until
/// it returns true. Returns whether it did.
template <class Visit>
bool any_import(const dl_phdr_info& info, const Visit& visit) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  struct Table {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
  } tables[2];  // of data, and of functions
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    if (dynamic->d_tag == DT_RELA) tables[0].begin = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_RELASZ) tables[0].size = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_JMPREL) tables[1].begin = dynamic->d_un.d_ptr;
    if (dynamic->d_tag == DT_PLTRELSZ) tables[1].size = dynamic->d_un.d_val;
  }
  for (const Table& table : tables) {
    // glibc has relocated the address, except in images that it has not loaded.
    if (table.begin < info.dlpi_addr) continue;
    const auto* entries = reinterpret_cast<const ElfW(Rela)*>(table.begin);
    for (std::size_t i = 0; i < table.size / sizeof *entries; ++i) {
      if (ELF64_R_SYM(entries[i].r_info) == 0) continue;
      const void* address = nullptr;
      std::memcpy(&address, reinterpret_cast<const void*>(info.dlpi_addr + entries[i].r_offset),
                  sizeof address);
      if (visit(address)) return true;
    }
  }
  return false;
}

}  // namespace

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

std::vector<std::string> importers_of(const std::filesystem::path& path) {
  struct Search {
    const ImageMap map;
    const std::string path;
    std::vector<std::string> importers = {};
  } search{ImageMap::of(path), path.string()};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_name == nullptr || *info->dlpi_name == 0 || wanted.path == info->dlpi_name)
          return 0;
        const auto is_inside = [&](const void* address) { return wanted.map.contains(address, 1); };
        if (any_import(*info, is_inside)) wanted.importers.emplace_back(info->dlpi_name);
        return 0;
      },
      &search);
  return std::move(search.importers);
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

// The dynamic loader says more than the code of the error.
std::string load_error(const std::error_code&) {
  const char* text = dlerror();
  return text != nullptr ? text : "";
}

}}}  // namespace tenon::v0_1::platform
