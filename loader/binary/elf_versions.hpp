// SPDX-License-Identifier: BSL-1.0
//
// Versions of symbols, read as the system's loader reads them.
#pragma once

#include <cstdint>
#include <string_view>

#include "binary/elf.hpp"

namespace tenon {

/// Addresses of a file's tables, 0 where there is none.
struct VersionTables {
  std::uint64_t needs;
  std::uint64_t definitions;
  std::uint64_t indices;  // one for each symbol
  std::uint64_t symbols;  // how many there are
  std::uint64_t strings_size;
};

/// What is wrong with the tables, in words; empty where nothing is.
std::string_view flaw_of_versions(const ElfFile& file, const VersionTables& tables);

/// REQUIRED: nothing is wrong with the tables.
ElfFile::Versions read_versions(const ElfFile& file, const VersionTables& tables,
                                const ElfFile::Symbols& symbols);

}  // namespace tenon
