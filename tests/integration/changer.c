/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/session_counter that changes the state of its thread, or the signal
 * handlers of the process. The environment variable CHANGER names a function and a change, eg:
 * "start mask". With CHANGER_FAILS restore_state fails. A function that is called in a changed
 * state appends its name to the file "changed" in the directory for temporary files. */
#include <fenv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <test/session_counter/v1.h>

#include "framework/test_plugin.h"

static int has_stack(void) {
  stack_t stack;
  return sigaltstack(NULL, &stack) == 0 && (stack.ss_flags & SS_DISABLE) == 0 &&
         stack.ss_size == (size_t)3 * 65536;
}

static int blocks_signal(void) {
  sigset_t mask;
  sigemptyset(&mask);
  sigprocmask(SIG_BLOCK, NULL, &mask);
  return sigismember(&mask, SIGUSR1);
}

static void note_changed_state(const char *function) {
  char path[4096];
  FILE *file;
  if (fegetround() == FE_TONEAREST && !blocks_signal() && !has_stack()) return;
  snprintf(path, sizeof path, "%s/changed", getenv("TMPDIR"));
  file = fopen(path, "a");
  if (file == NULL) abort();
  fprintf(file, "%s\n", function);
  fclose(file);
}

static void handle(int signal) {
  (void)signal;
}

static tenon_status enter(const char *function) {
  static char stack[3 * 65536];
  const char *wanted = getenv("CHANGER");
  const size_t length = strlen(function);
  const char *change;
  note_changed_state(function);
  if (wanted == NULL || strncmp(wanted, function, length) != 0 || wanted[length] != ' ') {
    return TENON_OK;
  }
  change = wanted + length + 1;
  if (strcmp(change, "float") == 0) fesetround(FE_UPWARD);
  if (strcmp(change, "mask") == 0) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);
  }
  if (strcmp(change, "stack") == 0) {
    const stack_t own = {.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
    sigaltstack(&own, NULL);
  }
  if (strcmp(change, "handler") == 0) signal(SIGUSR2, handle);
  if (strcmp(change, "ignore") == 0) signal(SIGUSR2, SIG_IGN);
  return TENON_OK;
}

__attribute__((constructor)) static void construct(void) {
  enter("loading");
}

__attribute__((destructor)) static void destruct(void) {
  enter("unloading");
}

static tenon_status start(tenon_call *call, const tenon_host *host) {
  (void)call;
  (void)host;
  return enter("start");
}

static void stop(void) {
  enter("stop");
}

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)call;
  (void)in;
  *self = NULL;
  return enter("create");
}

static void destroy(void *self) {
  (void)self;
  enter("destroy");
}

static tenon_status save_state(tenon_call *call, void *self, const tenon_state_request *in,
                               const tenon_state_response **out) {
  RESPONSE(tenon_state_response, response);
  (void)self;
  (void)in;
  response->state.data = (const uint8_t *)"1";
  response->state.size = 1;
  *out = response;
  return enter("save_state");
}

static tenon_status restore_state(tenon_call *call, void *self, const tenon_state_request *in) {
  (void)self;
  (void)in;
  if (getenv("CHANGER_FAILS") != NULL) {
    return tenon_fail(call, TENON_UNAVAILABLE, "not today");
  }
  return enter("restore_state");
}

static tenon_status suspend(tenon_call *call, void *self) {
  (void)call;
  (void)self;
  return enter("suspend");
}

static tenon_status resume(tenon_call *call, void *self) {
  (void)call;
  (void)self;
  return enter("resume");
}

static tenon_status configure(tenon_call *call, void *self,
                              const test_session_counter_v1_configure_request *in) {
  (void)call;
  (void)self;
  (void)in;
  return enter("configure");
}

static tenon_status add(tenon_call *call, void *self, const test_session_counter_v1_add_request *in,
                        const test_session_counter_v1_add_response **out) {
  RESPONSE(test_session_counter_v1_add_response, response);
  (void)self;
  response->total = in->number;
  *out = response;
  return TENON_OK;
}

static const tenon_base base = {.struct_size = sizeof base,
                                .create = create,
                                .destroy = destroy,
                                .save_state = save_state,
                                .restore_state = restore_state,
                                .suspend = suspend,
                                .resume = resume};

static const test_session_counter_v1 table = {
    TEST_SESSION_COUNTER_V1_BASE,
    .base = &base,
    .configure = configure,
    .add = add,
};

#define PLUGINS(P) P(test_session_counter, 1, "test.example/changer", &table)
TENON_MODULE_WITH("test.example/changer", "1.0.0", start, stop, PLUGINS,
                  {"summary": "Changes its host", "state": {"writes": 1, "reads": [1]}});
