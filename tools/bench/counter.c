/* SPDX-License-Identifier: BSL-1.0
 *
 * The plugin that is measured, of version COUNTER_VERSION of its kind. */
#if COUNTER_VERSION == 1
#include <bench/counter/v1.h>
typedef bench_counter_v1 counter_table;
typedef bench_counter_v1_add_request add_request;
typedef bench_counter_v1_add_response add_response;
#define COUNTER_BASE BENCH_COUNTER_V1_BASE
#define PLUGINS(P) P(bench_counter, 1, "bench.example/counter", &counter)
#else
#include <bench/counter/v2.h>
typedef bench_counter_v2 counter_table;
typedef bench_counter_v2_add_request add_request;
typedef bench_counter_v2_add_response add_response;
#define COUNTER_BASE BENCH_COUNTER_V2_BASE
#define PLUGINS(P) P(bench_counter, 2, "bench.example/counter", &counter)
#endif

static int64_t sum;

static tenon_status add(tenon_call* call, void* self, const add_request* in,
                        const add_response** out) {
  add_response* response = (add_response*)tenon_allocate(call, sizeof *response);
  (void)self;
  response->struct_size = sizeof *response;
  response->sum = sum += in->value;
  *out = response;
  return TENON_OK;
}

static const counter_table counter = {COUNTER_BASE, .add = add};

TENON_MODULE("bench.example/counter", "1.0.0", PLUGINS);
