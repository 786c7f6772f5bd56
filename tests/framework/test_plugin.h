/* SPDX-License-Identifier: BSL-1.0
 *
 * Functions that plugins in tests share, in C and C++: responses, and calls of plugins of
 * test.example/echo. */
#ifndef TENON_TESTS_TEST_PLUGIN_H
#define TENON_TESTS_TEST_PLUGIN_H

#include <test/echo/v1.h>

/* Declares a zeroed response in the arena of the call. */
#define RESPONSE(type, name)                                      \
  type *name = (type *)tenon_allocate_zeroed(call, sizeof(type)); \
  name->struct_size = sizeof(type)

/* Returns a copy of a text in the arena of the call. */
static inline tenon_string copied(tenon_call *call, const char *text) {
  const size_t size = strlen(text);
  const tenon_string copy = {(const char *)tenon_allocate_copy(call, text, size), size};
  return copy;
}

static inline tenon_plugin_request echo_request(tenon_string reference) {
  const tenon_plugin_request request = {.struct_size = sizeof request,
                                        .kind = tenon_text(TEST_ECHO_V1_KIND),
                                        .version = 1,
                                        .reserved = 0,
                                        .fingerprint = TEST_ECHO_V1_FINGERPRINT,
                                        .reference = reference};
  return request;
}

/* Sends a text to the echo that the test has registered, which may block. `reply` is valid during
 * the call; NULL: not needed. */
static inline tenon_status ask_host_echo(tenon_call *call, const tenon_host *host,
                                         tenon_string text, tenon_string *reply) {
  const tenon_plugin_request wanted = echo_request(tenon_text("builtin:host-echo"));
  const test_echo_v1_say_request request = {.struct_size = sizeof request, .text = text};
  const test_echo_v1_say_response *said = NULL;
  tenon_instance echo;
  tenon_status status = host->create(host, call, &wanted, &echo);
  if (status != TENON_OK) return status;
  status = ((const test_echo_v1 *)echo.table)->say(call, echo.self, &request, &said);
  host->release(host, &echo);
  if (status == TENON_OK && reply != NULL) *reply = said->text;
  return status;
}

#endif
