// SPDX-License-Identifier: BSL-1.0
#include <llvm/Support/CommandLine.h>

#include <cstdint>

static llvm::cl::opt<int> step("tests-step", llvm::cl::init(1), llvm::cl::desc("what is added"));

extern "C" std::int64_t tests_sum(std::int64_t n) {
  return step * n * (n + 1) / 2;
}
