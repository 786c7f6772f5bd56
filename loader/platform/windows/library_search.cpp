// SPDX-License-Identifier: BSL-1.0
#include "platform/library_search.hpp"

#include "platform/process.hpp"
#include "platform/utf8_path.hpp"
#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

fs::path system_directory() {
  std::wstring path(MAX_PATH, L'\0');
  path.resize(GetSystemDirectoryW(path.data(), static_cast<UINT>(path.size())));
  return path;
}

}  // namespace

// The directories of LOAD_LIBRARY_SEARCH_DEFAULT_DIRS.
LibrarySearch::LibrarySearch() : directories_{path_of(nullptr).parent_path(), system_directory()} {}

std::vector<fs::path> LibrarySearch::candidates(const std::string& name, bool) const {
  std::vector<fs::path> paths;
  for (const fs::path& directory : directories_) paths.push_back(directory / path_from(name));
  return paths;
}

}}}  // namespace tenon::v0_1::platform
