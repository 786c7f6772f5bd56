/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin whose responses are valid in every way that the ABI allows, or have the fault that the
 * request names. */
#include <stdlib.h>
#include <string.h>
#include <test/answer/v1.h>

typedef test_answer_v1_give_response response;

static int is(const test_answer_v1_give_request *in, const char *what) {
  return in->what.size == strlen(what) && memcmp(in->what.data, what, in->what.size) == 0;
}

static tenon_string in_arena(tenon_call *call, const char *text) {
  const size_t size = strlen(text);
  const tenon_string made = {tenon_allocate_copy(call, text, size), size};
  return made;
}

static tenon_bytes as_bytes(tenon_string text) {
  const tenon_bytes bytes = {(const uint8_t *)text.data, text.size};
  return bytes;
}

/* Memory outside of the arena and the image, valid until the next response or stop. */
static void *kept;

static void *on_heap(const void *bytes, size_t size) {
  free(kept);
  kept = malloc(size);
  memcpy(kept, bytes, size);
  return kept;
}

static tenon_string text_on_heap(const char *text) {
  const tenon_string made = {on_heap(text, strlen(text)), strlen(text)};
  return made;
}

static const tenon_string fixed_keys[] = {TENON_TEXT("a"), TENON_TEXT("b")};
static const tenon_string fixed_values[] = {TENON_TEXT("1"), TENON_TEXT("2")};

/* Returns a response with all fields set: in the arena, in the image and in the request. */
static response *good(tenon_call *call, const test_answer_v1_give_request *in) {
  response *made = tenon_allocate_zeroed(call, sizeof *made);
  int64_t *number = tenon_allocate(call, sizeof *number);
  test_answer_v1_pair *pairs = tenon_allocate_zeroed(call, 2 * sizeof *pairs);
  test_answer_item_v1 *item = tenon_allocate_zeroed(call, sizeof *item);
  *number = 7;
  pairs[1].name = in_arena(call, "second");
  item->key = as_bytes(in_arena(call, "p\xff"));
  item->bag = as_bytes(in_arena(call, "{\"colour@3\":\"red\"}"));
  made->struct_size = sizeof *made;
  made->text = in_arena(call, "gr\xc3\xbc\xc3\x9f");
  made->picture = in_arena(call, "{\"x\":[1]}");
  made->data = as_bytes(in_arena(call, "\xff"));
  made->number = number;
  made->tags = in->lent;
  made->words.keys.data = fixed_keys;
  made->words.keys.count = 2;
  made->words.keys.stride = sizeof *fixed_keys;
  made->words.values.data = fixed_values;
  made->words.values.count = 2;
  made->words.values.stride = sizeof *fixed_values;
  made->pairs.data = pairs;
  made->pairs.count = 2;
  made->pairs.stride = sizeof *pairs;
  made->item = item;
  return made;
}

/* Makes a response that is wrong as a whole. Returns 0 if none of these was requested. */
static int spoil_struct(const test_answer_v1_give_request *in, response **made) {
  if (is(in, "size-0")) {
    (*made)->struct_size = 0;
  } else if (is(in, "size-short")) {
    (*made)->struct_size = offsetof(response, item);
  } else if (is(in, "size-huge")) {
    (*made)->struct_size = SIZE_MAX / 2;
  } else if (is(in, "unaligned")) {
    *made = (response *)((char *)*made + 1);
  } else if (is(in, "on-heap")) {
    *made = on_heap(*made, sizeof **made);
  } else if (is(in, "none")) {
    *made = NULL;
  } else {
    return 0;
  }
  return 1;
}

static void spoil_text(tenon_call *call, const test_answer_v1_give_request *in, response *made) {
  char local[4] = "loc";
  if (is(in, "text-on-heap")) made->text = text_on_heap("heap");
  if (is(in, "text-of-stack")) {
    made->text.data = local;
    made->text.size = 3;
  }
  if (is(in, "text-null")) made->text.data = NULL;
  if (is(in, "picture-null")) made->picture.data = NULL;
  if (is(in, "data-null")) made->data.data = NULL;
  if (is(in, "pair-null")) made->pair.name.size = 1;
  if (is(in, "note-null")) made->note.size = 1;
  if (is(in, "text-past-arena")) made->text.size = 1 << 30;
  if (is(in, "text-latin")) made->text = in_arena(call, "gr\xfc\xdf");
  if (is(in, "json-broken")) made->picture = in_arena(call, "{\"x\":");
  if (is(in, "bytes-on-heap")) made->data = as_bytes(text_on_heap("heap"));
  if (is(in, "pair-latin")) made->pair.name = in_arena(call, "\xff");
  if (is(in, "note-latin")) made->note = in_arena(call, "\xc3");
}

static void spoil_parts(tenon_call *call, const test_answer_v1_give_request *in, response *made) {
  test_answer_v1_pair *pairs = (test_answer_v1_pair *)made->pairs.data;
  test_answer_item_v1 *item = (test_answer_item_v1 *)made->item;
  tenon_string *keys = tenon_allocate(call, 2 * sizeof *keys);
  keys[0] = in_arena(call, "a");
  keys[1] = in_arena(call, is(in, "map-twice") ? "a" : "\xff");
  if (is(in, "map-twice") || is(in, "map-latin")) made->words.keys.data = keys;
  if (is(in, "map-uneven")) made->words.values.count = 1;
  if (is(in, "number-on-heap")) made->number = on_heap("12345678", 8);
  if (is(in, "list-null")) made->pairs.data = NULL;
  if (is(in, "element-null")) pairs[1].name.data = NULL;
  if (is(in, "key-null") || is(in, "value-null")) {
    keys[1].data = NULL;
    if (is(in, "key-null")) {
      made->words.keys.data = keys;
    } else {
      made->words.values.data = keys;
    }
  }
  if (is(in, "item-null")) item->key.data = NULL;
  if (is(in, "bag-null")) item->bag.data = NULL;
  if (is(in, "list-stride")) made->pairs.stride = 16;
  if (is(in, "list-odd-stride")) made->pairs.stride = sizeof *pairs + 1;
  if (is(in, "list-huge")) made->pairs.count = SIZE_MAX / 2;
  if (is(in, "element-latin")) pairs[1].name = in_arena(call, "\xff");
  if (is(in, "item-map-latin")) {
    item->words = made->words;
    item->words.values.data = keys;
  }
  if (is(in, "bag-broken")) item->bag = as_bytes(in_arena(call, "red"));
}

static const tenon_host *host;

static tenon_status start(tenon_call *call, const tenon_host *own_host) {
  (void)call;
  host = own_host;
  return TENON_OK;
}

/* Returns the response of another instance. */
static tenon_status ask_another(tenon_call *call, tenon_string what,
                                const test_answer_v1_give_response **out) {
  const tenon_plugin_request wanted = {.struct_size = sizeof wanted,
                                       .kind = tenon_text(TEST_ANSWER_V1_KIND),
                                       .version = 1,
                                       .fingerprint = TEST_ANSWER_V1_FINGERPRINT,
                                       .reference = tenon_text("test.example/answers")};
  const test_answer_v1_give_request request = {.struct_size = sizeof request, .what = what};
  tenon_instance another;
  tenon_status status = host->create(host, call, &wanted, &another);
  if (status != TENON_OK) return status;
  status = ((const test_answer_v1 *)another.table)->give(call, another.self, &request, out);
  host->release(host, &another);
  return status;
}

/* A request that begins with "another " is passed on to another instance. */
static tenon_status give(tenon_call *call, void *self, const test_answer_v1_give_request *in,
                         const test_answer_v1_give_response **out) {
  static const char another[] = "another ";
  const size_t size = sizeof another - 1;
  response *made = good(call, in);
  (void)self;
  if (in->what.size > size && memcmp(in->what.data, another, size) == 0) {
    const tenon_string what = {in->what.data + size, in->what.size - size};
    return ask_another(call, what, out);
  }
  if (!spoil_struct(in, &made)) {
    spoil_text(call, in, made);
    spoil_parts(call, in, made);
  }
  *out = made;
  return TENON_OK;
}

static tenon_status nothing(tenon_call *call, void *self,
                            const test_answer_v1_nothing_request *in) {
  (void)call;
  (void)self;
  (void)in;
  return TENON_OK;
}

static const test_answer_v1 answer = {TEST_ANSWER_V1_BASE, .give = give, .nothing = nothing};

static void stop(void) {
  free(kept);
  kept = NULL;
}

#define PLUGINS(P) P(test_answer, 1, "test.example/answers", &answer)
TENON_MODULE_WITH("test.example/answers", "1.0.0", start, stop, PLUGINS,
                  {"summary": "Gives good and bad responses"});
