// SPDX-License-Identifier: BSL-1.0
//
// Calls of plugin functions through their pointers, without a loader. Each call builds its request.
#include <atomic>

#include "calls.hpp"

namespace tenon::bench {
namespace {

/// A jump target, and the enclosing frame.
struct Frame {
  Frame* outer;
  void* mark[5];
};
thread_local Frame* innermost = nullptr;

[[gnu::noinline]] tenon_status check_marked(const bench_counter_v2& counter, tenon_call* call,
                                            const bench_counter_v2_check_request& request) {
  Frame frame;
  frame.outer = innermost;
  innermost = &frame;
  tenon_status status = TENON_CRASHED;
  if (__builtin_setjmp(frame.mark) == 0) status = counter.check(call, nullptr, &request);
  innermost = frame.outer;
  return status;
}

/// Counts the calls and the failures of a thread, for other threads to read.
struct Counts {
  std::atomic<std::uint64_t> calls{0};
  std::atomic<std::uint64_t> failures{0};
};
thread_local Counts counts;

void increment(std::atomic<std::uint64_t>& count) {
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

[[gnu::noinline]] tenon_status check_counted(const bench_counter_v2& counter, tenon_call* call,
                                             const bench_counter_v2_check_request& request) {
  const tenon_status status = counter.check(call, nullptr, &request);
  increment(counts.calls);
  if (status != TENON_OK) increment(counts.failures);
  return status;
}

/// The call of a thread that another thread may cancel.
struct Interruptible {
  std::atomic<Call*> call{nullptr};
  std::atomic<bool> interrupted{false};
};
thread_local Interruptible interruptible;

/// Calls `check(call, request)` repeatedly.
template <class Check>
void check_with(benchmark::State& state, Check check) {
  Call call;
  for (auto _ : state) {
    const bench_counter_v2_check_request request = {sizeof request, 1};
    if (check(call.raw(), request) != TENON_OK) return state.SkipWithError("check failed");
  }
}

/// Calls `next(call, request, response)` repeatedly.
template <class Next>
void next_with(benchmark::State& state, Next next) {
  Call call;
  std::int64_t last = 0;
  for (auto _ : state) {
    call.reset();
    const bench_counter_v2_next_request request = {sizeof request, last};
    const bench_counter_v2_next_response* response = nullptr;
    if (next(call, request, &response) != TENON_OK) return state.SkipWithError("next failed");
    last = response->next;
  }
  benchmark::DoNotOptimize(last);
}

/// Calls `read(stream, call, into, got)` repeatedly.
template <class Read>
void read_with(benchmark::State& state, const bench_flow_v1& flow, Read read) {
  Call opening;
  const bench_flow_v1_open_request request = {sizeof request};
  const bench_flow_v1_open_response* response = nullptr;
  if (flow.open(opening.raw(), nullptr, &request, &response) != TENON_OK) {
    return state.SkipWithError("open failed");
  }
  tenon_reader* stream = response->body;
  Call call;
  std::uint8_t bytes[block];
  for (auto _ : state) {
    call.reset();
    std::size_t got = 0;
    if (read(*stream, call, tenon_buffer{bytes, sizeof bytes}, got) != TENON_OK) {
      return state.SkipWithError("read failed");
    }
    benchmark::DoNotOptimize(got);
  }
  stream->release(stream);
}

}  // namespace

void raw_check(benchmark::State& state, const bench_counter_v2& counter, void* self) {
  check_with(state, [&](tenon_call* call, const bench_counter_v2_check_request& request) {
    return counter.check(call, self, &request);
  });
}

void raw_check(benchmark::State& state, const std::shared_ptr<const bench_counter_v2>& counter) {
  check_with(state, [&](tenon_call* call, const bench_counter_v2_check_request& request) {
    const std::shared_ptr<const bench_counter_v2> held = counter;
    return held->check(call, nullptr, &request);
  });
}

void raw_check_plain(benchmark::State& state, const bench_counter_v2& counter) {
  for (auto _ : state) {
    Call call;
    const bench_counter_v2_check_request request = {sizeof request, 1};
    if (counter.check(call.raw(), nullptr, &request) != TENON_OK) {
      return state.SkipWithError("check failed");
    }
  }
}

void raw_check_marked(benchmark::State& state, const bench_counter_v2& counter) {
  check_with(state, [&](tenon_call* call, const bench_counter_v2_check_request& request) {
    return check_marked(counter, call, request);
  });
}

void raw_check_counted(benchmark::State& state, const bench_counter_v2& counter) {
  check_with(state, [&](tenon_call* call, const bench_counter_v2_check_request& request) {
    return check_counted(counter, call, request);
  });
}

void raw_next(benchmark::State& state, const bench_counter_v2& counter) {
  next_with(state, [&](Call& call, const bench_counter_v2_next_request& request,
                       const bench_counter_v2_next_response** response) {
    return counter.next(call.raw(), nullptr, &request, response);
  });
}

void raw_next_interruptible(benchmark::State& state, const bench_counter_v2& counter) {
  next_with(state, [&](Call& call, const bench_counter_v2_next_request& request,
                       const bench_counter_v2_next_response** response) {
    interruptible.call.store(&call, std::memory_order_release);
    tenon_status status = TENON_ABORTED;
    if (!interruptible.interrupted.load(std::memory_order_acquire)) {
      status = counter.next(call.raw(), nullptr, &request, response);
    }
    interruptible.call.store(nullptr, std::memory_order_release);
    return status;
  });
}

void raw_read(benchmark::State& state, const bench_flow_v1& flow) {
  read_with(state, flow, [](tenon_reader& stream, Call& call, tenon_buffer into, std::size_t& got) {
    return stream.read(call.raw(), &stream, into, &got);
  });
}

void raw_read_alone(benchmark::State& state, const bench_flow_v1& flow) {
  std::atomic<Call*> inside{nullptr};
  read_with(state, flow,
            [&](tenon_reader& stream, Call& call, tenon_buffer into, std::size_t& got) {
              Call* other = nullptr;
              if (!inside.compare_exchange_strong(other, &call)) return TENON_FAILED_PRECONDITION;
              const tenon_status status = stream.read(call.raw(), &stream, into, &got);
              inside.store(nullptr, std::memory_order_release);
              return status;
            });
}

void raw_create_check_destroy(benchmark::State& state, const bench_counter_v2& counter) {
  Call call;
  for (auto _ : state) {
    tenon_create_request creation{};
    creation.struct_size = sizeof creation;
    void* self = nullptr;
    if (counter.base->create(call.raw(), &creation, &self) != TENON_OK) {
      return state.SkipWithError("create failed");
    }
    const bench_counter_v2_check_request request = {sizeof request, 1};
    if (counter.check(call.raw(), self, &request) != TENON_OK) {
      return state.SkipWithError("check failed");
    }
    counter.base->destroy(self);
  }
}

}  // namespace tenon::bench
