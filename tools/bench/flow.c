/* SPDX-License-Identifier: BSL-1.0
 *
 * The plugin with the measured blocking method and stream. */
#include <bench/flow/v1.h>

static tenon_status next(tenon_call* call, void* self, const bench_flow_v1_next_request* in,
                         const bench_flow_v1_next_response** out) {
  bench_flow_v1_next_response* response =
      (bench_flow_v1_next_response*)tenon_allocate(call, sizeof *response);
  (void)self;
  response->struct_size = sizeof *response;
  response->next = in->value + 1;
  *out = response;
  return TENON_OK;
}

static tenon_status fill(tenon_call* call, tenon_reader* self, tenon_buffer into, size_t* got) {
  (void)call;
  (void)self;
  *got = into.size;
  return TENON_OK;
}

static void release(tenon_reader* self) {
  (void)self;
}

/* A stream without an end and without state, so all callers share it. */
static tenon_reader endless = {sizeof endless, fill, release};

static tenon_status begin(tenon_call* call, void* self, const bench_flow_v1_open_request* in,
                          const bench_flow_v1_open_response** out) {
  bench_flow_v1_open_response* response =
      (bench_flow_v1_open_response*)tenon_allocate(call, sizeof *response);
  (void)self;
  (void)in;
  response->struct_size = sizeof *response;
  response->body = &endless;
  *out = response;
  return TENON_OK;
}

static const bench_flow_v1 flow = {BENCH_FLOW_V1_BASE, .next = next, .open = begin};

#define PLUGINS(P) P(bench_flow, 1, "bench.example/flow", &flow)
TENON_MODULE("bench.example/flow", "1.0.0", PLUGINS);
