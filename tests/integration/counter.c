/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/counter, or with SESSION of test.example/session_counter, that
 * transfers its total to the next generation. EDITION is the number of the build, and by default
 * the major number of PACKAGE_VERSION. STATE_WRITES and STATE_READS (a list for the manifest) are
 * the versions of the state that it writes and reads; NO_STATE: none. A FAULT_ macro adds a fault.
 * meson.build lists the builds.
 *
 * With ASKS each function except for the methods first sends EDITION:FUNCTION to the echo of the
 * host and follows its reply: "": continue; "fail": fail; "crash": crash; "own": create an instance
 * of this plugin as its client, which must be of the same build; "own configured": configure it,
 * too; "drop": release it.
 *
 * State 1 is the total, state 2 the total and the number of adds; both in decimal. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <test/progress/v1.h>
#include <time.h>

#include "framework/test_plugin.h"

#ifndef EDITION
#define EDITION 1
#endif
#ifndef PACKAGE_VERSION
#define PACKAGE_VERSION TENON_QUOTE_VALUE_(EDITION) ".0.0"
#endif
#ifndef STATE_WRITES
#define STATE_WRITES 1
#endif
#ifndef STATE_READS
#define STATE_READS [1]
#endif

#ifdef SESSION
#include <test/session_counter/v1.h>
#define T(name) test_session_counter_v1_##name
#define TABLE test_session_counter_v1
#define BASE TEST_SESSION_COUNTER_V1_BASE
#define PACKAGE "test.example/session-counters"
#define OWN_KIND TEST_SESSION_COUNTER_V1_KIND
#define OWN_FINGERPRINT TEST_SESSION_COUNTER_V1_FINGERPRINT
#define OWN_NAME "test.example/session-counter"
#define DECLARE(P) P(test_session_counter, 1, "test.example/session-counter", &table)
#else
#include <test/counter/v1.h>
#define T(name) test_counter_v1_##name
#define TABLE test_counter_v1
#define BASE TEST_COUNTER_V1_BASE
#define PACKAGE "test.example/counters"
#define OWN_KIND TEST_COUNTER_V1_KIND
#define OWN_FINGERPRINT TEST_COUNTER_V1_FINGERPRINT
#define OWN_NAME "test.example/counter"
#define DECLARE(P) P(test_counter, 1, "test.example/counter", &table)
#endif

typedef struct counter {
  const tenon_host *host;
  tenon_instance own; /* with ASKS */
  _Atomic int64_t total;
  _Atomic int64_t adds;
  char life[256];
} counter;

/* Not thread-safe: call it only while no other call is active. */
static void note(counter *c, const char *what) {
  size_t used = strlen(c->life);
  snprintf(c->life + used, sizeof c->life - used, "%s%s", used == 0 ? "" : " ", what);
}

#ifdef ASKS
static const tenon_host *asked_host;
static tenon_instance own_of_module; /* of functions without an object */

static tenon_status create_own(tenon_call *call, tenon_instance *own, bool configured) {
  const tenon_plugin_request wanted = {.struct_size = sizeof wanted,
                                       .kind = tenon_text(OWN_KIND),
                                       .version = 1,
                                       .fingerprint = OWN_FINGERPRINT,
                                       .reference = tenon_text(OWN_NAME)};
  const T(configure_request) config = {.struct_size = sizeof config};
  const T(edition_request) request = {.struct_size = sizeof request};
  const T(edition_response) *said = NULL;
  tenon_status status = asked_host->create(asked_host, call, &wanted, own);
  if (status != TENON_OK) return status;
  if (configured) status = ((const TABLE *)own->table)->configure(call, own->self, &config);
  if (status != TENON_OK) return status;
  status = ((const TABLE *)own->table)->edition(call, own->self, &request, &said);
  if (status != TENON_OK || said->edition == EDITION) return status;
  return tenon_fail(call, TENON_INTERNAL, "its own instance is of another build");
}

static tenon_status obey(tenon_call *call, counter *c, tenon_string word) {
  if (word.size == 0) return TENON_OK;
  if (memcmp(word.data, "own", 3) == 0) {
    return create_own(call, c != NULL ? &c->own : &own_of_module, word.size > 3);
  }
  if (memcmp(word.data, "crash", 4) == 0) *(volatile int *)NULL = 0;
  if (c != NULL && c->own.table != NULL && memcmp(word.data, "drop", 4) == 0) {
    asked_host->release(asked_host, &c->own);
    return TENON_OK;
  }
  return tenon_fail(call, TENON_INTERNAL, "it was told to fail");
}

static tenon_status ask(tenon_call *call, counter *c, const char *function) {
  char text[64];
  tenon_string reply;
  snprintf(text, sizeof text, "%d:%s", EDITION, function);
  const tenon_status status = ask_host_echo(call, asked_host, tenon_text(text), &reply);
  return status == TENON_OK ? obey(call, c, reply) : status;
}

/* The same for functions without a call. */
static void ask_alone(const char *function) {
  tenon_call *call;
  if (asked_host->call_begin(asked_host, NULL, &call) != TENON_OK) return;
  ask(call, NULL, function);
  asked_host->call_end(asked_host, call);
}
#define ASK(c, function)                              \
  do {                                                \
    const tenon_status told = ask(call, c, function); \
    if (told != TENON_OK) return told;                \
  } while (0)
#define ASK_ALONE(function) ask_alone(function)
#else
#define ASK(c, function) ((void)0)
#define ASK_ALONE(function) ((void)0)
#endif

/* -- Life --------------------------------------------------------------------- */

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
#ifdef FAULT_CREATE
  (void)in;
  (void)self;
  return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no room for a counter");
#else
  ASK(NULL, "create");
  counter *made = calloc(1, sizeof *made);
  if (made == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  made->host = in->host;
  note(made, "create");
  *self = made;
  return TENON_OK;
#endif
}

static void destroy(void *self) {
  ASK_ALONE("destroy");
#ifdef ASKS
  counter *c = self;
  if (c->own.table != NULL) asked_host->release(asked_host, &c->own);
#endif
  free(self);
}

static tenon_status configure(tenon_call *call, void *self, const T(configure_request) * in) {
  ASK(self, "configure");
  tenon_string first = tenon_get(in->config, "first");
  char digits[24] = "";
  if (first.size >= sizeof digits) return tenon_fail(call, TENON_INVALID_ARGUMENT, "a long number");
  if (first.size != 0) memcpy(digits, first.data, first.size);
  ((counter *)self)->total = atoll(digits);
  note(self, "configure");
  return TENON_OK;
}

#ifndef NO_STATE
static tenon_status save_state(tenon_call *call, void *self, const tenon_state_request *in,
                               const tenon_state_response **out) {
  RESPONSE(tenon_state_response, response);
  counter *c = self;
  char text[64] = "";
  ASK(c, "save_state");
#ifdef FAULT_SAVE
  return tenon_fail(call, TENON_INTERNAL, "the state cannot be saved");
#endif
#ifdef FAULT_SAVE_WAITS
  call->functions->wait(call, -1);
#endif
#ifdef FAULT_SAVE_SLEEPS /* in milliseconds, regardless of cancellation */
  const struct timespec time = {FAULT_SAVE_SLEEPS / 1000, FAULT_SAVE_SLEEPS % 1000 * 1000000L};
  nanosleep(&time, NULL);
#endif
#ifdef FAULT_SAVE_WAITS
  return tenon_fail(call, TENON_DEADLINE_EXCEEDED, "saving takes too long");
#endif
  if (in->version < 1 || in->version > STATE_WRITES) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "nobody knows that version of the state");
  }
  snprintf(text, sizeof text, in->version == 1 ? "%" PRId64 : "%" PRId64 " %" PRId64, c->total,
           c->adds);
  note(c, "save");
  response->state.size = strlen(text);
  response->state.data = tenon_allocate_copy(call, text, response->state.size);
#ifdef FAULT_NULL_STATE
  response->state.data = NULL;
#endif
#ifdef FAULT_DOCUMENT /* its address */
  response->state.size = sizeof(test_progress_v1);
  response->state.data = FAULT_DOCUMENT;
#endif
  *out = response;
  return TENON_OK;
}

static tenon_status restore_state(tenon_call *call, void *self, const tenon_state_request *in) {
  counter *c = self;
  int64_t total = 0;
  int64_t adds = 0;
  char text[64] = "";
  ASK(c, "restore_state");
#ifdef FAULT_RESTORE
  return tenon_fail(call, TENON_DATA_LOSS, "the state cannot be restored");
#endif
  if (in->state.size >= sizeof text) return tenon_fail(call, TENON_DATA_LOSS, "a long state");
  memcpy(text, in->state.data, in->state.size);
  if (in->version < 1 || in->version > STATE_WRITES ||
      sscanf(text, "%" SCNd64 " %" SCNd64, &total, &adds) != in->version) {
    return tenon_fail(call, TENON_DATA_LOSS, "this is no state");
  }
  c->total = total;
  c->adds = adds;
  snprintf(text, sizeof text, "restore:%" PRId32, in->version);
  note(c, text);
  return TENON_OK;
}
#endif

#ifdef SESSION
static tenon_status suspend(tenon_call *call, void *self) {
  ASK(self, "suspend");
  note(self, "suspend");
#ifdef FAULT_SUSPEND
  return tenon_fail(call, TENON_INTERNAL, "it does not let go");
#endif
  (void)call;
  return TENON_OK;
}

static tenon_status resume(tenon_call *call, void *self) {
  ASK(self, "resume");
  (void)call;
  note(self, "resume");
  return TENON_OK;
}
#endif

static const tenon_base base = {
    .struct_size = sizeof base,
    .create = create,
    .destroy = destroy,
#ifndef NO_STATE
    .save_state = save_state,
    .restore_state = restore_state,
#endif
#ifdef SESSION
    .suspend = suspend,
    .resume = resume,
#endif
};

/* -- Methods ------------------------------------------------------------------ */

#ifdef SESSION
static tenon_status begin(tenon_call *call, void *self, const T(open_request) * in) {
  (void)call;
  (void)self;
  (void)in;
  return TENON_OK;
}
#endif

static tenon_status add(tenon_call *call, void *self, const T(add_request) * in,
                        const T(add_response) * *out) {
  RESPONSE(T(add_response), response);
  counter *c = self;
#ifdef FAULT_ADD
  return tenon_fail(call, TENON_INTERNAL | TENON_FATAL, "this edition cannot add");
#endif
  atomic_fetch_add(&c->adds, 1);
  response->total = atomic_fetch_add(&c->total, in->number) + in->number;
  *out = response;
  return TENON_OK;
}

static tenon_status total(tenon_call *call, void *self, const T(total_request) * in,
                          const T(total_response) * *out) {
  RESPONSE(T(total_response), response);
  counter *c = self;
  (void)in;
  response->total = c->total;
  response->adds = c->adds;
  *out = response;
  return TENON_OK;
}

static tenon_status block(tenon_call *call, void *self, const T(block_request) * in,
                          const T(block_response) * *out) {
  RESPONSE(T(block_response), response);
  (void)self;
  (void)in;
  response->reason = call->functions->wait(call, -1);
  *out = response;
  return TENON_OK;
}

static tenon_status call_back(tenon_call *call, void *self, const T(call_back_request) * in,
                              const T(call_back_response) * *out) {
  RESPONSE(T(call_back_response), response);
  *out = response;
  return ask_host_echo(call, ((counter *)self)->host, in->text, &response->answer);
}

static tenon_status refuse(tenon_call *call, void *self, const T(refuse_request) * in) {
  (void)self;
  call->functions->fail(call, in->status, in->message);
  return in->status;
}

static tenon_status edition(tenon_call *call, void *self, const T(edition_request) * in,
                            const T(edition_response) * *out) {
  RESPONSE(T(edition_response), response);
  (void)self;
  (void)in;
  response->edition = EDITION;
  *out = response;
  return TENON_OK;
}

static tenon_status life(tenon_call *call, void *self, const T(life_request) * in,
                         const T(life_response) * *out) {
  RESPONSE(T(life_response), response);
  (void)in;
  response->life = copied(call, ((counter *)self)->life);
  *out = response;
  return TENON_OK;
}

static const TABLE table = {
    BASE,
    .base = &base,
    .configure = configure,
#ifdef SESSION
    .open = begin,
#endif
    .add = add,
    .total = total,
    .block = block,
    .call_back = call_back,
    .refuse = refuse,
    .edition = edition,
    .life = life,
};

static tenon_status start(tenon_call *call, const tenon_host *host) {
#ifdef ASKS
  asked_host = host;
#endif
  (void)host;
  ASK(NULL, "start");
#ifdef FAULT_START
  return tenon_fail(call, TENON_UNAVAILABLE, "not today");
#endif
  (void)call;
  return TENON_OK;
}

#ifdef ASKS
static void stop(void) {
  ASK_ALONE("stop");
}
#define STOP stop
#else
#define STOP NULL
#endif

#ifdef NO_STATE
#define STATE
#else
#define STATE                                                 \
  , "state" : {                                               \
    STATE_TYPE "writes" : STATE_WRITES, "reads" : STATE_READS \
  }
#endif
#ifdef FAULT_DOCUMENT
#define STATE_TYPE "type" : "test.example/progress",
#else
#define STATE_TYPE
#endif
#define PLUGINS(P) DECLARE(P)
TENON_MODULE_WITH(PACKAGE, PACKAGE_VERSION, start, STOP, PLUGINS,
                  {"summary": "Counts", "threads": "joined" STATE});
