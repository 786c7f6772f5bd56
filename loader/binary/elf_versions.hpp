// SPDX-License-Identifier: BSL-1.0
//
// Reads the versions of symbols in the same way as the dynamic loader.
#pragma once

#include <cstdint>
#include <string_view>

#include "binary/elf.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Addresses of a file's tables; 0 if it has none.
struct VersionTables {
  std::uint64_t needs;
  std::uint64_t definitions;
  std::uint64_t indices;  // one for each symbol
  std::uint64_t symbols;  // number of symbols
  std::uint64_t strings_size;
};

/// Returns what is wrong with the tables, for a message; empty if they are valid.
std::string_view find_version_flaw(const ElfFile& file, const VersionTables& tables);

/// Returns the versions. REQUIRED: the tables are valid.
ElfFile::Versions read_versions(const ElfFile& file, const VersionTables& tables,
                                const ElfFile::Symbols& symbols);

}}}  // namespace tenon::v0_1::detail
