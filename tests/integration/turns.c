/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin whose methods may be called only in certain states or on certain threads. It lacks the
 * optional methods. */
#include <stdatomic.h>
#include <stdbool.h>
#include <test/turns/v1.h>

static atomic_bool waiting;

static tenon_status begin(tenon_call *call, void *self, const test_turns_v1_begin_request *in) {
  (void)self;
  return in->fail ? tenon_fail(call, TENON_INTERNAL, "as it was told") : TENON_OK;
}

static tenon_status wait(tenon_call *call, void *self, const test_turns_v1_wait_request *in) {
  (void)self;
  (void)in;
  atomic_store(&waiting, true);
  call->functions->wait(call, -1);
  atomic_store(&waiting, false);
  return TENON_OK;
}

static tenon_status waits(tenon_call *call, void *self, const test_turns_v1_waits_request *in,
                          const test_turns_v1_waits_response **out) {
  test_turns_v1_waits_response *made =
      (test_turns_v1_waits_response *)tenon_allocate_zeroed(call, sizeof *made);
  (void)self;
  (void)in;
  made->struct_size = sizeof *made;
  made->waits = atomic_load(&waiting);
  *out = made;
  return TENON_OK;
}

static tenon_status show(tenon_call *call, void *self, const test_turns_v1_show_request *in) {
  (void)call;
  (void)self;
  (void)in;
  return TENON_OK;
}

static tenon_status take(tenon_call *call, void *self, const test_turns_v1_take_request *in) {
  (void)call;
  (void)self;
  (void)in;
  return TENON_OK;
}

static const test_turns_v1 turns = {
    TEST_TURNS_V1_BASE, .begin = begin, .wait = wait, .waits = waits, .show = show, .take = take,
};

#define PLUGINS(P) P(test_turns, 1, "test.example/turns", &turns)
TENON_MODULE("test.example/turns", "1.0.0", PLUGINS, {"summary": "Has rules for its callers"});
