// SPDX-License-Identifier: BSL-1.0
//
// Names of functions that a file does not export. FAULTS is the folder of tests/faults.
#include "manifest/function_at.hpp"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "framework/world.hpp"
#include "manifest/byte_source.hpp"
#include "manifest/elf_format.hpp"

namespace tenon::tests {
namespace {

std::string function_in(const std::string& file, std::uint64_t address) {
  MemorySource source("file", std::as_bytes(std::span(file)));
  return function_at(source, address);
}

/// The first address that a file has a name for.
std::uint64_t some_function(const std::string& file) {
  std::uint64_t address = 0;
  while (address < file.size() && function_in(file, address).empty()) address++;
  return address;
}

class FunctionAt : public testing::Test {
 protected:
  const std::string file_ = read_file(FAULTS "/good.so");
};

TEST_F(FunctionAt, TellsTheDistanceFromTheBeginning) {
  const std::uint64_t begin = some_function(file_);
  const std::string first = function_in(file_, begin);
  ASSERT_NE(first.find("+0x0"), std::string::npos) << first;
  const std::string name = first.substr(0, first.size() - 1);
  EXPECT_EQ(function_in(file_, begin + 1), name + "1");
}

TEST_F(FunctionAt, IsEmptyWhereNoFunctionIs) {
  EXPECT_EQ(function_in(file_, 0), "");
  EXPECT_EQ(function_in(file_, ~std::uint64_t{0}), "");
  EXPECT_EQ(function_in("no file of that format", 0), "");
}

TEST_F(FunctionAt, IsEmptyWhereTheFileWasStripped) {
  const std::string stripped = read_file(FAULTS "/unruly-stripped.so");
  EXPECT_EQ(some_function(stripped), stripped.size());
}

TEST_F(FunctionAt, ReadsNothingPastTheEndOfAFile) {
  const std::uint64_t begin = some_function(file_);
  for (std::size_t size = 0; size < file_.size(); size += 997) {
    const std::string cut = file_.substr(0, size);
    EXPECT_EQ(function_in(cut, begin), "") << "sections stand at the end";
  }
}

TEST_F(FunctionAt, BelievesNoHeader) {
  const std::uint64_t begin = some_function(file_);
  const std::string name = function_in(file_, begin);
  std::size_t empty = 0;
  for (std::size_t byte = 0; byte < sizeof(elf::Header); byte++) {
    std::string wrong = file_;
    wrong[byte] = static_cast<char>(~wrong[byte]);
    const std::string found = function_in(wrong, begin);
    EXPECT_TRUE(found.empty() || found == name) << "byte " << byte << ": " << found;
    empty += found.empty() ? 1 : 0;
  }
  EXPECT_GE(empty, 8u) << "where the sections are, how many, and of which size";
}

}  // namespace
}  // namespace tenon::tests
