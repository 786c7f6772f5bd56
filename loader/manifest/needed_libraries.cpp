// SPDX-License-Identifier: BSL-1.0
#include "manifest/needed_libraries.hpp"

#include <algorithm>
#include <cstring>

#include "manifest/byte_source.hpp"
#include "manifest/elf.hpp"
#include "platform/file.hpp"
#include "platform/library_search.hpp"
#include "platform/machine.hpp"

namespace tenon {
namespace {

namespace fs = std::filesystem;

/// Whether a library for this machine lies there; the system's loader passes over others.
bool fits(const fs::path& place) {
  const auto file = platform::File::open(place);
  if (!file) return false;
  elf::Identification id;
  const auto read = file->read_at(0, std::as_writable_bytes(std::span(&id, 1)));
  return read && *read == sizeof id && id.magic == elf::magic && id.word_size == elf::class_64 &&
         id.machine == platform::host_machine;
}

bool is_near(std::string_view folder) {
  return folder.find("$ORIGIN") != std::string_view::npos ||
         folder.find("${ORIGIN}") != std::string_view::npos;
}

fs::path resolved(std::string folder, const fs::path& origin) {
  for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"}) {
    if (const auto at = folder.find(word); at != std::string::npos) {
      folder.replace(at, word.size(), origin.string());
    }
  }
  return folder;
}

NeededLibrary search(std::string name, const std::vector<std::string>& run_path,
                     const fs::path& origin) {
  NeededLibrary library{.name = std::move(name)};
  std::vector<fs::path> places;
  if (library.name.find('/') != std::string::npos) {
    places.emplace_back(library.name);
  } else {
    for (const std::string& folder : run_path) {
      if (!is_near(folder)) places.push_back(fs::path(folder) / library.name);
    }
    auto usual = platform::library_places(library.name);
    std::move(usual.begin(), usual.end(), std::back_inserter(places));
  }
  if (const auto found = std::ranges::find_if(places, fits); found != places.end()) {
    library.path = *found;
    return library;
  }
  library.near_only = std::ranges::any_of(run_path, [&](const std::string& folder) {
    return is_near(folder) && fits(resolved(folder, origin) / library.name);
  });
  return library;
}

}  // namespace

Result<std::vector<NeededLibrary>> needed_libraries(const fs::path& path) {
  const auto file = platform::File::open(path);
  if (!file) return file.error();
  FileSource source(*file);
  const auto elf = ElfFile::open(source);
  if (!elf) return elf.error();
  auto linkage = elf->linkage();
  if (!linkage) return std::move(linkage).error();

  std::error_code ignored;
  const fs::path origin = fs::absolute(path, ignored).parent_path();
  std::vector<NeededLibrary> libraries;
  for (std::string& name : linkage->needed) {
    libraries.push_back(search(std::move(name), linkage->run_path, origin));
  }
  return libraries;
}

}  // namespace tenon
