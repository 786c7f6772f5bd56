/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/probe. EDITION is the number of the build, VERSION the version of the
 * kind. A FAULT_ macro adds a fault. meson.build lists the builds. */
#include <stdlib.h>
#include <test/probe/v1.h>
#include <test/probe/v2.h>

#include "framework/test_plugin.h"

#ifndef EDITION
#define EDITION 1
#endif
#ifndef VERSION
#define VERSION 1
#endif
#ifndef PACKAGE
#define PACKAGE "test.example/probes"
#endif
#ifndef REQUIRES
#define REQUIRES null
#endif
#ifndef PLUGIN
#define PLUGIN "test.example/probe"
#endif

/* The names of version VERSION. The methods of both versions are the same. */
#define NAME_(version, name) test_probe_v##version##_##name
#define NAME(version, name) NAME_(version, name)
#define T(name) NAME(VERSION, name)
#if VERSION == 1
#define TABLE test_probe_v1
#define BASE TEST_PROBE_V1_BASE
#else
#define TABLE test_probe_v2
#define BASE TEST_PROBE_V2_BASE
#endif

typedef struct probe {
  const tenon_host *host;
  char word[64];
} probe;

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
#ifdef FAULT_CREATE
  (void)in;
  (void)self;
  return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no room for a probe");
#else
  probe *made = calloc(1, sizeof *made);
  if (made == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  made->host = in->host;
  *self = made;
  return TENON_OK;
#endif
}

static void destroy(void *self) {
  free(self);
}

static const tenon_base base = {.struct_size = sizeof base, .create = create, .destroy = destroy};

#ifndef NO_CONFIGURE
static tenon_status configure(tenon_call *call, void *self, const T(configure_request) * in) {
  probe *p = self;
  tenon_string word = tenon_get(in->config, "word");
#ifdef FAULT_CONFIGURE
  return tenon_fail(call, TENON_INVALID_ARGUMENT, "not in this edition");
#endif
  if (word.size >= sizeof p->word) return tenon_fail(call, TENON_INVALID_ARGUMENT, "long word");
  memset(p->word, 0, sizeof p->word);
  if (word.size != 0) memcpy(p->word, word.data, word.size);
  return TENON_OK;
}
#endif

static tenon_status edition(tenon_call *call, void *self, const T(edition_request) * in,
                            const T(edition_response) * *out) {
  RESPONSE(T(edition_response), response);
  (void)self;
  (void)in;
  response->edition = EDITION;
  *out = response;
  return TENON_OK;
}

static tenon_status word(tenon_call *call, void *self, const T(word_request) * in,
                         const T(word_response) * *out) {
  RESPONSE(T(word_response), response);
  const probe *p = self;
  (void)in;
  response->word = copied(call, p->word);
  *out = response;
  return TENON_OK;
}

static tenon_status fill(tenon_call *call, void *self, const T(fill_request) * in,
                         const T(fill_response) * *out) {
  RESPONSE(T(fill_response), response);
  (void)self;
  response->data.data = memset(tenon_allocate(call, (size_t)in->size), EDITION, (size_t)in->size);
  response->data.size = (size_t)in->size;
  *out = response;
  return TENON_OK;
}

static tenon_status pause(tenon_call *call, void *self, const T(pause_request) * in,
                          const T(pause_response) * *out) {
  RESPONSE(T(pause_response), response);
  const tenon_host *host = ((probe *)self)->host;
  tenon_call *waiting = call;
  if (in->in_child) {
    tenon_status status = host->call_begin(host, call, &waiting);
    if (status != TENON_OK) return status;
  }
  response->reason = waiting->functions->wait(waiting, in->time);
  if (waiting != call) host->call_end(host, waiting);
  *out = response;
  return TENON_OK;
}

static tenon_status refuse(tenon_call *call, void *self, const T(refuse_request) * in) {
  (void)self;
  call->functions->fail(call, in->status, in->message);
  return in->status;
}

static tenon_status names(tenon_call *call, void *self, const T(names_request) * in,
                          const T(names_response) * *out) {
  RESPONSE(T(names_response), response);
  const tenon_host *host = ((probe *)self)->host;
  const tenon_plugin_request request = echo_request(tenon_text(NULL));
  const tenon_plugins_response *found = NULL;
  tenon_status status = host->plugins(host, call, &request, &found);
  (void)in;
  if (status != TENON_OK) return status;
  response->names = found->names;
  *out = response;
  return TENON_OK;
}

/* Says the text in its own call, so that the response has to be copied. */
static tenon_status say(tenon_call *call, const tenon_host *host, const tenon_instance *echo,
                        tenon_string text, tenon_string *response) {
  const test_echo_v1 *table = echo->table;
  const test_echo_v1_say_request request = {.struct_size = sizeof request, .text = text};
  const test_echo_v1_say_response *said = NULL;
  tenon_call *child = NULL;
  tenon_status status = host->call_begin(host, call, &child);
  if (status != TENON_OK) return status;
  status = table->say(child, echo->self, &request, &said);
  if (status == TENON_OK) {
    response->data = tenon_allocate_copy(call, said->text.data, said->text.size);
    response->size = said->text.size;
  }
  host->call_end(host, child);
  return status;
}

static tenon_status ask(tenon_call *call, void *self, const T(ask_request) * in,
                        const T(ask_response) * *out) {
  RESPONSE(T(ask_response), response);
  const tenon_host *host = ((probe *)self)->host;
  const tenon_plugin_request request = echo_request(in->reference);
  tenon_instance echo;
  tenon_status status = host->create(host, call, &request, &echo);
  if (status != TENON_OK) return status;
  status = say(call, host, &echo, in->text, &response->answer);
  host->release(host, &echo);
  if (status != TENON_OK) return tenon_fail(call, status, "the other plugin failed");
  *out = response;
  return TENON_OK;
}

static tenon_status keep(tenon_call *call, void *self, const T(keep_request) * in) {
  const tenon_host *host = ((probe *)self)->host;
  const tenon_plugin_request request = echo_request(in->reference);
  tenon_instance forgotten;
  return host->create(host, call, &request, &forgotten);
}

#if VERSION >= 2
static tenon_status extra(tenon_call *call, void *self, const T(extra_request) * in,
                          const T(extra_response) * *out) {
  RESPONSE(T(extra_response), response);
  (void)self;
  (void)in;
  response->text = copied(call, "extra");
  *out = response;
  return TENON_OK;
}
#endif

static const TABLE table = {
    BASE,
    .base = &base,
    .edition = edition,
    .word = word,
    .fill = fill,
    .pause = pause,
    .refuse = refuse,
    .names = names,
    .ask = ask,
    .keep = keep,
#ifndef NO_CONFIGURE
    .configure = configure,
#endif
#if VERSION >= 2
    .extra = extra,
#endif
};

static const tenon_host *own_host;

static tenon_status start(tenon_call *call, const tenon_host *host) {
  (void)call;
  own_host = host;
  return TENON_OK;
}

static void stop(void) {
#ifdef SAYS_WHEN_IT_STOPS
  const tenon_plugin_request request = echo_request(tenon_text("builtin:host-echo"));
  tenon_call *call;
  tenon_instance echo;
  tenon_string response;
  if (own_host->call_begin(own_host, NULL, &call) != TENON_OK) return;
  if (own_host->create(own_host, call, &request, &echo) == TENON_OK) {
    say(call, own_host, &echo, tenon_text("stopped"), &response);
    own_host->release(own_host, &echo);
  }
  own_host->call_end(own_host, call);
#endif
}

#define DECLARE(P, version) P(test_probe, version, PLUGIN, &table)
#define PLUGINS(P) DECLARE(P, VERSION)
TENON_MODULE_WITH(PACKAGE, TENON_QUOTE_VALUE_(EDITION) ".0.0", start, stop, PLUGINS,
                  {"summary": "Shows what happens", "threads": "joined", "requires": REQUIRES});
