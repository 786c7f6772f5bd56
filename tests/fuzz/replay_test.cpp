// SPDX-License-Identifier: BSL-1.0
//
// Runs the fuzz target over the inputs that are kept. CORPUS is their folder.
#include "platform/file.hpp"

#include <gtest/gtest.h>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

TEST(Fuzz, KeptInputsStayHarmless) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(CORPUS)) {
    SCOPED_TRACE(entry.path());
    const auto input = tenon::platform::File::open(entry.path()).value().read_all(1 << 24).value();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
    ++count;
  }
  EXPECT_GE(count, 10U) << "the corpus is missing";
}

}  // namespace
