// SPDX-License-Identifier: BSL-1.0
//
// The calls that are measured, as programs write them. They stand in translation units of their
// own, and what they call is made in another one, so that the compiler sees no more than it does
// there.
#pragma once

#include <bench/counter/v2.h>
#include <bench/flow/v1.h>
#include <benchmark/benchmark.h>
#include <bench/counter.hpp>
#include <bench/flow.hpp>
#include <tenon/host.hpp>
#include <tenon/stream.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

namespace tenon::bench {

/// How much of a stream is read at once.
inline constexpr std::size_t block = 4096;

/// Through handles. Without a response: a Call is reused, or each call makes its own.
void call_check(benchmark::State& state, Handle<::bench::Counter>& counter);
void call_check_plain(benchmark::State& state, Handle<::bench::Counter>& counter);
/// With a response. The Call is reset before each call, because that is how its arena is used.
void call_next(benchmark::State& state, Handle<::bench::Counter>& counter);
void call_next(benchmark::State& state, Handle<::bench::Flow>& flow);
void call_read(benchmark::State& state, Reader& stream);
/// Creates an instance, calls it once and destroys it.
void create_check_destroy(benchmark::State& state, Host& host, std::string_view name);

/// The same functions of a plugin by their pointers.
void raw_check(benchmark::State& state, const bench_counter_v2& counter, void* self = nullptr);
void raw_check(benchmark::State& state, const std::shared_ptr<const bench_counter_v2>& counter);
/// Makes a Call for each call.
void raw_check_plain(benchmark::State& state, const bench_counter_v2& counter);
/// Sets a mark before each call, to which a signal handler could return.
void raw_check_marked(benchmark::State& state, const bench_counter_v2& counter);
void raw_next(benchmark::State& state, const bench_counter_v2& counter);
void raw_read(benchmark::State& state, const bench_flow_v1& flow);
/// Refuses a second call that is in the stream at the same time.
void raw_read_alone(benchmark::State& state, const bench_flow_v1& flow);
void raw_create_check_destroy(benchmark::State& state, const bench_counter_v2& counter);

}  // namespace tenon::bench
