/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/echo that does something at a chosen point: $FRAGILE_IN is
 * "constructor", "start", "create" or "say", and $FRAGILE_DOES is "kill" (its process), "exit"
 * (with status 0), "fail" (with the flag fatal) or "hang" (after a line on standard output).
 * Without the variables it does its work. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <test/echo/v1.h>
#include <unistd.h>

#include "framework/test_plugin.h"

static int is_set(const char *variable, const char *value) {
  const char *found = getenv(variable);
  return found != NULL && strcmp(found, value) == 0;
}

/* Returns whether the function should fail. */
static int reach(const char *point) {
  if (!is_set("FRAGILE_IN", point)) return 0;
  if (is_set("FRAGILE_DOES", "kill")) raise(SIGKILL);
  if (is_set("FRAGILE_DOES", "exit")) exit(0);
  if (is_set("FRAGILE_DOES", "hang")) {
    printf("hangs\n");
    fflush(stdout);
    for (;;) pause();
  }
  return 1;
}

__attribute__((constructor)) static void construct(void) {
  reach("constructor");
}

static tenon_status start(tenon_call *call, const tenon_host *host) {
  (void)host;
  return reach("start") ? tenon_fail(call, TENON_INTERNAL, "it does not start") : TENON_OK;
}

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  (void)self;
  return reach("create") ? tenon_fail(call, TENON_INTERNAL, "it is not created") : TENON_OK;
}

static tenon_status say(tenon_call *call, void *self, const test_echo_v1_say_request *in,
                        const test_echo_v1_say_response **out) {
  RESPONSE(test_echo_v1_say_response, response);
  (void)self;
  if (reach("say")) return tenon_fail(call, TENON_INTERNAL | TENON_FATAL, "it is broken");
  response->text = in->text;
  *out = response;
  return TENON_OK;
}

static const tenon_base base = {.struct_size = sizeof base, .create = create};
static const test_echo_v1 table = {TEST_ECHO_V1_BASE, .base = &base, .say = say};

#define PLUGINS(P) P(test_echo, 1, "test.example/fragile", &table)
TENON_MODULE_WITH("test.example/fragile", "1.2.0", start, NULL, PLUGINS,
                  {"summary": "Ends its host", "threads": "joined"});
