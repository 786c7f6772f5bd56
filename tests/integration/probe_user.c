/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/echo that was compiled for version VERSION of test.example/probe. It
 * returns the edition of the probe that the text names, and in version 2 also its extra. */
#include <stdio.h>
#include <test/probe/v1.h>
#include <test/probe/v2.h>

#include "framework/test_plugin.h"

#define NAME_(version, name) test_probe_v##version##_##name
#define NAME(version, name) NAME_(version, name)
#define T(name) NAME(VERSION, name)
#if VERSION == 1
#define TABLE test_probe_v1
#define FINGERPRINT TEST_PROBE_V1_FINGERPRINT
#else
#define TABLE test_probe_v2
#define FINGERPRINT TEST_PROBE_V2_FINGERPRINT
#endif

static const tenon_host *own_host;

static tenon_status ask(tenon_call *call, const tenon_instance *probe, char *text, size_t size) {
  const TABLE *table = probe->table;
  const T(edition_request) edition_request = {.struct_size = sizeof edition_request};
  const T(edition_response) *edition = NULL;
  tenon_status status = table->edition(call, probe->self, &edition_request, &edition);
  if (status != TENON_OK) return status;
  snprintf(text, size, "edition %d", (int)edition->edition);
#if VERSION >= 2
  const T(extra_request) extra_request = {.struct_size = sizeof extra_request};
  const T(extra_response) *extra = NULL;
  status = table->extra(call, probe->self, &extra_request, &extra);
  if (TENON_CODE(status) == TENON_UNIMPLEMENTED) {
    snprintf(text, size, "edition %d without extra", (int)edition->edition);
    return TENON_OK;
  }
  if (status != TENON_OK) return status;
  snprintf(text, size, "edition %d with %.*s", (int)edition->edition, (int)extra->text.size,
           extra->text.data);
#endif
  return TENON_OK;
}

static tenon_status say(tenon_call *call, void *self, const test_echo_v1_say_request *in,
                        const test_echo_v1_say_response **out) {
  const tenon_plugin_request request = {.struct_size = sizeof request,
                                        .kind = tenon_text("test.example/probe"),
                                        .version = VERSION,
                                        .fingerprint = FINGERPRINT,
                                        .reference = in->text};
  RESPONSE(test_echo_v1_say_response, response);
  char *text = tenon_allocate(call, 100);
  tenon_instance probe;
  tenon_status status = own_host->create(own_host, call, &request, &probe);
  (void)self;
  if (status != TENON_OK) return status;
  status = ask(call, &probe, text, 100);
  own_host->release(own_host, &probe);
  response->text = tenon_text(text);
  *out = response;
  return status;
}

static tenon_status start(tenon_call *call, const tenon_host *host) {
  (void)call;
  own_host = host;
  return TENON_OK;
}

static const test_echo_v1 table = {TEST_ECHO_V1_BASE, .say = say};

#define PLUGINS(P) P(test_echo, 1, "test.example/user", &table)
TENON_MODULE_WITH(
    "test.example/user", "1.0.0", start, NULL, PLUGINS,
    {"summary": "Uses a probe", "threads": "joined", "requires": {"test.example/probes": "*"}});
