// SPDX-License-Identifier: BSL-1.0
#include "binary/function_at.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "binary/byte_source.hpp"
#include "binary/elf_format.hpp"
#include "platform/demangle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Far above the longest names that compilers generate.
constexpr std::size_t max_function_name_length = 65536;
// A larger table is treated as an attack.
constexpr std::uint64_t max_table_symbols = 1 << 22;

std::string text_at(ByteSource& source, std::uint64_t offset) {
  std::string text;
  char c = 0;
  while (text.size() < max_function_name_length && source.read(offset++, c, "a name") && c != 0)
    text += c;
  return text;
}

/// Returns whether the demangled form of a name has a bounded length. A reference to an earlier
/// part (S1_, T_) repeats that part with the references in it, and a pack (Dp, sp) repeats a part
/// for each of its elements: 300 characters can expand to gigabytes.
bool has_bounded_text(std::string_view name) {
  constexpr std::size_t max_length = 1024;
  constexpr std::size_t max_references = 24;
  constexpr std::size_t references_of_a_pack = 12;
  if (name.size() > max_length) return false;
  std::size_t references = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (name[i] == 'S' || name[i] == 'T') {
      const auto end = name.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", i + 1);
      if (end != std::string_view::npos && name[end] == '_') ++references;
    } else if ((name[i] == 'D' || name[i] == 's') && name[i + 1] == 'p') {
      references += references_of_a_pack;
    }
  }
  return references <= max_references;
}

/// Returns the demangled name of a C++ function, and other names unchanged. Only names with the
/// prefix of functions are demangled: the C function "f" would become "float".
std::string function_name(const std::string& name) {
  if (!name.starts_with("_Z") || !has_bounded_text(name)) return name;
  return platform::demangled(name);
}

/// The sections of symbols and of their names.
struct SymbolTables {
  elf::Section symbols;
  elf::Section names;
};

std::optional<SymbolTables> find_tables(ByteSource& source) {
  elf::Header header;
  if (!source.read(0, header, "the header")) return std::nullopt;
  const auto read = [&](std::uint64_t index, elf::Section& section) {
    return source.read(header.sections_offset + index * header.section_size, section, "a section")
        .has_value();
  };
  SymbolTables tables;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(header.section_count, elf::max_sections);
       ++i) {
    if (!read(i, tables.symbols)) return std::nullopt;
    if (tables.symbols.type != elf::section_symbols) continue;
    if (!read(tables.symbols.link, tables.names)) return std::nullopt;
    return tables;
  }
  return std::nullopt;
}

}  // namespace

std::string hexadecimal(std::uint64_t number) {
  std::string digits;
  for (; number != 0 || digits.empty(); number >>= 4) {
    digits.insert(digits.begin(), "0123456789abcdef"[number & 0xf]);
  }
  return "0x" + digits;
}

std::string function_at(ByteSource& source, std::uint64_t address) {
  const auto tables = find_tables(source);
  if (!tables || !source.contains(tables->symbols.offset, tables->symbols.size)) return {};
  const auto count = std::min(tables->symbols.size / sizeof(elf::Symbol), max_table_symbols);
  for (std::uint64_t i = 0; i < count; ++i) {
    elf::Symbol symbol;
    const std::uint64_t offset = tables->symbols.offset + i * sizeof symbol;
    if (!source.read(offset, symbol, "a symbol")) return {};
    if (symbol.kind() != elf::kind_function || address - symbol.address >= symbol.size) continue;
    const std::string name = text_at(source, tables->names.offset + symbol.name);
    return function_name(name) + "+" + hexadecimal(address - symbol.address);
  }
  return {};
}

}}}  // namespace tenon::v0_1::detail
