// SPDX-License-Identifier: BSL-1.0
#include "platform/image_map.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

/// Returns the image that was loaded from a path, or under a name without a directory; nullptr if
/// none was.
HMODULE image_of(const fs::path& path) noexcept {
  return GetModuleHandleW(path.c_str());
}

/// Returns the image that contains an address; nullptr if there is none.
HMODULE image_around(const void* address) noexcept {
  constexpr DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE image = nullptr;
  return GetModuleHandleExW(flags, static_cast<LPCWSTR>(address), &image) != 0 ? image : nullptr;
}

template <class T>
const T* at(HMODULE image, std::uint32_t address) noexcept {
  return reinterpret_cast<const T*>(reinterpret_cast<const char*>(image) + address);
}

/// Calls `visit` with each address of a symbol of another image that an image has imported, until
/// it returns true. Returns whether it did.
template <class Visit>
bool any_import(HMODULE image, const Visit& visit) {
  const auto* dos = at<IMAGE_DOS_HEADER>(image, 0);
  const auto* headers = at<IMAGE_NT_HEADERS>(image, static_cast<std::uint32_t>(dos->e_lfanew));
  const IMAGE_DATA_DIRECTORY& imports =
      headers->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  if (imports.Size == 0) return false;
  const auto* library = at<IMAGE_IMPORT_DESCRIPTOR>(image, imports.VirtualAddress);
  for (; library->Name != 0; ++library) {
    const auto* address = at<const void*>(image, library->FirstThunk);
    for (; *address != nullptr; ++address) {
      if (visit(*address)) return true;
    }
  }
  return false;
}

}  // namespace

ImageMap ImageMap::of(const fs::path& path) {
  constexpr DWORD code =
      PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
  constexpr DWORD readable = PAGE_READONLY | PAGE_READWRITE | PAGE_WRITECOPY | PAGE_EXECUTE_READ |
                             PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
  ImageMap map;
  const void* const base = image_of(path);
  if (base == nullptr) return map;
  const char* next = static_cast<const char*>(base);
  MEMORY_BASIC_INFORMATION region;
  while (VirtualQuery(next, &region, sizeof region) != 0 && region.AllocationBase == base) {
    next = static_cast<const char*>(region.BaseAddress) + region.RegionSize;
    const Segment segment{static_cast<const char*>(region.BaseAddress), next,
                          (region.Protect & readable) != 0, (region.Protect & code) != 0};
    // Written pages of a segment are regions of their own.
    Segment* last = map.segments_.empty() ? nullptr : &map.segments_.back();
    if (last != nullptr && last->readable == segment.readable && last->code == segment.code) {
      last->end = segment.end;
    } else {
      map.segments_.push_back(segment);
    }
  }
  return map;
}

std::string image_at(const void* address) {
  const HMODULE image = image_around(address);
  return image != nullptr ? path_of(image).string() : std::string();
}

std::uint64_t offset_at(const void* address) {
  const HMODULE image = image_around(address);
  if (image == nullptr) return 0;
  return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(image);
}

bool is_loaded(const fs::path& path) {
  return image_of(path) != nullptr;
}

bool is_mapped(const fs::path& path) noexcept {
  return image_of(path) != nullptr;
}

std::vector<std::string> importers_of(const fs::path& path) {
  const ImageMap map = ImageMap::of(path);
  const HMODULE own = image_of(path);
  std::vector<std::string> importers;
  if (own == nullptr) return importers;
  for (const HMODULE image : loaded_images()) {
    const auto is_inside = [&](const void* address) { return map.contains(address, 1); };
    if (image != own && any_import(image, is_inside)) importers.push_back(path_of(image).string());
  }
  return importers;
}

void pin_image(const fs::path& path) {
  HMODULE image = nullptr;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN, path.c_str(), &image);
}

// Windows unmaps an image when its last handle is freed.
void release_image(const fs::path&) {}

bool has_global_symbol(const char* name, const char*) {
  return GetProcAddress(GetModuleHandleW(nullptr), name) != nullptr;
}

bool searches_own_run_path() {
  return false;
}

std::string load_error(const std::error_code& failed) {
  return failed.message();
}

}}}  // namespace tenon::v0_1::platform
