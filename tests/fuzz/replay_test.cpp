// SPDX-License-Identifier: BSL-1.0
//
// Runs the fuzz target over the inputs in the directory $CORPUS.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

TEST(Fuzz, CorpusRunsWithoutAFault) {
  const char* corpus = std::getenv("CORPUS");
  ASSERT_NE(corpus, nullptr) << "set CORPUS to the directory of the inputs";
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(corpus)) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(file.bad());
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++count;
  }
  EXPECT_GE(count, 10U) << "the corpus is missing";
}

}  // namespace
