/* A source for pipelines: the numbers from 1 to `last`. The position of a record is its number.
 *
 * Read it from the bottom up: the last lines declare the plugins of the module, the vtables above
 * them list the methods, and each method is above its vtable. */
#include <tenon/source/v2.h>
#include <tenon/specifier/v1.h>

#include <stdio.h>
#include <stdlib.h>

struct source {
  int last;   /* of the configuration */
  int start;  /* the number at which it was opened */
  int number; /* of the last record */
};

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  *self = calloc(1, sizeof(struct source));
  if (*self == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  return TENON_OK;
}

static void destroy(void *self) {
  free(self);
}

/* Parses a number from 0 to 999999999. Returns -1 if the text is none. */
static int parse(const char *text, size_t size) {
  int number = 0;
  size_t i;
  if (size == 0 || size > 9) return -1;
  for (i = 0; i < size; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

/* Fails if the configuration has a parameter that does not exist. */
static tenon_status check_names(tenon_call *call, tenon_map config) {
  char message[200];
  size_t i;
  for (i = 0; i < config.keys.count; i++) {
    tenon_string name = TENON_AT(tenon_string, config.keys, i);
    if (tenon_equal(name, tenon_text("last"))) continue;
    snprintf(message, sizeof message, "unknown parameter \"%.*s\"", (int)name.size, name.data);
    return tenon_fail(call, TENON_INVALID_ARGUMENT, message);
  }
  return TENON_OK;
}

static tenon_status configure(tenon_call *call, void *self,
                              const tenon_source_v2_configure_request *in) {
  struct source *source = self;
  tenon_string last = tenon_get(in->config, "last");
  tenon_status status = check_names(call, in->config);
  if (status != TENON_OK) return status;
  if (last.size == 0)
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "parameter \"last\" is required");
  source->last = parse(last.data, last.size);
  if (source->last < 0) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT,
                      "parameter \"last\" is not a number up to 999999999");
  }
  return TENON_OK;
}

static tenon_status open_source(tenon_call *call, void *self,
                                const tenon_source_v2_open_request *in) {
  struct source *source = self;
  int number = 0;
  if (in->position.data != NULL) {
    number = parse((const char *)in->position.data, in->position.size);
    if (number < 0) {
      return tenon_fail(call, TENON_INVALID_ARGUMENT, "the position is not of this plugin");
    }
  }
  source->start = source->number = number;
  return TENON_OK;
}

/* Results are allocated in the arena of the call, which the host frees. */
static tenon_bytes text_of(tenon_call *call, int number) {
  char digits[16];
  tenon_bytes text;
  text.size = (size_t)snprintf(digits, sizeof digits, "%d", number);
  text.data = tenon_allocate_copy(call, digits, text.size);
  return text;
}

static tenon_status read_batch(tenon_call *call, void *self,
                               const tenon_source_v2_read_batch_request *in,
                               const tenon_source_v2_read_batch_response **out) {
  struct source *source = self;
  tenon_source_v2_read_batch_response *response;
  tenon_record_v2 *record;
  void *elements;
  (void)in; /* One record never exceeds the limits of a batch. */
  if (call->functions->cancelled(call) != TENON_NOT_CANCELLED) {
    return tenon_fail(call, TENON_CANCELLED, "reading was cancelled");
  }
  if (source->number >= source->last) {
    return tenon_fail(call, TENON_OUT_OF_RANGE, "no more records");
  }
  response = tenon_allocate_zeroed(call, sizeof *response);
  response->struct_size = sizeof *response;
  response->records = tenon_new_list(call, 1, sizeof(tenon_record_v2), &elements);
  record = elements;
  record->position = text_of(call, ++source->number);
  record->payload.after = record->position;
  *out = response;
  return TENON_OK;
}

static tenon_status stop(tenon_call *call, void *self, const tenon_source_v2_stop_request *in,
                         const tenon_source_v2_stop_response **out) {
  struct source *source = self;
  tenon_source_v2_stop_response *response = tenon_allocate_zeroed(call, sizeof *response);
  (void)in;
  response->struct_size = sizeof *response;
  if (source->number != source->start) response->last_position = text_of(call, source->number);
  *out = response;
  return TENON_OK;
}

/* Constant results need not be copied: they may point into the module. */
static const tenon_string names[] = {TENON_TEXT("last")};
static const tenon_parameter_v2_validation required[] = {
    {.type = TENON_PARAMETER_V2_RULE_REQUIRED, .value = TENON_TEXT("")}};
static const tenon_parameter_v2 parameters[] = {{.default_value = TENON_TEXT(""),
                                                 .description = TENON_TEXT("the last number"),
                                                 .type = TENON_PARAMETER_V2_TYPE_INT,
                                                 .validations = {required, 1, sizeof required[0]}}};
static const tenon_specifier_v1_specify_response specification = {
    .struct_size = sizeof specification,
    .specification = {
        .name = TENON_TEXT("me.example/sample"),
        .summary = TENON_TEXT("Numbers"),
        .description = TENON_TEXT("One record for each number from 1 to `last`."),
        .version = TENON_TEXT("0.1.0"),
        .author = TENON_TEXT("me"),
        .source_parameters = {{names, 1, sizeof names[0]}, {parameters, 1, sizeof parameters[0]}}}};

static tenon_status specify(tenon_call *call, void *self,
                            const tenon_specifier_v1_specify_request *in,
                            const tenon_specifier_v1_specify_response **out) {
  (void)call;
  (void)self;
  (void)in;
  *out = &specification;
  return TENON_OK;
}

static const tenon_base base = {.struct_size = sizeof base, .create = create, .destroy = destroy};

/* Methods that are not listed return `unimplemented`. */
static const tenon_source_v2 source = {TENON_SOURCE_V2_BASE,     .base = &base,
                                       .configure = configure,   .open = open_source,
                                       .read_batch = read_batch, .stop = stop};

static const tenon_specifier_v1 specifier = {TENON_SPECIFIER_V1_BASE, .specify = specify};

#define PLUGINS(P)                                 \
  P(tenon_source, 2, "me.example/sample", &source) \
  P(tenon_specifier, 1, "me.example/sample", &specifier)
TENON_MODULE("me.example/sample", "0.1.0", PLUGINS, {"summary": "Numbers"});
