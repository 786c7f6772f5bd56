// SPDX-License-Identifier: BSL-1.0
//
// Calls through the generated header and the public API, as hosts write them.
#include "calls.hpp"

namespace tenon::bench {
namespace {

void fail(benchmark::State& state, const Error& error) {
  state.SkipWithError(error.to_string().c_str());
}

template <class K>
void next(benchmark::State& state, Handle<K>& handle) {
  Call call;
  std::int64_t last = 0;
  for (auto _ : state) {
    call.reset();
    auto next = handle->next(call, last);
    if (!next) return fail(state, next.error());
    last = *next;
  }
  benchmark::DoNotOptimize(last);
}

}  // namespace

void call_check(benchmark::State& state, Handle<::bench::Counter>& counter) {
  Call call;
  for (auto _ : state) {
    if (auto checked = counter->check(call, 1); !checked) return fail(state, checked.error());
  }
}

void call_check_plain(benchmark::State& state, Handle<::bench::Counter>& counter) {
  for (auto _ : state) {
    if (auto checked = counter->check(1); !checked) return fail(state, checked.error());
  }
}

void call_next(benchmark::State& state, Handle<::bench::Counter>& counter) {
  next(state, counter);
}

void call_next(benchmark::State& state, Handle<::bench::Flow>& flow) {
  next(state, flow);
}

void call_read(benchmark::State& state, Reader& stream) {
  Call call;
  std::uint8_t bytes[block];
  for (auto _ : state) {
    call.reset();
    if (auto got = stream.read(call, bytes); !got) return fail(state, got.error());
  }
}

void create_check_destroy(benchmark::State& state, Host& host, std::string_view name) {
  Call call;
  for (auto _ : state) {
    auto counter = host.create<::bench::Counter>(name);
    if (!counter) return fail(state, counter.error());
    if (auto checked = (*counter)->check(call, 1); !checked) return fail(state, checked.error());
  }
}

}  // namespace tenon::bench
