/* SPDX-License-Identifier: BSL-1.0
 *
 * The plugin that is measured, of version COUNTER_VERSION of its kind. */
#if COUNTER_VERSION == 1
#include <bench/counter/v1.h>
typedef bench_counter_v1 counter_table;
typedef bench_counter_v1_next_request next_request;
typedef bench_counter_v1_next_response next_response;
#define COUNTER_BASE BENCH_COUNTER_V1_BASE
#define PLUGINS(P) P(bench_counter, 1, "bench.example/counter", &counter)
#else
#include <bench/counter/v2.h>
typedef bench_counter_v2 counter_table;
typedef bench_counter_v2_next_request next_request;
typedef bench_counter_v2_next_response next_response;
#define COUNTER_BASE BENCH_COUNTER_V2_BASE
#define PLUGINS(P) P(bench_counter, 2, "bench.example/counter", &counter)
#endif

static tenon_status next(tenon_call* call, void* self, const next_request* in,
                         const next_response** out) {
  next_response* response = (next_response*)tenon_allocate(call, sizeof *response);
  (void)self;
  response->struct_size = sizeof *response;
  response->next = in->value + 1;
  *out = response;
  return TENON_OK;
}

static const counter_table counter = {COUNTER_BASE, .next = next};

TENON_MODULE("bench.example/counter", "1.0.0", PLUGINS);
