// SPDX-License-Identifier: BSL-1.0
//
// Objects larger than the memory that a store may use: with the builtin of version 2, and with the
// example in C, which is adapted from version 1.
#include <tenon/builtins.hpp>
#include <tenon/host.hpp>
#include <tenon/object_store.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

constexpr std::uint64_t mebibyte = 1 << 20;
constexpr std::uint64_t object_size = 256 * mebibyte;
constexpr std::uint64_t most_growth = 32 * mebibyte;

/// Returns eight bytes of the content. They differ at each offset.
std::uint64_t word_at(std::uint64_t offset) {
  return (offset + 1) * 0x9e3779b97f4a7c15;
}

/// Generates the content while it is read; the size is a multiple of eight.
class Generated : public HostReader {
 public:
  explicit Generated(std::uint64_t size) : size_(size) {}
  Result<std::size_t> read(Call&, std::span<std::uint8_t> into) override {
    std::size_t count = 0;
    for (; count + 8 <= into.size() && at_ < size_; count += 8, at_ += 8) {
      const std::uint64_t word = word_at(at_);
      std::memcpy(into.data() + count, &word, sizeof word);
    }
    return count;
  }

 private:
  const std::uint64_t size_;
  std::uint64_t at_ = 0;
};

/// Returns the size of the part of an object that equals the content of Generated.
std::uint64_t count_good(Reader& reader) {
  std::vector<std::uint8_t> piece(mebibyte);
  std::uint64_t at = 0;
  std::size_t held = 0;
  while (const std::size_t count = reader.read(std::span(piece).subspan(held)).value()) {
    held += count;
    const std::size_t whole = held / 8 * 8;
    for (std::size_t i = 0; i < whole; i += 8, at += 8) {
      const std::uint64_t expected = word_at(at);
      if (std::memcmp(&piece[i], &expected, sizeof expected) != 0) return at;
    }
    std::copy(piece.begin() + static_cast<std::ptrdiff_t>(whole),
              piece.begin() + static_cast<std::ptrdiff_t>(held), piece.begin());
    held -= whole;
  }
  return at;
}

std::uint64_t of_status(std::string_view field) {
  std::istringstream lines(read_file("/proc/self/status"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(field)) return std::stoull(line.substr(field.size())) * 1024;
  }
  ADD_FAILURE() << "/proc/self/status has no " << field;
  return 0;
}

/// Measures the growth of the peak memory of the process.
class PeakMemory {
 public:
  PeakMemory() {
    std::ofstream peak("/proc/self/clear_refs");
    peak << 5 << std::flush;  // resets the peak
    EXPECT_TRUE(peak);
    before_ = of_status("VmHWM:");
  }
  std::uint64_t growth() const { return of_status("VmHWM:") - before_; }

 private:
  std::uint64_t before_ = 0;
};

struct Candidate {
  const char* name;
  const char* parameter;
};

class LargeObjects : public testing::TestWithParam<Candidate> {
 protected:
  LargeObjects() {
    world_.place(FLAT_STORE);
    std::filesystem::create_directory(directory());
  }
  std::filesystem::path directory() const { return world_.path("objects"); }

  World world_;
};

TEST_P(LargeObjects, AreCopiedInLittleMemory) {
  Host host({.app = "", .plugin_path = {world_.plugins()}, .builtins = {builtins()}});
  auto store =
      host.create<ObjectStore>(GetParam().name, {{GetParam().parameter, directory().string()}})
          .value();
  ASSERT_TRUE(store->put_object("b", "small", std::make_unique<Generated>(mebibyte)));
  const PeakMemory put;
  ASSERT_TRUE(store->put_object("b", "large", std::make_unique<Generated>(object_size)));
  EXPECT_LT(put.growth(), most_growth);
  const PeakMemory get;
  auto reader = store->get_object("b", "large").value();
  EXPECT_EQ(count_good(reader), object_size);
  EXPECT_LT(get.growth(), most_growth);
}

INSTANTIATE_TEST_SUITE_P(Stores, LargeObjects,
                         testing::Values(Candidate{"tenon.dev/filesystem", "directory"},
                                         Candidate{"example.io/flat-store", "directory"}));

}}  // namespace tenon::tests
