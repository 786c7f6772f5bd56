/* SPDX-License-Identifier: BSL-1.0
 *
 * Plugins that pass streams: a vault of test.example/vault version 1 and a tape of
 * test.example/tape. EDITION is the number of the build, and the prefix of each value that is read.
 * With STATEFUL, the value survives restarts.
 * meson.build lists the builds. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <test/stream/v1.h>
#include <test/tape/v1.h>
#include <test/vault/v1.h>

#include "framework/test_plugin.h"

#ifndef EDITION
#define EDITION 1
#endif
#define ROOM 128

typedef struct vault {
  const tenon_host *host;
  atomic_int *live; /* the counter of live streams in the test; NULL: none */
  char text[ROOM];  /* the only value, for every key */
  tenon_reader *kept;
  tenon_instance other;
} vault;

/* -- Streams ------------------------------------------------------------------ */

typedef struct text_reader {
  tenon_reader base;
  const tenon_host *host;
  atomic_int *live;
  size_t at;
  char text[ROOM];
} text_reader;

static tenon_status ask_host(tenon_call *call, const tenon_host *host) {
  return ask_host_echo(call, host, tenon_text("read"), NULL);
}

static tenon_status read_text(tenon_call *call, tenon_reader *self, tenon_buffer into,
                              size_t *got) {
  text_reader *reader = (text_reader *)self;
  size_t left = strlen(reader->text) - reader->at;
  if (strcmp(reader->text, "forever") == 0) {
    call->functions->wait(call, -1);
    return tenon_fail(call, TENON_CANCELLED, "woken");
  }
  if (strcmp(reader->text, "asks") == 0) {
    ask_host(call, reader->host);
    return tenon_fail(call, TENON_FATAL | TENON_INTERNAL, "asked for nothing");
  }
  if (strcmp(reader->text, "waits") == 0) ask_host(call, reader->host);
  if (strcmp(reader->text, "fatal") == 0) {
    return tenon_fail(call, TENON_FATAL | TENON_INTERNAL, "out of order");
  }
  *got = left < into.size ? left : into.size;
  memcpy(into.data, reader->text + reader->at, *got);
  reader->at += *got;
  return TENON_OK;
}

static atomic_int releases;

static void release_reader(tenon_reader *self) {
  text_reader *reader = (text_reader *)self;
  ++releases;
  if (reader->live != NULL) --*reader->live;
  free(reader);
}

static text_reader *new_reader(const vault *v, tenon_string text) {
  text_reader *reader = calloc(1, sizeof *reader);
  if (reader == NULL) abort();
  reader->base.struct_size = sizeof reader->base;
  reader->base.read = read_text;
  reader->base.release = release_reader;
  reader->host = v->host;
  reader->live = v->live;
  memcpy(reader->text, text.data, text.size < ROOM ? text.size : ROOM - 1);
  if (reader->live != NULL) ++*reader->live;
  return reader;
}

typedef struct text_writer {
  tenon_writer base;
  vault *to;
  size_t size;
  char text[ROOM];
} text_writer;

static tenon_status write_text(tenon_call *call, tenon_writer *self, tenon_bytes from) {
  text_writer *writer = (text_writer *)self;
  if (from.size >= ROOM - writer->size) return tenon_fail(call, TENON_OUT_OF_RANGE, "too long");
  memcpy(writer->text + writer->size, from.data, from.size);
  writer->size += from.size;
  return TENON_OK;
}

static tenon_status commit_text(tenon_call *call, tenon_writer *self) {
  text_writer *writer = (text_writer *)self;
  (void)call;
  memcpy(writer->to->text, writer->text, ROOM);
  return TENON_OK;
}

static void release_writer(tenon_writer *self) {
  text_writer *writer = (text_writer *)self;
  if (writer->to->live != NULL) --*writer->to->live;
  free(writer);
}

/* Reads a whole stream into a text. */
static tenon_status drain(tenon_call *call, tenon_reader *from, char *text) {
  size_t size = 0;
  for (;;) {
    size_t got = 0;
    const tenon_buffer into = {(uint8_t *)text + size, ROOM - 1 - size};
    const tenon_status status = from->read(call, from, into, &got);
    if (status != TENON_OK) return status;
    size += got;
    if (got == 0 || size == ROOM - 1) break;
  }
  text[size] = '\0';
  return TENON_OK;
}

/* -- Life cycle --------------------------------------------------------------- */

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  vault *made = calloc(1, sizeof *made);
  if (made == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  made->host = in->host;
  *self = made;
  return TENON_OK;
}

static void destroy(void *self) {
  vault *v = self;
  if (v->kept != NULL) v->kept->release(v->kept);
  if (v->other.table != NULL) v->host->release(v->host, &v->other);
  memset(v, 0xff, sizeof *v); /* a later use crashes */
  free(v);
}

#ifdef STATEFUL
static tenon_status save_state(tenon_call *call, void *self, const tenon_state_request *in,
                               const tenon_state_response **out) {
  RESPONSE(tenon_state_response, response);
  const vault *v = self;
  (void)in;
  response->state.size = ROOM;
  response->state.data = tenon_allocate_copy(call, v->text, ROOM);
  *out = response;
  return TENON_OK;
}

static tenon_status restore_state(tenon_call *call, void *self, const tenon_state_request *in) {
  if (in->state.size != ROOM) return tenon_fail(call, TENON_DATA_LOSS, "this is no state");
  memcpy(((vault *)self)->text, in->state.data, ROOM);
  return TENON_OK;
}
#endif

static const tenon_base base = {
    .struct_size = sizeof base,
    .create = create,
    .destroy = destroy,
#ifdef STATEFUL
    .save_state = save_state,
    .restore_state = restore_state,
#endif
};

static tenon_status take_settings(vault *v, tenon_map config) {
  const tenon_string live = tenon_get(config, "live");
  char digits[24] = "";
  if (live.size != 0 && live.size < sizeof digits) memcpy(digits, live.data, live.size);
  v->live = (atomic_int *)(uintptr_t)strtoull(digits, NULL, 10); /* NOLINT: an address */
  return TENON_OK;
}

/* -- The vault ---------------------------------------------------------------- */

#define T(name) test_vault_v1_##name

static tenon_status configure(tenon_call *call, void *self, const T(configure_request) * in) {
  (void)call;
  return take_settings(self, in->config);
}

static tenon_status get(tenon_call *call, void *self, const T(get_request) * in,
                        const T(get_response) * *out) {
  RESPONSE(T(get_response), response);
  const vault *v = self;
  char text[ROOM + 16];
  if (tenon_equal(in->key, tenon_text("late"))) ask_host(call, v->host);
  snprintf(text, sizeof text, "%d: %s", EDITION, v->text);
  const int plain =
      tenon_equal(in->key, tenon_text("forever")) || tenon_equal(in->key, tenon_text("asks"));
  response->body = &new_reader(v, plain ? in->key : tenon_text(text))->base;
  response->trailer = &new_reader(v, tenon_text("trailer"))->base;
  *out = response;
  return TENON_OK;
}

static tenon_status put(tenon_call *call, void *self, const T(put_request) * in) {
  char text[ROOM];
  const tenon_status status = drain(call, in->body, text);
  if (status != TENON_OK) return status;
  if (text[0] == '!') return tenon_fail(call, TENON_INVALID_ARGUMENT, "not so loud");
  memcpy(((vault *)self)->text, text, ROOM);
  in->body->release(in->body);
  return TENON_OK;
}

static tenon_status begin(tenon_call *call, void *self, const T(open_request) * in,
                          const T(open_response) * *out) {
  RESPONSE(T(open_response), response);
  text_writer *writer = calloc(1, sizeof *writer);
  (void)in;
  if (writer == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no memory");
  writer->base.struct_size = sizeof writer->base;
  writer->base.write = write_text;
  writer->base.commit = commit_text;
  writer->base.release = release_writer;
  writer->to = self;
  if (writer->to->live != NULL) ++*writer->to->live;
  response->sink = &writer->base;
  *out = response;
  return TENON_OK;
}

static tenon_status keep(tenon_call *call, void *self, const T(keep_request) * in) {
  vault *v = self;
  uint8_t first = 0;
  size_t got = 0;
  const tenon_buffer one = {&first, 1};
  const tenon_status status = in->body->read(call, in->body, one, &got);
  if (status != TENON_OK) return status;
  if (first == '!') return tenon_fail(call, TENON_INVALID_ARGUMENT, "not so loud");
  v->kept = in->body;
  return TENON_OK;
}

static tenon_status kept(tenon_call *call, void *self, const T(kept_request) * in,
                         const T(kept_response) * *out) {
  RESPONSE(T(kept_response), response);
  vault *v = self;
  char text[ROOM];
  tenon_status status = TENON_NOT_FOUND;
  (void)in;
  if (v->kept == NULL) return tenon_fail(call, status, "nothing is kept");
  status = drain(call, v->kept, text);
  v->kept->release(v->kept);
  v->kept = NULL;
  response->text = copied(call, status == TENON_OK ? text : "");
  *out = response;
  return status;
}

/* Creates another vault, which is kept until destroy. */
static tenon_status reach(tenon_call *call, vault *v, tenon_string reference) {
  const tenon_plugin_request request = {.struct_size = sizeof request,
                                        .kind = tenon_text(TEST_VAULT_V1_KIND),
                                        .version = 1,
                                        .fingerprint = TEST_VAULT_V1_FINGERPRINT,
                                        .reference = reference};
  if (v->other.table != NULL) return TENON_OK;
  return v->host->create(v->host, call, &request, &v->other);
}

static tenon_status relay(tenon_call *call, void *self, const T(relay_request) * in,
                          const T(relay_response) * *out) {
  RESPONSE(T(relay_response), response);
  vault *v = self;
  const T(get_request) wanted = {.struct_size = sizeof wanted, .key = in->key};
  const T(get_response) *got = NULL;
  tenon_status status = reach(call, v, in->reference);
  if (status != TENON_OK) return status;
  status = ((const test_vault_v1 *)v->other.table)->get(call, v->other.self, &wanted, &got);
  if (status != TENON_OK) return status;
  if (got->trailer != NULL) got->trailer->release(got->trailer);
  response->body = got->body;
  *out = response;
  return TENON_OK;
}

static tenon_status push(tenon_call *call, void *self, const T(push_request) * in,
                         const T(push_response) * *out) {
  RESPONSE(T(push_response), response);
  vault *v = self;
  const int before = releases;
  text_reader *reader;
  tenon_status status = reach(call, v, in->reference);
  if (status != TENON_OK) return status;
  reader = new_reader(v, in->text);
  {
    const T(keep_request) passed = {.struct_size = sizeof passed, .body = &reader->base};
    status = ((const test_vault_v1 *)v->other.table)->keep(call, v->other.self, &passed);
  }
  response->status = status;
  response->releases = releases - before;
  if (status != TENON_OK) reader->base.release(&reader->base); /* still owned by this plugin */
  *out = response;
  return TENON_OK;
}

static tenon_status count(tenon_call *call, void *self, const T(count_request) * in,
                          const T(count_response) * *out) {
  RESPONSE(T(count_response), response);
  vault *v = self;
  const tenon_plugin_request request = {.struct_size = sizeof request,
                                        .kind = tenon_text(TEST_STREAM_V1_KIND),
                                        .version = 1,
                                        .fingerprint = TEST_STREAM_V1_FINGERPRINT,
                                        .reference = in->reference};
  const test_stream_v1_open_request from = {.struct_size = sizeof from, .after = 0};
  const test_stream_v1_next_request wanted = {.struct_size = sizeof wanted};
  const test_stream_v1_next_response *number = NULL;
  const test_stream_v1 *table;
  tenon_instance stream;
  tenon_status status = v->host->create(v->host, call, &request, &stream);
  if (status != TENON_OK) return status;
  table = stream.table;
  status = table->open(call, stream.self, &from);
  if (v->live != NULL) ++*v->live; /* signals that it is about to wait */
  if (status == TENON_OK) status = table->next(call, stream.self, &wanted, &number);
  if (v->live != NULL) --*v->live;
  response->status = status;
  response->cancelled = call->functions->cancelled(call);
  v->host->release(v->host, &stream);
  *out = response;
  return TENON_OK;
}

static const test_vault_v1 vault_table = {
    TEST_VAULT_V1_BASE, .base = &base, .configure = configure, .get = get,
    .put = put,         .open = begin, .keep = keep,           .kept = kept,
    .relay = relay,     .push = push,  .count = count,
};

/* -- The tape ----------------------------------------------------------------- */

static tenon_status insert(tenon_call *call, void *self, const test_tape_v1_configure_request *in) {
  (void)call;
  return take_settings(self, in->config);
}

static tenon_status play(tenon_call *call, void *self, const test_tape_v1_play_request *in,
                         const test_tape_v1_play_response **out) {
  RESPONSE(test_tape_v1_play_response, response);
  response->body = &new_reader(self, in->text)->base;
  *out = response;
  return TENON_OK;
}

static const test_tape_v1 tape_table = {TEST_TAPE_V1_BASE, .base = &base, .configure = insert,
                                        .play = play};

#define PLUGINS(P) \
  P(test_vault, 1, PACKAGE "-vault", &vault_table) P(test_tape, 1, PACKAGE "-tape", &tape_table)
TENON_MODULE(PACKAGE, TENON_QUOTE_VALUE_(EDITION) ".0.0", PLUGINS, {
  "summary": "Passes streams",
  "threads": "joined",
  "requires": {"test.example/giver": "*", "test.example/taker": "*", "test.example/streams": "*"}
});
