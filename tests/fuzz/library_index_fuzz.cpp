// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of the system loader's index of libraries (ld.so.cache). The index must
// round-trip through the format of ldconfig, and its size must be bounded by the size of the file.
#include <cstdint>
#include <cstring>

#include "fuzz/fuzzing.hpp"
#include "platform/library_search.hpp"

namespace {

using tenon::fuzzing::require;
using tenon::platform::LibraryIndex;

void add_number(std::string& text, std::uint32_t number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Returns the index in the format of ldconfig, without the flags of entries.
std::string written(const LibraryIndex& index) {
  std::uint32_t count = 0;
  for (const auto& [name, paths] : index) count += static_cast<std::uint32_t>(paths.size());
  std::string header = "glibc-ld.so.cache1.1";
  add_number(header, count);
  std::string entries;
  std::string texts;
  const auto add_text = [&](const std::string& text) {
    add_number(entries, static_cast<std::uint32_t>(48 + 24 * count + texts.size()));
    texts.append(text).push_back('\0');
  };
  for (const auto& [name, paths] : index) {
    for (const auto& path : paths) {
      add_number(entries, 0);
      add_text(name);
      add_text(path);
      entries.append(12, '\0');
    }
  }
  add_number(header, static_cast<std::uint32_t>(texts.size()));
  return header.append(20, '\0') + entries + texts;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const LibraryIndex index =
      tenon::platform::read_library_index(tenon::fuzzing::text_of(data, size));
  std::size_t total = 0;
  for (const auto& [name, paths] : index) {
    require(!name.empty() && name.find('\0') == std::string::npos && !paths.empty());
    for (const auto& path : paths) {
      require(!path.empty() && path.find('\0') == std::string::npos);
      total += name.size() + path.size();
    }
  }
  require(total <= 4 * size);
  require(tenon::platform::read_library_index(written(index)) == index);
  return 0;
}
