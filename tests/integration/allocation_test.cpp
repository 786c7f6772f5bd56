// SPDX-License-Identifier: BSL-1.0
//
// Allocations that fail while an instance is created.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>
#include <test/probe.hpp>

#include "integration/hosting.hpp"

namespace {

constinit thread_local int allocations_left = 0;  // until one fails; 0: none does

}  // namespace

void* operator new(std::size_t size) {
  if (allocations_left > 0 && --allocations_left == 0) throw std::bad_alloc();
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size != 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace tenon::tests {
namespace {

class FailingAllocation : public Hosting {};

TEST_F(FailingAllocation, InCreateLeavesTheModuleAsItWas) {
  place("probe-1.so", "probe.so");
  Host host(options());
  auto kept = host.create<test::Probe>("probe").value();
  int failures = 0;
  for (int n = 1; n < 100; n++) {
    allocations_left = n;
    bool failed = false;
    try {
      static_cast<void>(host.create<test::Probe>("probe"));
    } catch (const std::bad_alloc&) {
      failed = true;
      failures++;
    }
    allocations_left = 0;
    EXPECT_EQ(module(host, probes).instances, 1u) << n;
    ASSERT_TRUE(host.restart(probes)) << n;
    if (!failed) break;
  }
  EXPECT_GT(failures, 3);
  EXPECT_LT(failures, 99) << "in the end it succeeds";
  EXPECT_TRUE(kept->edition());
}

}  // namespace
}  // namespace tenon::tests
