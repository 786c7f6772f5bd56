/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of test.example/stream: counts up to the limit and waits there. If the limit is -1, it
 * crashes; if it is -2, it reports a fatal failure. EDITION is the number of the build. A FAULT_
 * macro adds a fault. meson.build lists the builds. */
#include <stdlib.h>
#include <test/stream/v1.h>

#include "framework/test_plugin.h"

#ifndef EDITION
#define EDITION 1
#endif

typedef struct stream {
  const tenon_host *host;
  int64_t last;
  int64_t limit;
} stream;

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  stream *made = calloc(1, sizeof *made);
  if (made == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  made->host = in->host;
  *self = made;
  return TENON_OK;
}

static void destroy(void *self) {
  free(self);
}

static const tenon_base base = {.struct_size = sizeof base, .create = create, .destroy = destroy};

static tenon_status configure(tenon_call *call, void *self,
                              const test_stream_v1_configure_request *in) {
  tenon_string limit = tenon_get(in->config, "limit");
  char digits[24] = "";
#ifdef FAULT_CONFIGURE
  return tenon_fail(call, TENON_INVALID_ARGUMENT, "not in this edition");
#endif
  if (limit.size >= sizeof digits) return tenon_fail(call, TENON_INVALID_ARGUMENT, "long limit");
  if (limit.size != 0) memcpy(digits, limit.data, limit.size);
  ((stream *)self)->limit = atoll(digits);
  return TENON_OK;
}

static tenon_status begin(tenon_call *call, void *self, const test_stream_v1_open_request *in) {
  (void)call;
  ((stream *)self)->last = in->after;
  return TENON_OK;
}

static tenon_status next(tenon_call *call, void *self, const test_stream_v1_next_request *in,
                         const test_stream_v1_next_response **out) {
  RESPONSE(test_stream_v1_next_response, response);
  stream *s = self;
  (void)in;
  if (s->limit == -1) abort();
  if (s->limit == -2) return tenon_fail(call, TENON_INTERNAL | TENON_FATAL, "the pump is stuck");
  if (s->last >= s->limit) {
    call->functions->wait(call, -1);
    return tenon_fail(call, TENON_CANCELLED, "there was no next number");
  }
  response->number = ++s->last;
  *out = response;
  return TENON_OK;
}

static tenon_status call_back(tenon_call *call, void *self,
                              const test_stream_v1_call_back_request *in,
                              const test_stream_v1_call_back_response **out) {
  RESPONSE(test_stream_v1_call_back_response, response);
  *out = response;
  return ask_host_echo(call, ((stream *)self)->host, in->text, &response->answer);
}

static tenon_status edition(tenon_call *call, void *self, const test_stream_v1_edition_request *in,
                            const test_stream_v1_edition_response **out) {
  RESPONSE(test_stream_v1_edition_response, response);
  (void)self;
  (void)in;
  response->edition = EDITION;
  *out = response;
  return TENON_OK;
}

static const test_stream_v1 table = {
    TEST_STREAM_V1_BASE, .base = &base,          .configure = configure, .open = begin,
    .next = next,        .call_back = call_back, .edition = edition,
};

#define PLUGINS(P) P(test_stream, 1, "test.example/stream", &table)
TENON_MODULE("test.example/streams", TENON_QUOTE_VALUE_(EDITION) ".0.0", PLUGINS,
             {"summary": "Counts", "threads": "joined"});
