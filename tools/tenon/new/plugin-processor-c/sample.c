/* A processor for pipelines: passes the records whose payload contains the text `contains`.
 *
 * Read it from the bottom up: the last lines declare the plugins of the module, the vtables above
 * them list the methods, and each method is above its vtable. */
#include <tenon/processor/v1.h>
#include <tenon/specifier/v1.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct processor {
  char *contains; /* NULL until configured */
  size_t size;    /* of `contains` */
};

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  *self = calloc(1, sizeof(struct processor));
  if (*self == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  return TENON_OK;
}

static void destroy(void *self) {
  struct processor *processor = self;
  free(processor->contains);
  free(processor);
}

/* Fails if the configuration has a parameter that does not exist. */
static tenon_status check_names(tenon_call *call, tenon_map config) {
  char message[200];
  size_t i;
  for (i = 0; i < config.keys.count; i++) {
    tenon_string name = TENON_AT(tenon_string, config.keys, i);
    if (tenon_equal(name, tenon_text("contains"))) continue;
    snprintf(message, sizeof message, "unknown parameter \"%.*s\"", (int)name.size, name.data);
    return tenon_fail(call, TENON_INVALID_ARGUMENT, message);
  }
  return TENON_OK;
}

static tenon_status configure(tenon_call *call, void *self,
                              const tenon_processor_v1_configure_request *in) {
  struct processor *processor = self;
  tenon_string contains = tenon_get(in->config, "contains");
  tenon_status status = check_names(call, in->config);
  char *copy;
  if (status != TENON_OK) return status;
  if (contains.size == 0) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "parameter \"contains\" is required");
  }
  copy = malloc(contains.size);
  if (copy == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(copy, contains.data, contains.size);
  free(processor->contains);
  processor->contains = copy;
  processor->size = contains.size;
  return TENON_OK;
}

static int matches(const struct processor *processor, tenon_bytes payload) {
  size_t i;
  for (i = 0; i + processor->size <= payload.size; i++) {
    if (memcmp(payload.data + i, processor->contains, processor->size) == 0) return 1;
  }
  return 0;
}

/* Results are allocated in the arena of the call, or refer to the request. */
static tenon_status process(tenon_call *call, void *self,
                            const tenon_processor_v1_process_request *in,
                            const tenon_processor_v1_process_response **out) {
  const struct processor *processor = self;
  tenon_processor_v1_process_response *response = tenon_allocate_zeroed(call, sizeof *response);
  tenon_processor_v1_result *results;
  void *elements;
  size_t i;
  response->struct_size = sizeof *response;
  response->results =
      tenon_new_list(call, in->records.count, sizeof(tenon_processor_v1_result), &elements);
  results = elements;
  for (i = 0; i < in->records.count; i++) {
    const tenon_record_v2 *record = &TENON_AT(tenon_record_v2, in->records, i);
    results[i].records.data = record;
    results[i].records.count = matches(processor, record->payload.after) ? 1 : 0;
    results[i].records.stride = sizeof *record;
  }
  *out = response;
  return TENON_OK;
}

/* Constant results need not be copied: they may point into the module. */
static const tenon_string names[] = {TENON_TEXT("contains")};
static const tenon_parameter_v2_validation required[] = {
    {.type = TENON_PARAMETER_V2_RULE_REQUIRED, .value = TENON_TEXT("")}};
static const tenon_parameter_v2 parameters[] = {{.default_value = TENON_TEXT(""),
                                                 .description = TENON_TEXT("a text in the payload"),
                                                 .type = TENON_PARAMETER_V2_TYPE_STRING,
                                                 .validations = {required, 1, sizeof required[0]}}};
static const tenon_specifier_v1_specify_response specification = {
    .struct_size = sizeof specification,
    .specification = {
        .name = TENON_TEXT("me.example/sample"),
        .summary = TENON_TEXT("Records with a text"),
        .description = TENON_TEXT("Passes the records whose payload contains the text `contains`."),
        .version = TENON_TEXT("0.1.0"),
        .author = TENON_TEXT("me"),
        .processor_parameters = {{names, 1, sizeof names[0]},
                                 {parameters, 1, sizeof parameters[0]}}}};

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
static const tenon_processor_v1 processor = {TENON_PROCESSOR_V1_BASE, .base = &base,
                                             .configure = configure, .process = process};

static const tenon_specifier_v1 specifier = {TENON_SPECIFIER_V1_BASE, .specify = specify};

#define PLUGINS(P)                                       \
  P(tenon_processor, 1, "me.example/sample", &processor) \
  P(tenon_specifier, 1, "me.example/sample", &specifier)
TENON_MODULE("me.example/sample", "0.1.0", PLUGINS, {"summary": "Records with a text"});
