/* SPDX-License-Identifier: BSL-1.0
 *
 * The measured plugin, of version COUNTER_VERSION of its kind. Each instance has a number. With
 * SAVES_STATE, the number is transferred to the next generation. NAME is the name of the plugin and
 * of its package. */
#include <stdlib.h>

#ifndef NAME
#define NAME "bench.example/counter"
#endif
#if COUNTER_VERSION == 1
#include <bench/counter/v1.h>
typedef bench_counter_v1 counter_table;
typedef bench_counter_v1_check_request check_request;
typedef bench_counter_v1_next_request next_request;
typedef bench_counter_v1_next_response next_response;
#define COUNTER_BASE BENCH_COUNTER_V1_BASE
#define PLUGINS(P) P(bench_counter, 1, NAME, &counter)
#else
#include <bench/counter/v2.h>
typedef bench_counter_v2 counter_table;
typedef bench_counter_v2_check_request check_request;
typedef bench_counter_v2_next_request next_request;
typedef bench_counter_v2_next_response next_response;
#define COUNTER_BASE BENCH_COUNTER_V2_BASE
#define PLUGINS(P) P(bench_counter, 2, NAME, &counter)
#endif

static tenon_status check(tenon_call* call, void* self, const check_request* in) {
  (void)self;
  if (in->value < 0) return tenon_fail(call, TENON_INVALID_ARGUMENT, "below 0");
  return TENON_OK;
}

static tenon_status next(tenon_call* call, void* self, const next_request* in,
                         const next_response** out) {
  next_response* response = (next_response*)tenon_allocate(call, sizeof *response);
  (void)self;
  response->struct_size = sizeof *response;
  response->next = in->value + 1;
  *out = response;
  return TENON_OK;
}

static tenon_status create(tenon_call* call, const tenon_create_request* in, void** self) {
  (void)in;
  *self = calloc(1, sizeof(int64_t));
  return *self != NULL ? TENON_OK : tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
}

static void destroy(void* self) {
  free(self);
}

#ifdef SAVES_STATE
static tenon_status save_state(tenon_call* call, void* self, const tenon_state_request* in,
                               const tenon_state_response** out) {
  tenon_state_response* response =
      (tenon_state_response*)tenon_allocate_zeroed(call, sizeof *response);
  (void)in;
  response->struct_size = sizeof *response;
  response->state.data = tenon_allocate_copy(call, self, sizeof(int64_t));
  response->state.size = sizeof(int64_t);
  *out = response;
  return TENON_OK;
}

static tenon_status restore_state(tenon_call* call, void* self, const tenon_state_request* in) {
  if (in->state.size != sizeof(int64_t)) return tenon_fail(call, TENON_DATA_LOSS, "no number");
  memcpy(self, in->state.data, sizeof(int64_t));
  return TENON_OK;
}
#endif

static const tenon_base base = {
    .struct_size = sizeof base,
    .create = create,
    .destroy = destroy,
#ifdef SAVES_STATE
    .save_state = save_state,
    .restore_state = restore_state,
#endif
};

static const counter_table counter = {COUNTER_BASE, .base = &base, .check = check, .next = next};

#ifdef SAVES_STATE
TENON_MODULE(NAME, "1.0.0", PLUGINS, {"state": {"writes": 1, "reads": [1]}});
#else
TENON_MODULE(NAME, "1.0.0", PLUGINS);
#endif
