// SPDX-License-Identifier: BSL-1.0
//
// The link from a file to its debug information. FAULTS is the directory of tests/faults.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "binary/bundle.hpp"
#include "binary/byte_source.hpp"
#include "binary/elf.hpp"
#include "binary/elf_format.hpp"
#include "framework/world.hpp"
#include "unit/faults.hpp"

namespace tenon::tests { namespace {

using detail::ElfFile;
using detail::MemorySource;

class DebugLink : public testing::Test {
 protected:
  void SetUp() override {
    const World world;
    world.write("x.debug", "what objcopy makes a checksum of");
    ASSERT_EQ(world.run({OBJCOPY, "--add-gnu-debuglink=x.debug", fault("good"), "x.so"}).exit, 0);
    bytes_ = bytes_of(world.root() / "x.so");
  }

  std::optional<ElfFile::Text> link() {
    MemorySource source("x.so", bytes_);
    return ElfFile::open(source).value().debug_link();
  }
  template <class T>
  T& at(std::uint64_t offset) {
    EXPECT_LE(offset + sizeof(T), bytes_.size());
    return *reinterpret_cast<T*>(bytes_.data() + offset);
  }
  elf::Header& header() { return at<elf::Header>(0); }
  elf::Section& section(std::uint64_t index) {
    return at<elf::Section>(header().sections_offset + index * sizeof(elf::Section));
  }
  /// Returns the section with the link.
  elf::Section& section() {
    const std::uint64_t offset = link().value().offset;
    for (std::uint64_t i = 0; i < header().section_count; ++i) {
      if (section(i).offset == offset && section(i).size >= 8) return section(i);
    }
    throw std::logic_error("no such section");
  }

  Bytes bytes_;
};

TEST_F(DebugLink, ReturnsNameAndOffset) {
  const auto found = link();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->text, "x.debug");
  EXPECT_STREQ(&at<char>(found->offset), "x.debug");
}

TEST_F(DebugLink, IsFoundInTheLastSection) {
  ASSERT_EQ(header().section_names, header().section_count - 1) << "as objcopy orders them";
  elf::Section& found = section();
  std::swap(found, section(header().section_names));
  header().section_names = static_cast<std::uint16_t>(&found - &section(0));
  EXPECT_EQ(link().value().text, "x.debug");
}

TEST_F(DebugLink, IsFoundInTheFirstThousandSections) {
  // Empty sections before the one with the link.
  const elf::Section with_link = section();
  const elf::Section names = section(header().section_names);
  const Bytes good = bytes_;
  const auto is_found_at = [&](std::uint16_t number) {
    bytes_ = good;
    header().sections_offset = (good.size() + 15) / 16 * 16;
    header().section_count = static_cast<std::uint16_t>(number + 1);
    header().section_names = 0;
    bytes_.resize(header().sections_offset + header().section_count * sizeof(elf::Section));
    section(0) = names;
    section(number) = with_link;
    return link().has_value();
  };
  EXPECT_TRUE(is_found_at(1'023));
  EXPECT_FALSE(is_found_at(1'024));
  EXPECT_FALSE(is_found_at(10'240));
}

TEST_F(DebugLink, IsAbsentWithoutSections) {
  const Bytes good = bytes_;
  const auto without = [&](auto damage) {
    bytes_ = good;
    damage(header());
    return !link();
  };
  EXPECT_TRUE(without([](elf::Header& h) { h.sections_offset = 0; }));
  EXPECT_TRUE(without([](elf::Header& h) { h.section_size = 40; }));
  EXPECT_TRUE(without([](elf::Header& h) { h.section_names = h.section_count; }));
  EXPECT_TRUE(without([](elf::Header& h) { h.section_names = 0; }));
  EXPECT_TRUE(without([](elf::Header& h) { h.section_count = h.section_names = 1; }));
  bytes_ = bytes_of(fault("good"));
  EXPECT_FALSE(link());
}

TEST_F(DebugLink, RequiresTheExactSectionName) {
  const elf::Section names = section(header().section_names);
  const std::uint64_t offset = names.offset + section().name;
  ASSERT_STREQ(&at<char>(offset), ".gnu_debuglink");
  const std::uint64_t end = section().name + sizeof ".gnu_debuglink";
  for (const std::uint64_t size : {end, end - 1, std::uint64_t{section().name}, std::uint64_t{0}}) {
    section(header().section_names).size = size;
    EXPECT_EQ(link().has_value(), size == end) << size;
  }
  section(header().section_names).size = ~std::uint64_t{0} - names.offset;
  EXPECT_FALSE(link()) << "names past the end of the file";
  section(header().section_names) = names;
  at<char>(offset + 14) = 's';
  EXPECT_FALSE(link());
  at<char>(offset + 14) = '\0';
  at<char>(offset + 1) = 'G';
  EXPECT_FALSE(link());
}

TEST_F(DebugLink, RefusesNamesWithADirectory) {
  const std::uint64_t offset = link().value().offset;
  for (const std::string_view name : {"a", "...", ".x", "abc"}) {
    std::memcpy(&at<char>(offset), name.data(), name.size() + 1);
    ASSERT_TRUE(link()) << name;
    EXPECT_EQ(link()->text, name);
  }
  for (const std::string_view name : {"", ".", "..", "a/b", "/a"}) {
    std::memcpy(&at<char>(offset), name.data(), name.size() + 1);
    EXPECT_FALSE(link()) << name;
  }
}

TEST_F(DebugLink, RequiresATerminatedName) {
  elf::Section& found = section();
  const std::uint64_t size = found.size;
  found.size = 8;
  EXPECT_EQ(link().value().text, "x.debug");
  found.size = 7;
  EXPECT_FALSE(link());
  found.size = bytes_.size() - found.offset + 1;
  EXPECT_FALSE(link()) << "a section past the end of the file";
  // The longest file name, and a longer one.
  found.size = size;
  for (const std::size_t length : {255, 256}) {
    const std::uint64_t end = bytes_.size();
    bytes_.resize(end + 300);
    section().size = 300;
    section().offset = end;
    std::memset(&at<char>(end), 'a', length);
    EXPECT_EQ(link().has_value(), length == 255) << length;
    if (length == 256) break;
    EXPECT_EQ(link()->text, std::string(255, 'a'));
  }
}

TEST_F(DebugLink, RefusesALinkInALoadedSegment) {
  elf::Section& found = section();
  const auto first = at<elf::Segment>(header().segments_offset + sizeof(elf::Segment) * 0);
  ASSERT_EQ(first.type, elf::segment_load);
  const std::uint64_t end = first.offset + first.file_size;
  const char name[] = "x.debug";
  for (const std::uint64_t offset : {end, end - 1, end - 8, first.offset + 64}) {
    Bytes before = bytes_;
    std::memcpy(&at<char>(offset), name, sizeof name);
    found.offset = offset;
    found.size = 8;
    MemorySource source("x.so", bytes_);
    const auto elf = ElfFile::open(source);
    EXPECT_EQ(elf && elf->debug_link(), offset == end) << offset;
    std::copy(before.begin(), before.end(), bytes_.begin());
  }
}

// Debug information in the directory .debug may have the name of its library.
TEST(DebugLinkOfALibrary, GetsAnotherNameThanTheLibrary) {
  const World world;
  const std::filesystem::path module = world.path("plugins/user.so");
  const std::filesystem::path debug = world.path("lib/.debug/libtests-sibling.so.1");
  const std::filesystem::path library = world.path("lib/libtests-sibling.so.1");
  std::filesystem::copy_file(fault("sibling-user"), module);
  std::filesystem::copy_file(fault("sibling-1"), debug);
  const std::string link = "--add-gnu-debuglink=" + debug.string();
  ASSERT_EQ(world.run({OBJCOPY, link, fault("sibling-1"), library}).exit, 0);
  detail::Bundle bundle = detail::read_bundle(bytes_of(module), module).value();
  const auto names = detail::make_private(bundle, 1).value();
  ASSERT_EQ(names.at(1).size(), 1U);
  ASSERT_TRUE(bundle.at(1).debug);
  EXPECT_TRUE(std::filesystem::equivalent(bundle[1].debug->path, debug));
  EXPECT_NE(bundle[1].debug->link.text, names[1][0]);
  EXPECT_EQ(bundle[1].debug->link.text.size(), names[1][0].size());
}

}}  // namespace tenon::tests
