// SPDX-License-Identifier: BSL-1.0
//
// The measured calls, written as in programs. The callees are created in another translation unit,
// so that the compiler knows no more about them than in a program.
#pragma once

#include <tenon/host.hpp>
#include <tenon/stream.hpp>

#include <bench/counter.hpp>
#include <bench/counter/v2.h>
#include <bench/flow.hpp>
#include <bench/flow/v1.h>
#include <benchmark/benchmark.h>

#include <cstddef>
#include <memory>
#include <string_view>

namespace tenon::bench {

/// In bytes, the size of one read of a stream.
inline constexpr std::size_t block = 4096;

/// Calls through handles, without a response. `call_check` reuses a Call, `call_check_plain`
/// creates one for each call.
void call_check(benchmark::State& state, Handle<::bench::Counter>& counter);
void call_check_plain(benchmark::State& state, Handle<::bench::Counter>& counter);
/// Calls with a response. The Call is reset before each call, which reuses its arena.
void call_next(benchmark::State& state, Handle<::bench::Counter>& counter);
void call_next(benchmark::State& state, Handle<::bench::Flow>& flow);
void call_read(benchmark::State& state, Reader& stream);
/// Creates an instance, calls it once and destroys it.
void create_check_destroy(benchmark::State& state, Host& host, std::string_view name);

/// Calls of the same functions through their pointers.
void raw_check(benchmark::State& state, const bench_counter_v2& counter, void* self = nullptr);
void raw_check(benchmark::State& state, const std::shared_ptr<const bench_counter_v2>& counter);
/// Creates a Call for each call.
void raw_check_plain(benchmark::State& state, const bench_counter_v2& counter);
/// Sets a jump target before each call, to which a signal handler could return.
void raw_check_marked(benchmark::State& state, const bench_counter_v2& counter);
/// Counts the calls of the thread.
void raw_check_counted(benchmark::State& state, const bench_counter_v2& counter);
void raw_next(benchmark::State& state, const bench_counter_v2& counter);
/// Stores each call where another thread could cancel it.
void raw_next_interruptible(benchmark::State& state, const bench_counter_v2& counter);
void raw_read(benchmark::State& state, const bench_flow_v1& flow);
/// Rejects concurrent calls of one stream.
void raw_read_alone(benchmark::State& state, const bench_flow_v1& flow);
void raw_create_check_destroy(benchmark::State& state, const bench_counter_v2& counter);

}  // namespace tenon::bench
