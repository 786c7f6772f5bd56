// SPDX-License-Identifier: BSL-1.0
#include <tenon/call.hpp>
#include <tenon/detail/nested_call.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "call/call_children.hpp"

namespace tenon::tests { namespace {

using detail::ChildCall;
using detail::NestedCall;
using namespace std::chrono_literals;

/// Counts how often a call allocates memory from the host.
class CountsBlocks {
 public:
  explicit CountsBlocks(Call& call) : own_(*call.raw()->functions) {
    forward_ = own_.allocate;
    own_.allocate = [](tenon_call* raw, std::size_t size) {
      ++count_;
      return forward_(raw, size);
    };
    call.raw()->functions = &own_;
    count_ = 0;
  }
  int count() const { return count_; }

 private:
  tenon_call_functions own_;
  static inline void* (*forward_)(tenon_call*, std::size_t);
  static inline int count_ = 0;
};

bool is_readable(std::intptr_t handle) {
  pollfd wanted{static_cast<int>(handle), POLLIN, 0};
  return poll(&wanted, 1, 0) == 1;
}

std::intptr_t handle_of(Call& call) {
  return call.raw()->functions->wait_handle(call.raw());
}

std::int32_t wait_on(Call& call, std::chrono::nanoseconds time) {
  return call.raw()->functions->wait(call.raw(), time.count());
}

TEST(Call, KeepsTheLastFailureUntilReset) {
  Call call;
  const auto said = [&] {
    const tenon_string text = call.raw()->functions->message(call.raw());
    return std::string(text.data != nullptr ? std::string_view(text.data, text.size) : "nothing");
  };
  EXPECT_EQ(said(), "nothing");
  EXPECT_EQ(tenon_fail(call.raw(), TENON_ABORTED, "first"), TENON_ABORTED);
  tenon_fail(call.raw(), TENON_NOT_FOUND, "second");
  EXPECT_EQ(said(), "second");
  call.reset();
  EXPECT_EQ(said(), "nothing");
}

TEST(Call, AllocatesAlignedDisjointMemory) {
  Call call;
  std::vector<std::uint8_t*> blocks;
  for (const std::size_t size : {1u, 15u, 16u, 17u, 500u, 5000u, 1u, 100000u, 0u}) {
    auto* block = static_cast<std::uint8_t*>(tenon_allocate(call.raw(), size));
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0u) << size;
    std::memset(block, static_cast<int>(blocks.size()), size);
    blocks.push_back(block);
  }
  EXPECT_EQ(blocks[4][499], 4);
  EXPECT_EQ(blocks[5][4999], 5);
  EXPECT_EQ(blocks[7][99999], 7);
}

TEST(Call, ReusesItsMemory) {
  Call call;
  const CountsBlocks blocks(call);
  const auto use = [&] {
    for (int i = 0; i < 100; ++i) tenon_allocate(call.raw(), 777);
    call.reset();
  };
  use();
  EXPECT_GT(blocks.count(), 0);
  use();
  const int warm = blocks.count();
  for (int i = 0; i < 50; ++i) use();
  EXPECT_EQ(blocks.count(), warm);
}

TEST(Call, AllocatesSmallResponsesInline) {
  Call call;
  const CountsBlocks blocks(call);
  tenon_allocate(call.raw(), 256);
  tenon_allocate(call.raw(), 256);
  EXPECT_EQ(blocks.count(), 0);
}

TEST(Call, KeepsTheLastMessageUntilReset) {
  Call call;
  tenon_fail(call.raw(), TENON_INTERNAL, "first");
  EXPECT_EQ(tenon_fail(call.raw(), TENON_NOT_FOUND, "second"), TENON_NOT_FOUND);
  EXPECT_EQ(call.message(), "second");
  call.reset();
  EXPECT_EQ(call.message(), "");
}

TEST(Call, ReturnsItsDeadline) {
  Call call;
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  call.set_timeout(1h);
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  call.set_timeout(-1ns);
  EXPECT_EQ(call.cancel_reason(), CancelReason::deadline);
  call.reset();
  EXPECT_EQ(call.cancel_reason(), CancelReason::deadline) << "a reset keeps the deadline";
}

TEST(Call, HasNoDeadlineAfterTheLongestTimeout) {
  Call call;
  call.set_timeout(std::chrono::nanoseconds::max());
  EXPECT_EQ(call.raw()->deadline, INT64_MAX);
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  call.set_timeout(std::chrono::nanoseconds::min());
  EXPECT_EQ(call.cancel_reason(), CancelReason::deadline);
}

TEST(Call, WaitsAtMostUntilItsDeadline) {
  Call call;
  EXPECT_EQ(wait_on(call, 1ms), TENON_NOT_CANCELLED);
  call.set_timeout(5ms);
  EXPECT_EQ(wait_on(call, 1h), TENON_CANCELLED_BY_DEADLINE);
  call.set_deadline(std::chrono::steady_clock::time_point::min());
  EXPECT_EQ(wait_on(call, 1h), TENON_CANCELLED_BY_DEADLINE);
}

TEST(Call, KeepsTheFirstCancelReasonUntilReset) {
  Call call;
  call.cancel(CancelReason::restart);
  call.cancel();
  EXPECT_EQ(call.cancel_reason(), CancelReason::restart);
  EXPECT_EQ(wait_on(call, 1h), TENON_CANCELLED_BY_RESTART);
  call.reset();
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  EXPECT_EQ(wait_on(call, 0ns), TENON_NOT_CANCELLED);
  EXPECT_FALSE(is_readable(handle_of(call)));
}

TEST(Call, WakesAWaitingThreadWhenCancelled) {
  Call call;
  std::int32_t reason = TENON_NOT_CANCELLED;
  std::thread waiting([&] { reason = wait_on(call, -1ns); });
  call.cancel();
  waiting.join();
  EXPECT_EQ(reason, TENON_CANCELLED_BY_CALLER);
}

TEST(Call, WakesAThreadThatPollsItsHandle) {
  Call call;
  const std::intptr_t handle = handle_of(call);
  EXPECT_EQ(handle_of(call), handle) << "one handle per call";
  EXPECT_FALSE(is_readable(handle));
  std::thread([&] { call.cancel(); }).join();
  EXPECT_TRUE(is_readable(handle));
}

TEST(Call, KeepsItsHandleAcrossReset) {
  Call call;
  const std::intptr_t handle = handle_of(call);
  call.cancel();
  call.reset();
  EXPECT_EQ(handle_of(call), handle) << "a late signal would reach another file";
  EXPECT_FALSE(is_readable(handle));
  call.cancel();
  EXPECT_TRUE(is_readable(handle));
}

TEST(Call, ReturnsAReadableHandleIfAlreadyCancelled) {
  Call call;
  call.cancel();
  EXPECT_TRUE(is_readable(handle_of(call)));
}

/// Runs `body` in a forked child and returns whether it returns true. An alarm ends a child that
/// blocks.
template <class Body>
bool holds_in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status == 0;
}

TEST(Call, IsNotWokenByAForkedChild) {
  Call call;
  NestedCall part(call);
  const std::intptr_t handles[] = {handle_of(call), handle_of(part)};
  EXPECT_TRUE(holds_in_child([&] {
    call.cancel();
    return wait_on(part, 1min) == TENON_CANCELLED_BY_CALLER && is_readable(handle_of(call)) &&
           is_readable(handle_of(part));
  }));
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
  for (const std::intptr_t handle : handles) EXPECT_FALSE(is_readable(handle));
}

TEST(Call, IsWokenWhileAForkedChildWaits) {
  Call call;
  const std::intptr_t handle = handle_of(call);
  int cancelled[2];
  ASSERT_EQ(pipe(cancelled), 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    close(cancelled[1]);
    char none;
    const bool good = read(cancelled[0], &none, 1) == 0 && !is_readable(handle_of(call)) &&
                      wait_on(call, 1ms) == TENON_NOT_CANCELLED;
    _exit(good ? 0 : 1);
  }
  call.cancel();
  close(cancelled[0]);
  close(cancelled[1]);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(is_readable(handle));
}

TEST(Call, ClosesInheritedHandles) {
  auto call = std::make_unique<Call>();
  const std::intptr_t handle = handle_of(*call);
  EXPECT_TRUE(holds_in_child([&] {
    const std::intptr_t own = handle_of(*call);
    call = nullptr;
    return own >= 0 && fcntl(static_cast<int>(handle), F_GETFD) < 0 &&
           fcntl(static_cast<int>(own), F_GETFD) < 0;
  }));
}

TEST(ChildCall, InheritsDeadlineAndCancellation) {
  Call parent;
  parent.set_timeout(1h);
  ChildCall child(&parent);
  EXPECT_EQ(child.raw()->deadline, parent.raw()->deadline);
  EXPECT_EQ(child.cancel_reason(), CancelReason::none);
  parent.cancel(CancelReason::restart);
  EXPECT_EQ(child.cancel_reason(), CancelReason::restart);
  EXPECT_EQ(ChildCall(&parent).cancel_reason(), CancelReason::restart) << "cancelled at creation";
}

TEST(ChildCall, IsWokenByAnyAncestor) {
  Call parent;
  ChildCall child(&parent);
  ChildCall grandchild(&child);
  std::int32_t reason = TENON_NOT_CANCELLED;
  std::thread waiting([&] { reason = wait_on(grandchild, 1min); });
  parent.cancel();
  waiting.join();
  EXPECT_EQ(reason, TENON_CANCELLED_BY_CALLER);
}

TEST(ChildCall, DoesNotCancelItsParent) {
  Call parent;
  {
    ChildCall child(&parent);
    child.cancel();
    tenon_fail(child.raw(), TENON_INTERNAL, "the child's");
  }
  EXPECT_EQ(parent.cancel_reason(), CancelReason::none);
  EXPECT_EQ(parent.message(), "");
}

// Each child records failures on its thread while the parent creates errors of its own.
TEST(ChildCall, TransfersItsFailuresAcrossThreads) {
  for (int round = 0; round < 200; ++round) {
    Call parent;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (int j = 0; j < 20; ++j) {
          ChildCall child(&parent);
          child.add_failed_inside(UINT32_MAX, "a failure that is too long to need no memory");
        }
      });
    }
    for (int j = 0; j < 20; ++j) {
      parent.add_failed_inside(1, "the parent's");
      EXPECT_NE(parent.failed_inside(0), "");
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_NE(parent.failed_inside(0), "");
    parent.reset();
    EXPECT_EQ(parent.failed_inside(0), "");
  }
}

TEST(ChildCall, MayOutliveItsParent) {
  auto parent = std::make_unique<Call>();
  ChildCall child(parent.get());
  parent = nullptr;
  EXPECT_EQ(child.cancel_reason(), CancelReason::none);
  child.add_failed_inside(UINT32_MAX, "nobody is left to hear it");
}

TEST(ChildCall, OfANestedCallIsCancelledWithEitherParent) {
  Call whole;
  NestedCall part(whole);
  ChildCall of_whole(&whole);
  ChildCall of_part(&part);
  part.cancel(CancelReason::restart);
  EXPECT_EQ(of_part.cancel_reason(), CancelReason::restart);
  EXPECT_EQ(of_whole.cancel_reason(), CancelReason::none);
  whole.cancel();
  EXPECT_EQ(of_whole.cancel_reason(), CancelReason::caller);
}

TEST(ChildCall, OutlivesANestedCallUnderItsParent) {
  Call whole;
  auto part = std::make_unique<NestedCall>(whole);
  ChildCall child(part.get());
  {
    ChildCall failed(part.get());
    failed.add_failed_inside(UINT32_MAX, "no ink");
  }
  part = nullptr;
  EXPECT_EQ(whole.failed_inside(0), "no ink");
  whole.cancel();
  EXPECT_EQ(child.cancel_reason(), CancelReason::caller);
}

TEST(ChildCall, IsCancelledWithAParentThatAForkedChildInherited) {
  auto parent = std::make_unique<Call>();
  ChildCall(parent.get()).cancel();
  EXPECT_TRUE(holds_in_child([&] {
    ChildCall child(parent.get());
    parent->cancel();
    const bool cancelled = child.cancel_reason() == CancelReason::caller;
    parent = nullptr;
    return cancelled;
  }));
}

TEST(ChildCall, NeverWaitsForLocksOfParentThreadsInAForkedChild) {
  auto parent = std::make_unique<Call>();
  std::atomic<bool> over{false};
  std::thread other([&] {
    while (!over) {
      ChildCall child(parent.get());
      handle_of(*parent);
    }
  });
  bool good = true;
  for (int i = 0; i < 200 && good; ++i) {
    good = holds_in_child([&] {
      { ChildCall inner(parent.get()); }
      parent->cancel();
      const bool woken = wait_on(*parent, 1min) == TENON_CANCELLED_BY_CALLER;
      parent = nullptr;
      return woken;
    });
  }
  EXPECT_TRUE(good);
  over = true;
  other.join();
}

TEST(NestedCall, IsCancelledWithItsParent) {
  Call whole;
  NestedCall part(whole);
  NestedCall innermost(static_cast<Call&>(part));
  std::int32_t reason = TENON_NOT_CANCELLED;
  std::thread cancelling([&] { whole.cancel(); });
  reason = wait_on(innermost, 1min);
  cancelling.join();
  EXPECT_EQ(reason, TENON_CANCELLED_BY_CALLER);
}

TEST(NestedCall, DoesNotCancelItsParent) {
  Call whole;
  {
    NestedCall part(whole);
    part.cancel(CancelReason::restart);
    EXPECT_EQ(wait_on(part, 1min), TENON_CANCELLED_BY_RESTART);
    EXPECT_EQ(whole.cancel_reason(), CancelReason::none);
    EXPECT_FALSE(is_readable(handle_of(whole)));
  }
  EXPECT_EQ(whole.cancel_reason(), CancelReason::none);
  EXPECT_FALSE(is_readable(handle_of(whole)));
}

TEST(NestedCall, StaysCancelledWhileAnotherThreadWaitsForItsParent) {
  Call whole;
  NestedCall part(whole);
  NestedCall innermost(static_cast<Call&>(part));
  const std::intptr_t polled[] = {handle_of(part), handle_of(innermost)};
  part.cancel(CancelReason::restart);
  std::thread([&] { EXPECT_EQ(wait_on(whole, 1ms), TENON_NOT_CANCELLED); }).join();
  for (const std::intptr_t handle : polled) EXPECT_TRUE(is_readable(handle));
}

TEST(NestedCall, WakesAllThreadsThatWaitForAPart) {
  Call whole;
  NestedCall part(whole);
  NestedCall innermost(static_cast<Call&>(part));
  std::vector<std::thread> inside;
  for (Call* call : {static_cast<Call*>(&part), static_cast<Call*>(&innermost)}) {
    for (int i = 0; i < 2; ++i) {
      inside.emplace_back([=] { EXPECT_EQ(wait_on(*call, 1min), TENON_CANCELLED_BY_RESTART); });
    }
  }
  std::thread outside([&] { EXPECT_EQ(wait_on(whole, 1min), TENON_CANCELLED_BY_CALLER); });
  part.cancel(CancelReason::restart);
  for (std::thread& thread : inside) thread.join();
  whole.cancel();
  outside.join();
}

TEST(NestedCall, MayEndWhileItsParentIsCancelled) {
  for (int round = 0; round < 200; ++round) {
    Call whole;
    std::thread cancelling([&] { whole.cancel(); });
    {
      NestedCall part(whole);
      NestedCall innermost(static_cast<Call&>(part));
      handle_of(innermost);
    }
    cancelling.join();
    EXPECT_TRUE(is_readable(handle_of(whole)));
  }
}

TEST(NestedCall, ResetsOnlyItself) {
  Call whole;
  tenon_fail(whole.raw(), TENON_ABORTED, "outside");
  NestedCall part(whole);
  tenon_fail(part.raw(), TENON_NOT_FOUND, "inside");
  part.cancel();
  {
    ChildCall child(&part);
    child.add_failed_inside(UINT32_MAX, "no ink");
  }
  const void* const result = tenon_allocate_copy(part.raw(), "result", 6);
  part.reset();
  EXPECT_EQ(part.cancel_reason(), CancelReason::none);
  EXPECT_EQ(part.message(), "outside");
  EXPECT_EQ(part.failed_inside(0), "");
  EXPECT_FALSE(is_readable(handle_of(part)));
  std::memset(tenon_allocate(part.raw(), 64), 'X', 64);
  EXPECT_EQ(std::memcmp(result, "result", 6), 0);
  EXPECT_TRUE(whole.gave(tenon_allocate(part.raw(), 16), 16)) << "valid as long as the whole call";
}

TEST(ChildCall, WithoutAParentIsIndependent) {
  ChildCall call(nullptr);
  EXPECT_EQ(call.raw()->deadline, INT64_MAX);
  EXPECT_EQ(call.cancel_reason(), CancelReason::none);
}

}}  // namespace tenon::tests
