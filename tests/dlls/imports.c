/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin that imports functions of other DLLs by name, by number, and delayed until the first
 * call. */
#include "framework/test_plugin.h"

__declspec(dllimport) int tests_by_name(void);
__declspec(dllimport) int tests_by_number(void);
__declspec(dllimport) int tests_later(void);

/* Called by the code of delayed imports. */
void *__delayLoadHelper2(const void *import, void **address);
void *__delayLoadHelper2(const void *import, void **address) {
  (void)import;
  return *address;
}

static tenon_status say(tenon_call *call, void *self, const test_echo_v1_say_request *in,
                        const test_echo_v1_say_response **out) {
  (void)call, (void)self, (void)in, (void)out;
  return tests_by_name() + tests_by_number() + tests_later();
}

static const test_echo_v1 echo = {TEST_ECHO_V1_BASE, .say = say};
#define PLUGINS(P) P(test_echo, 1, "test.example/imports", &echo)
TENON_MODULE("test.example/imports", "1.0.0", PLUGINS, {"summary": "Imports functions"});
