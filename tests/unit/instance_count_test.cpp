// SPDX-License-Identifier: BSL-1.0
#include "state/instance_count.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/module_lock.hpp"

namespace tenon::tests { namespace {

using detail::InstanceCount;
using detail::ModuleLock;
using detail::Owner;

TEST(InstanceCounts, RequireTheLockForTheLastInstance) {
  detail::Mutex mutex(detail::LockRank::module);
  InstanceCount count;
  EXPECT_TRUE(count.none());
  count.add(Owner::plugin);
  count.add(Owner::plugin);
  EXPECT_TRUE(count.take_unless_last(Owner::plugin));
  EXPECT_FALSE(count.take_unless_last(Owner::plugin));
  EXPECT_FALSE(count.none());
  const ModuleLock lock(mutex);
  count.take(Owner::plugin);
  EXPECT_TRUE(count.none());
}

TEST(InstanceCounts, RequireTheLockForTheLastInstanceOfTheProgram) {
  detail::Mutex mutex(detail::LockRank::module);
  InstanceCount count;
  for (const Owner owner : {Owner::program, Owner::program, Owner::plugin}) count.add(owner);
  EXPECT_TRUE(count.take_unless_last(Owner::program));
  EXPECT_FALSE(count.take_unless_last(Owner::program)) << "a plugin still has one";
  EXPECT_FALSE(count.none_of_program());
  const ModuleLock lock(mutex);
  count.take(Owner::program);
  EXPECT_TRUE(count.none_of_program());
  EXPECT_FALSE(count.none());
  EXPECT_FALSE(count.take_unless_last(Owner::plugin));
}

TEST(InstanceCounts, ReachZeroOnlyUnderTheLock) {
  InstanceCount count;
  detail::Mutex mutex(detail::LockRank::module);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) {
        count.add(Owner::program);
        if (count.none() || count.none_of_program()) ++wrong;
        if (count.take_unless_last(Owner::program)) continue;
        const ModuleLock lock(mutex);
        if (count.none()) ++wrong;
        count.take(Owner::program);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(count.none());
  EXPECT_TRUE(count.none_of_program());
}

}}  // namespace tenon::tests
