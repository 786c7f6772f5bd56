/* SPDX-License-Identifier: BSL-1.0
 *
 * A tape of test.example/tape and a counter of test.example/counter, built with TENON_ABI 0 and 1.
 * Both builds behave the same, and the host treats each according to its version. Instances record
 * the calls of the host ("create configure"). With SAVES they save an empty state. meson.build
 * lists the builds. */
#include <stdio.h>
#include <stdlib.h>
#include <test/counter/v1.h>
#include <test/tape/v1.h>

#include "framework/test_plugin.h"

#define PACKAGE "test.example/abi-" TENON_QUOTE_VALUE_(TENON_ABI)
#define ROOM 128

typedef struct instance {
  char life[ROOM];
} instance;

static void note(void *self, const char *what) {
  instance *noted = self;
  const size_t used = strlen(noted->life);
  snprintf(noted->life + used, ROOM - used, "%s%s", used == 0 ? "" : " ", what);
}

/* -- The base ----------------------------------------------------------------- */

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  *self = calloc(1, sizeof(instance));
  if (*self == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  note(*self, "create");
  return TENON_OK;
}

static void destroy(void *self) {
  free(self);
}

#ifdef SAVES
static tenon_status save_state(tenon_call *call, void *self, const tenon_state_request *in,
                               const tenon_state_response **out) {
  RESPONSE(tenon_state_response, response);
  (void)self;
  (void)in;
  response->state.data = (const uint8_t *)"";
  *out = response;
  return TENON_OK;
}
#endif

static tenon_status restore_state(tenon_call *call, void *self, const tenon_state_request *in) {
  char what[32];
  (void)call;
  snprintf(what, sizeof what, "restore:%d%s", (int)in->version,
           in->state.data == NULL ? ":none" : "");
  note(self, what);
  return TENON_OK;
}

static const tenon_base base = {
    .struct_size = sizeof base,
    .create = create,
    .destroy = destroy,
#ifdef SAVES
    .save_state = save_state,
#endif
    .restore_state = restore_state,
};

/* -- The tape ----------------------------------------------------------------- */

/* A reader that has no data at every other read, starting with the first, and returns out-of-range
 * at its end. A reader of "never" never has data. */
typedef struct halting_reader {
  tenon_reader base;
  int ready;
  size_t at;
  char text[ROOM];
} halting_reader;

static tenon_status read_halting(tenon_call *call, tenon_reader *self, tenon_buffer into,
                                 size_t *got) {
  halting_reader *reader = (halting_reader *)self;
  *got = 0;
  if (strcmp(reader->text, "never") == 0) return TENON_OK;
  reader->ready = !reader->ready;
  if (reader->ready) return TENON_OK;
  if (reader->text[reader->at] == '\0') return tenon_fail(call, TENON_OUT_OF_RANGE, "the end");
  *got = 1;
  into.data[0] = (uint8_t)reader->text[reader->at++];
  return TENON_OK;
}

static void release_halting(tenon_reader *self) {
  free(self);
}

static tenon_status insert(tenon_call *call, void *self, const test_tape_v1_configure_request *in) {
  (void)call;
  (void)in;
  note(self, "configure");
  return TENON_OK;
}

static tenon_status play(tenon_call *call, void *self, const test_tape_v1_play_request *in,
                         const test_tape_v1_play_response **out) {
  RESPONSE(test_tape_v1_play_response, response);
  halting_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  reader->base.struct_size = sizeof reader->base;
  reader->base.read = read_halting;
  reader->base.release = release_halting;
  snprintf(reader->text, ROOM, "%.*s", (int)in->text.size, in->text.data);
  if (strcmp(reader->text, "life") == 0) strcpy(reader->text, ((instance *)self)->life);
  response->body = &reader->base;
  *out = response;
  return TENON_OK;
}

static const test_tape_v1 tape = {TEST_TAPE_V1_BASE, .base = &base, .configure = insert,
                                  .play = play};

/* -- The counter -------------------------------------------------------------- */

#define T(name) test_counter_v1_##name

static tenon_status configure(tenon_call *call, void *self, const T(configure_request) * in) {
  (void)call;
  (void)in;
  note(self, "configure");
  return TENON_OK;
}

static tenon_status add(tenon_call *call, void *self, const T(add_request) * in,
                        const T(add_response) * *out) {
  RESPONSE(T(add_response), response);
  (void)self;
  if (in->number < 0) abort(); /* simulates a crash */
  *out = response;
  return TENON_OK;
}

static tenon_status life(tenon_call *call, void *self, const T(life_request) * in,
                         const T(life_response) * *out) {
  RESPONSE(T(life_response), response);
  (void)in;
  response->life = copied(call, ((instance *)self)->life);
  *out = response;
  return TENON_OK;
}

static const test_counter_v1 counter = {TEST_COUNTER_V1_BASE, .base = &base, .configure = configure,
                                        .add = add, .life = life};

#define PLUGINS(P) \
  P(test_tape, 1, PACKAGE "-tape", &tape) P(test_counter, 1, PACKAGE "-counter", &counter)
TENON_MODULE(PACKAGE, "1.0.0", PLUGINS, {"threads": "joined"});
