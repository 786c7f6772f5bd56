// SPDX-License-Identifier: BSL-1.0
//
// Lookup of functions by address, including functions that are not exported. FAULTS is the
// directory of tests/faults.
#include "binary/function_at.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "binary/byte_source.hpp"
#include "binary/elf_format.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

using detail::function_at;
using detail::MemorySource;

std::string function_in(const std::string& file, std::uint64_t address) {
  MemorySource source("file", std::as_bytes(std::span(file)));
  return function_at(source, address);
}

/// Returns the first address for which the file has a name.
std::uint64_t some_function(const std::string& file) {
  std::uint64_t address = 0;
  while (address < file.size() && function_in(file, address).empty()) ++address;
  return address;
}

class FunctionAt : public testing::Test {
 protected:
  const std::string file_ = read_file(FAULTS "/good.so");
};

TEST_F(FunctionAt, ReturnsNameAndOffset) {
  const std::uint64_t begin = some_function(file_);
  const std::string first = function_in(file_, begin);
  ASSERT_NE(first.find("+0x0"), std::string::npos) << first;
  const std::string name = first.substr(0, first.size() - 1);
  EXPECT_EQ(function_in(file_, begin + 1), name + "1");
}

TEST_F(FunctionAt, IsEmptyOutsideFunctions) {
  EXPECT_EQ(function_in(file_, 0), "");
  EXPECT_EQ(function_in(file_, ~std::uint64_t{0}), "");
  EXPECT_EQ(function_in("no file of that format", 0), "");
}

TEST_F(FunctionAt, IsEmptyInAStrippedFile) {
  const std::string stripped = read_file(FAULTS "/unruly-stripped.so");
  EXPECT_EQ(some_function(stripped), stripped.size());
}

TEST_F(FunctionAt, ReadsNothingPastTheEndOfTheFile) {
  const std::uint64_t begin = some_function(file_);
  const std::string name = function_in(file_, begin);
  elf::Header header;
  std::memcpy(&header, file_.data(), sizeof header);
  ASSERT_LT(header.sections_offset, file_.size()) << "the table of sections is at the end";
  for (std::size_t size = 0; size <= header.sections_offset; size += 997) {
    EXPECT_EQ(function_in(file_.substr(0, size), begin), "") << size;
  }
  // A file that lacks only sections that are not needed may still give the name.
  for (std::size_t size = header.sections_offset; size < file_.size(); ++size) {
    const std::string found = function_in(file_.substr(0, size), begin);
    EXPECT_TRUE(found.empty() || found == name) << size << ": " << found;
  }
}

/// Returns a file that has only symbols.
std::string file_of(const std::vector<std::pair<elf::Symbol, std::string>>& functions) {
  std::string names(1, '\0');
  std::string symbols;
  for (auto [symbol, name] : functions) {
    symbol.name = static_cast<std::uint32_t>(names.size());
    symbols.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
    names.append(name).push_back('\0');
  }
  elf::Header header{};
  elf::Section sections[3] = {};
  header.sections_offset = sizeof header;
  header.section_size = sizeof sections[0];
  header.section_count = 3;
  elf::Section& table = sections[1];
  table.type = elf::section_symbols;
  table.offset = sizeof header + sizeof sections;
  table.size = symbols.size();
  table.link = 2;
  sections[2].offset = table.offset + table.size;
  sections[2].size = names.size();
  return std::string(reinterpret_cast<const char*>(&header), sizeof header) +
         std::string(reinterpret_cast<const char*>(sections), sizeof sections) + symbols + names;
}

elf::Symbol symbol(std::uint64_t address, std::uint64_t size, std::uint8_t kind) {
  elf::Symbol symbol{};
  symbol.info = kind;
  symbol.address = address;
  symbol.size = size;
  return symbol;
}

/// Returns the displayed name of a function.
std::string shown(const std::string& name) {
  const std::string text = function_in(file_of({{symbol(0, 1, elf::kind_function), name}}), 0);
  EXPECT_TRUE(text.ends_with("+0x0")) << text;
  return text.substr(0, text.size() - 4);
}

TEST(FunctionNames, BelongToTheFunctionThatHoldsTheAddress) {
  constexpr std::uint8_t object = 1;
  const std::string file = file_of({{symbol(100, 50, object), "object"},
                                    {symbol(100, 20, elf::kind_function), "first"},
                                    {symbol(130, 20, elf::kind_function), "second"}});
  EXPECT_EQ(function_in(file, 99), "");
  EXPECT_EQ(function_in(file, 100), "first+0x0");
  EXPECT_EQ(function_in(file, 119), "first+0x13");
  EXPECT_EQ(function_in(file, 120), "");
  EXPECT_EQ(function_in(file, 149), "second+0x13");
  EXPECT_EQ(function_in(file, 150), "");
}

TEST(FunctionNames, RequireValidTables) {
  const std::string good = file_of({{symbol(0, 1, elf::kind_function), "f"}});
  const auto damaged = [&](std::size_t offset, std::uint64_t value, std::size_t size) {
    std::string file = good;
    std::memcpy(file.data() + offset, &value, size);
    return function_in(file, 0);
  };
  const std::size_t table = sizeof(elf::Header) + sizeof(elf::Section);
  EXPECT_EQ(damaged(0, 0, 1), "f+0x0");
  EXPECT_EQ(damaged(offsetof(elf::Header, section_count), 1, 2), "");
  EXPECT_EQ(damaged(offsetof(elf::Header, sections_offset), good.size() - 1, 8), "");
  EXPECT_EQ(damaged(table + offsetof(elf::Section, link), 100, 4), "");
  EXPECT_EQ(damaged(table + offsetof(elf::Section, size), good.size(), 8), "");
  EXPECT_EQ(damaged(table + offsetof(elf::Section, size), sizeof(elf::Symbol) - 1, 8), "");
}

/// A file of one symbol whose table lies behind empty ones. Everything else is zeros.
class Sparse final : public detail::ByteSource {
 public:
  Sparse() : ByteSource("file", std::uint64_t{1} << 40) {}

  /// Places a structure.
  template <class T>
  void put(std::uint64_t offset, const T& what) {
    const auto bytes = std::as_bytes(std::span(&what, 1));
    parts_[offset].assign(bytes.begin(), bytes.end());
  }

 private:
  Result<void> copy(std::uint64_t offset, std::span<std::byte> into, std::string_view) override {
    std::memset(into.data(), 0, into.size());
    const auto part = parts_.find(offset);
    if (part == parts_.end()) return {};
    std::memcpy(into.data(), part->second.data(), std::min(into.size(), part->second.size()));
    return {};
  }
  std::map<std::uint64_t, std::vector<std::byte>> parts_;
};

/// Returns the name in a file whose table of symbols is behind as many empty sections, and has as
/// many other symbols.
std::string function_behind(std::uint16_t sections, std::uint64_t symbols) {
  constexpr std::uint64_t table = std::uint64_t{1} << 30;
  constexpr std::uint64_t names = std::uint64_t{1} << 29;
  constexpr std::uint16_t last = 20'000;  // the section of names
  elf::Header header{};
  header.sections_offset = sizeof header;
  header.section_size = sizeof(elf::Section);
  header.section_count = last + 1;
  elf::Section with_symbols{};
  with_symbols.type = elf::section_symbols;
  with_symbols.offset = table;
  with_symbols.size = (symbols + 1) * sizeof(elf::Symbol);
  with_symbols.link = last;
  elf::Section with_names{};
  with_names.offset = names;
  Sparse file;
  file.put(0, header);
  file.put(sizeof header + sections * sizeof with_symbols, with_symbols);
  file.put(sizeof header + last * sizeof with_names, with_names);
  file.put(table + symbols * sizeof(elf::Symbol), symbol(0, 1, elf::kind_function));
  file.put(with_names.offset, 'f');
  return function_at(file, 0);
}

TEST(FunctionNames, AreFoundInTheFirstThousandSections) {
  EXPECT_EQ(function_behind(1'023, 0), "f+0x0");
  EXPECT_EQ(function_behind(1'024, 0), "");
  EXPECT_EQ(function_behind(10'240, 0), "");
}

TEST(FunctionNames, AreFoundAmongFourMillionSymbols) {
  EXPECT_EQ(function_behind(1, (1 << 22) - 1), "f+0x0");
  EXPECT_EQ(function_behind(1, 1 << 22), "");
}

TEST(FunctionNames, AreDemangledWithinLimits) {
  for (const char* name : {"plain", "f", "i", "PKc"}) EXPECT_EQ(shown(name), name) << "of C";
  EXPECT_EQ(shown("_ZN1a1bEv"), "a::b()");
  EXPECT_EQ(shown("_Z8apapapapv"), "apapapap()");
  EXPECT_EQ(shown("_Z10STSTSTSTSTv"), "STSTSTSTST()");
  // Back references.
  const auto with = [](const std::string& begin, const std::string& part, int count) {
    std::string name = begin;
    for (int i = 0; i < count; ++i) name += part;
    return name;
  };
  EXPECT_TRUE(shown(with("_Z1fP1x", "S0_", 24)).starts_with("f(x*, x*, "));
  const std::string many = with("_Z1fP1x", "S0_", 25);
  EXPECT_EQ(shown(many), many);
  EXPECT_TRUE(shown(with("_Z1fI1xEvT_", "T_", 23)).starts_with("void f<x>(x, x, "));
  const std::string more = with("_Z1fI1xEvT_", "T_", 24);
  EXPECT_EQ(shown(more), more);
  // Parameter packs.
  EXPECT_EQ(shown("_Z1fIJicEEvDpPKT_").substr(0, 15), "void f<int, cha");
  const std::string packs = "_Z1fIJicEEvDpPKT_DpPKS0_";
  EXPECT_EQ(shown(packs), packs);
  // Long names.
  EXPECT_EQ(shown("_Z1017" + std::string(1017, 'a') + "v"), std::string(1017, 'a') + "()");
  const std::string longer = "_Z1018" + std::string(1018, 'a') + "v";
  EXPECT_EQ(shown(longer), longer);
  EXPECT_EQ(shown(std::string(70000, 'a')), std::string(65536, 'a'));
}

TEST_F(FunctionAt, ValidatesTheHeader) {
  const std::uint64_t begin = some_function(file_);
  const std::string name = function_in(file_, begin);
  std::size_t empty = 0;
  for (std::size_t byte = 0; byte < sizeof(elf::Header); ++byte) {
    std::string wrong = file_;
    wrong[byte] = static_cast<char>(~wrong[byte]);
    const std::string found = function_in(wrong, begin);
    EXPECT_TRUE(found.empty() || found == name) << "byte " << byte << ": " << found;
    empty += found.empty() ? 1 : 0;
  }
  EXPECT_GE(empty, 8u) << "where the sections are, how many, and of which size";
}

}}  // namespace tenon::tests
