/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/echo that forwards its text to another one: "second>third>hello" is sent
 * to the plugin second as "third>hello". NAME is its name and that of its package, REQUIRES its
 * requirements, NEEDS a plugin that it creates in start and keeps. */

#include "framework/test_plugin.h"

#define PACKAGE "test.example/" NAME

static const tenon_host *own_host;

static tenon_status create_echo(tenon_call *call, tenon_string reference, tenon_instance *echo) {
  const tenon_plugin_request request = echo_request(reference);
  return own_host->create(own_host, call, &request, echo);
}

/* Uses its own call if the message is not needed. */
static tenon_status pass_on(tenon_call *call, const tenon_instance *echo, tenon_string text,
                            test_echo_v1_say_response *response) {
  const test_echo_v1_say_request request = {.struct_size = sizeof request, .text = text};
  const test_echo_v1_say_response *said = NULL;
  tenon_call *own = call;
  tenon_status status;
#ifdef OWN_WORDS
  status = own_host->call_begin(own_host, call, &own);
  if (status != TENON_OK) return status;
#endif
  status = ((const test_echo_v1 *)echo->table)->say(own, echo->self, &request, &said);
  if (status == TENON_OK) {
    response->text.data = tenon_allocate_copy(call, said->text.data, said->text.size);
    response->text.size = said->text.size;
  }
#ifdef OWN_WORDS
  own_host->call_end(own_host, own);
  if (status != TENON_OK) return tenon_fail(call, TENON_INTERNAL, NAME " cannot go on");
#endif
  return status;
}

static tenon_status say(tenon_call *call, void *self, const test_echo_v1_say_request *in,
                        const test_echo_v1_say_response **out) {
  RESPONSE(test_echo_v1_say_response, response);
  const char *end = in->text.size != 0 ? memchr(in->text.data, '>', in->text.size) : NULL;
  (void)self;
  *out = response;
  if (end != NULL) {
    const size_t size = (size_t)(end - in->text.data);
    const tenon_string reference = {in->text.data, size};
    const tenon_string rest = {end + 1, in->text.size - size - 1};
    tenon_instance next;
    tenon_status status = create_echo(call, reference, &next);
    if (status != TENON_OK) return status;
    status = pass_on(call, &next, rest, response);
    own_host->release(own_host, &next);
    return status;
  }
  if (in->text.size == 4 && memcmp(in->text.data, "fail", 4) == 0) {
    return tenon_fail(call, TENON_DATA_LOSS, "no ink");
  }
  response->text.data = NAME;
  response->text.size = sizeof NAME - 1;
  return TENON_OK;
}

static const test_echo_v1 table = {TEST_ECHO_V1_BASE, .say = say};

static tenon_status start(tenon_call *call, const tenon_host *host) {
  own_host = host;
#ifdef NEEDS
  tenon_instance kept;
  return create_echo(call, tenon_text(NEEDS), &kept);
#else
  (void)call;
  return TENON_OK;
#endif
}

#define PLUGINS(P) P(test_echo, 1, PACKAGE, &table)
TENON_MODULE_WITH(PACKAGE, "1.0.0", start, NULL, PLUGINS,
                  {"summary": "Passes on what is said", "threads": "joined", "requires": REQUIRES});
