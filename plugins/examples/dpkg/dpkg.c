/* SPDX-License-Identifier: BSL-1.0
 *
 * dpkg.c: a plugin in plain C, written as a tutorial. It is a source of version 1 that reads the
 * packages that are installed on a Debian system, one record for each.
 *
 * Read it from the bottom up: the last lines declare the plugins of the module, the vtable above
 * them lists the methods, and each method is above the vtable.
 *
 * The package database is one text file. A package is a paragraph, a field is a line, and a line
 * that begins with a blank continues the previous field:
 *
 *   Package: hello
 *   Status: install ok installed
 *   Installed-Size: 283
 *   Version: 2.10-3
 *
 * The position of a record is the offset after its paragraph in that file, as text. */
#include <tenon/source/v1.h>
#include <tenon/specifier/v1.h>

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- An instance ------------------------------------------------------------ */

struct dpkg {
  char *path;           /* of the database; NULL until configured */
  tenon_duration delay; /* before each record */
  FILE *file;           /* NULL until started */
  char *line;           /* the last line */
  size_t capacity;      /* of `line` */
};

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  *self = calloc(1, sizeof(struct dpkg));
  if (*self == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  return TENON_OK;
}

static void close_file(struct dpkg *dpkg) {
  if (dpkg->file != NULL) fclose(dpkg->file);
  dpkg->file = NULL;
}

static void destroy(void *self) {
  struct dpkg *dpkg = self;
  close_file(dpkg);
  free(dpkg->line);
  free(dpkg->path);
  free(dpkg);
}

/* Fails with a message that is formatted like printf. */
static tenon_status fail(tenon_call *call, tenon_status status, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return tenon_fail(call, status, message);
}

static tenon_status fail_to(tenon_call *call, const char *what, const char *path, int error) {
  tenon_status status = TENON_UNKNOWN;
  if (error == ENOENT) status = TENON_NOT_FOUND;
  if (error == EACCES) status = TENON_PERMISSION_DENIED;
  return fail(call, status, "cannot %s %s: %s", what, path, strerror(error));
}

/* -- configure -------------------------------------------------------------- */

/* Returns a duration such as "250us" or "2s" in nanoseconds, or -1 if the text is invalid. */
static tenon_duration parse_duration(tenon_string text) {
  static const struct {
    const char *name;
    tenon_duration nanoseconds;
  } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
  tenon_duration amount = 0;
  size_t digits = 0, i;
  while (digits < text.size && text.data[digits] >= '0' && text.data[digits] <= '9') {
    if (amount > 1000000) return -1;
    amount = amount * 10 + (text.data[digits++] - '0');
  }
  for (i = 0; i < sizeof units / sizeof units[0] && digits > 0; i++) {
    tenon_string unit = {text.data + digits, text.size - digits};
    if (tenon_equal(unit, tenon_text(units[i].name))) return amount * units[i].nanoseconds;
  }
  return -1;
}

/* Fails if the configuration has an unknown parameter. */
static tenon_status check_names(tenon_call *call, tenon_map config) {
  size_t i;
  for (i = 0; i < config.keys.count; i++) {
    tenon_string name = TENON_AT(tenon_string, config.keys, i);
    if (tenon_equal(name, tenon_text("path")) || tenon_equal(name, tenon_text("delay"))) continue;
    return fail(call, TENON_INVALID_ARGUMENT, "unknown parameter \"%.*s\", expected path or delay",
                (int)name.size, name.data);
  }
  return TENON_OK;
}

static tenon_status configure(tenon_call *call, void *self,
                              const tenon_source_v1_configure_request *in) {
  struct dpkg *dpkg = self;
  tenon_string path = tenon_get(in->config, "path");
  tenon_string delay = tenon_get(in->config, "delay");
  tenon_status status = check_names(call, in->config);
  if (status != TENON_OK) return status;
  if (path.size == 0) path = tenon_text("/var/lib/dpkg/status");

  dpkg->delay = delay.size == 0 ? 0 : parse_duration(delay);
  if (dpkg->delay < 0) {
    return fail(call, TENON_INVALID_ARGUMENT,
                "parameter \"delay\" is \"%.*s\", expected a duration such as 250us, 1ms or 2s",
                (int)delay.size, delay.data);
  }
  free(dpkg->path);
  dpkg->path = calloc(1, path.size + 1);
  if (dpkg->path == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(dpkg->path, path.data, path.size);
  return TENON_OK;
}

/* -- start ------------------------------------------------------------------ */

/* Parses a position of this plugin. Returns 0 if it is not a number. */
static int parse_offset(tenon_bytes position, long *offset) {
  size_t i;
  *offset = 0;
  for (i = 0; i < position.size; i++) {
    if (position.data[i] < '0' || position.data[i] > '9' || *offset > LONG_MAX / 10 - 1) {
      return 0;
    }
    *offset = *offset * 10 + (position.data[i] - '0');
  }
  return position.size > 0;
}

/* Moves to a position. Returns whether a package can begin there: at the start of the file, after
 * an empty line, or at the end. */
static int seek_package(FILE *file, long offset) {
  char before[2];
  if (offset == 0) return 1;
  if (fseek(file, offset - 2, SEEK_SET) != 0) return 0;
  if (fread(before, 1, 2, file) != 2) return 0;
  return (before[0] == '\n' && before[1] == '\n') || fgetc(file) == EOF;
}

static tenon_status start(tenon_call *call, void *self, const tenon_source_v1_start_request *in) {
  struct dpkg *dpkg = self;
  long offset = 0;

  if (in->position.data != NULL && !parse_offset(in->position, &offset)) {
    return fail(call, TENON_INVALID_ARGUMENT, "the position \"%.*s\" is not of this plugin",
                (int)in->position.size, (const char *)in->position.data);
  }

  close_file(dpkg);
  dpkg->file = fopen(dpkg->path, "rb");
  if (dpkg->file == NULL) return fail_to(call, "open", dpkg->path, errno);
  if (!seek_package(dpkg->file, offset)) {
    return fail(call, TENON_FAILED_PRECONDITION,
                "no package begins at byte %ld of %s: the file has changed", offset, dpkg->path);
  }
  return TENON_OK;
}

/* -- read ------------------------------------------------------------------- */

/* The fields that become part of a record. Their texts are allocated in the arena of the call, like
 * everything that a method returns: the caller frees it, possibly after this module is unloaded. */
enum { PACKAGE, VERSION, ARCHITECTURE, SECTION, STATUS, MULTI_ARCH, SIZE, FIELDS };

static const char *const field_names[FIELDS] = {"Package", "Version",    "Architecture",  "Section",
                                                "Status",  "Multi-Arch", "Installed-Size"};

static tenon_string copy_text(tenon_call *call, tenon_string text) {
  text.data = tenon_allocate_copy(call, text.data, text.size);
  return text;
}

/* Stores the value of a line if it is one of the fields. A line may contain any bytes. */
static void read_field(tenon_call *call, tenon_string line, tenon_string *fields) {
  size_t i;
  for (i = 0; i < FIELDS; i++) {
    size_t size = strlen(field_names[i]);
    if (line.size > size && memcmp(line.data, field_names[i], size) == 0 &&
        line.data[size] == ':') {
      tenon_string value = {line.data + size + 1, line.size - size - 1};
      while (value.size > 0 && (*value.data == ' ' || *value.data == '\t')) {
        value.data++;
        value.size--;
      }
      fields[i] = copy_text(call, value);
    }
  }
}

/* Reads a line without its end. Returns 1, 0 at the end of the file, or -1 on an error. */
static int read_line(struct dpkg *dpkg, tenon_string *line) {
  size_t size = 0;
  int c;
  while ((c = getc(dpkg->file)) != EOF && c != '\n') {
    if (size == dpkg->capacity) {
      size_t larger = 2 * size + 128;
      char *moved = realloc(dpkg->line, larger);
      if (moved == NULL) return -1;
      dpkg->line = moved;
      dpkg->capacity = larger;
    }
    dpkg->line[size++] = (char)c;
  }
  if (ferror(dpkg->file)) return -1;
  line->data = dpkg->line;
  line->size = size;
  return c != EOF || size > 0;
}

/* Reads the next paragraph. Returns 1 for a package, 0 at the end of the file, -1 on an error. */
static int read_paragraph(tenon_call *call, struct dpkg *dpkg, tenon_string *fields) {
  int lines = 0;
  memset(fields, 0, FIELDS * sizeof *fields);
  for (;;) {
    tenon_string line;
    int found = read_line(dpkg, &line);
    if (found < 0) return -1;
    if (found == 0) return lines > 0;
    if (line.size == 0 && lines > 0) return 1;
    if (line.size == 0) continue;
    read_field(call, line, fields);
    lines++;
  }
}

/* Returns whether a package is installed, for example "install ok installed". Other packages were
 * removed, but their configuration was kept. */
static int is_installed(tenon_string status) {
  static const char last_word[] = " installed";
  size_t size = sizeof last_word - 1;
  return status.size > size && memcmp(status.data + status.size - size, last_word, size) == 0;
}

static char *put_text(char *out, const char *text, size_t size) {
  if (size > 0) memcpy(out, text, size);
  return out + size;
}

/* Writes a text as JSON, at most 6 * text.size + 2 characters. */
static char *put_json(char *out, tenon_string text) {
  static const char hex[] = "0123456789abcdef";
  size_t i;
  *out++ = '"';
  for (i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c == '"' || c == '\\') {
      *out++ = '\\';
      *out++ = (char)c;
    } else if (c < 0x20) {
      out = put_text(out, "\\u00", 4);
      *out++ = hex[c >> 4];
      *out++ = hex[c & 15];
    } else {
      *out++ = (char)c;
    }
  }
  *out++ = '"';
  return out;
}

/* Returns whether a text is a number in JSON, which has no leading zero. No size of a package has
 * 19 digits. */
static int is_number(tenon_string text) {
  size_t i;
  for (i = 0; i < text.size; i++) {
    if (text.data[i] < '0' || text.data[i] > '9') return 0;
  }
  return text.size > 0 && text.size < 19 && (text.size == 1 || text.data[0] != '0');
}

/* Returns the payload, for example
 * {"package":"hello","version":"2.10-3","architecture":"amd64","installed_size":283} */
static tenon_bytes make_payload(tenon_call *call, const tenon_string *fields) {
  static const struct {
    const char *name;
    int field;
  } members[] = {{"{\"package\":", PACKAGE},
                 {",\"version\":", VERSION},
                 {",\"architecture\":", ARCHITECTURE},
                 {",\"section\":", SECTION},
                 {",\"status\":", STATUS}};
  tenon_bytes payload;
  size_t i, capacity = 100 + fields[SIZE].size;
  char *start, *out;
  for (i = 0; i < FIELDS; i++) capacity += 6 * fields[i].size + 2;
  start = out = tenon_allocate(call, capacity);
  for (i = 0; i < sizeof members / sizeof members[0]; i++) {
    if (fields[members[i].field].size == 0) continue;
    out = put_text(out, members[i].name, strlen(members[i].name));
    out = put_json(out, fields[members[i].field]);
  }
  if (is_number(fields[SIZE])) {
    out = put_text(out, ",\"installed_size\":", 18); /* in units of 1024 bytes */
    out = put_text(out, fields[SIZE].data, fields[SIZE].size);
  }
  *out++ = '}';
  payload.data = (const uint8_t *)start;
  payload.size = (size_t)(out - start);
  return payload;
}

/* Returns the name of the package, with its architecture if several architectures of the package
 * can be installed at the same time. */
static tenon_bytes make_key(tenon_call *call, const tenon_string *fields) {
  tenon_string name = fields[PACKAGE], architecture = fields[ARCHITECTURE];
  char *start = tenon_allocate(call, name.size + 1 + architecture.size);
  char *out = put_text(start, name.data, name.size);
  tenon_bytes key;
  if (tenon_equal(fields[MULTI_ARCH], tenon_text("same"))) {
    *out++ = ':';
    out = put_text(out, architecture.data, architecture.size);
  }
  key.data = (const uint8_t *)start;
  key.size = (size_t)(out - start);
  return key;
}

/* Returns the metadata of every record: its payload is JSON. */
static tenon_map make_metadata(tenon_call *call) {
  static const tenon_string key = TENON_TEXT("opencdc.payload.format");
  static const tenon_string value = TENON_TEXT("json");
  tenon_map metadata;
  void *keys, *values;
  metadata.keys = tenon_new_list(call, 1, sizeof(tenon_string), &keys);
  metadata.values = tenon_new_list(call, 1, sizeof(tenon_string), &values);
  *(tenon_string *)keys = copy_text(call, key);
  *(tenon_string *)values = copy_text(call, value);
  return metadata;
}

static tenon_bytes make_position(tenon_call *call, long offset) {
  char digits[24];
  int size = snprintf(digits, sizeof digits, "%ld", offset);
  tenon_bytes position;
  position.data = tenon_allocate_copy(call, digits, (size_t)size);
  position.size = (size_t)size;
  return position;
}

static tenon_status read_record(tenon_call *call, void *self,
                                const tenon_source_v1_read_request *in,
                                const tenon_source_v1_read_response **out) {
  struct dpkg *dpkg = self;
  tenon_string fields[FIELDS];
  tenon_source_v1_read_response *response;
  (void)in;

  /* Returns immediately if the call is cancelled. */
  if (call->functions->wait(call, dpkg->delay) != TENON_NOT_CANCELLED) {
    return tenon_fail(call, TENON_CANCELLED, "reading was cancelled");
  }
  do {
    int found = read_paragraph(call, dpkg, fields);
    if (found < 0) return fail_to(call, "read", dpkg->path, errno);
    if (found == 0) return tenon_fail(call, TENON_OUT_OF_RANGE, "no more records");
  } while (!is_installed(fields[STATUS]));
  if (fields[PACKAGE].size == 0) {
    return fail(call, TENON_DATA_LOSS, "a package without a name before byte %ld of %s",
                ftell(dpkg->file), dpkg->path);
  }

  response = tenon_allocate_zeroed(call, sizeof *response);
  response->struct_size = sizeof *response;
  response->record.position = make_position(call, ftell(dpkg->file));
  response->record.metadata = make_metadata(call);
  response->record.key = make_key(call, fields);
  response->record.payload = make_payload(call, fields);
  *out = response;
  return TENON_OK;
}

/* -- teardown --------------------------------------------------------------- */

static tenon_status teardown(tenon_call *call, void *self,
                             const tenon_source_v1_teardown_request *in) {
  (void)call;
  (void)in;
  close_file(self);
  return TENON_OK;
}

/* -- The specifier ---------------------------------------------------------- */

/* Constant results need not be copied: they may point into the module. */
static const tenon_string names[] = {TENON_TEXT("delay"), TENON_TEXT("path")};
static const tenon_parameter_v2 parameters[] = {
    {.default_value = TENON_TEXT("0s"),
     .description = TENON_TEXT("the delay before each record"),
     .type = TENON_PARAMETER_V2_TYPE_DURATION,
     .validations = {"", 0, sizeof(tenon_parameter_v2_validation)}},
    {.default_value = TENON_TEXT("/var/lib/dpkg/status"),
     .description = TENON_TEXT("the path of the database"),
     .type = TENON_PARAMETER_V2_TYPE_STRING,
     .validations = {"", 0, sizeof(tenon_parameter_v2_validation)}}};
static const tenon_specifier_v1_specify_response response = {
    .struct_size = sizeof response,
    .specification = {
        .name = TENON_TEXT("example.io/dpkg"),
        .summary = TENON_TEXT("The packages installed by dpkg"),
        .description = TENON_TEXT("Reads dpkg's database, one record for each installed package."),
        .version = TENON_TEXT("1.0.0"),
        .author = TENON_TEXT("the tenon project"),
        .source_parameters = {{names, 2, sizeof names[0]}, {parameters, 2, sizeof parameters[0]}},
        .destination_parameters = {{names, 0, sizeof names[0]},
                                   {parameters, 0, sizeof parameters[0]}}}};

static tenon_status specify(tenon_call *call, void *self,
                            const tenon_specifier_v1_specify_request *in,
                            const tenon_specifier_v1_specify_response **out) {
  (void)call;
  (void)self;
  (void)in;
  *out = &response;
  return TENON_OK;
}

/* -- The module ------------------------------------------------------------- */

static const tenon_base base = {.struct_size = sizeof base, .create = create, .destroy = destroy};

/* Methods that are not listed return `unimplemented`: this source ignores acknowledgements, and
 * stops as soon as reading is cancelled. */
static const tenon_source_v1 source = {TENON_SOURCE_V1_BASE,   .base = &base,
                                       .configure = configure, .start = start,
                                       .read = read_record,    .teardown = teardown};

static const tenon_specifier_v1 specifier = {TENON_SPECIFIER_V1_BASE, .specify = specify};

#define PLUGINS(P)                               \
  P(tenon_source, 1, "example.io/dpkg", &source) \
  P(tenon_specifier, 1, "example.io/dpkg", &specifier)
TENON_MODULE("example.io/dpkg", "1.0.0", PLUGINS, {
  "summary": "The packages installed by dpkg",
  "properties": {
    "example.io/dpkg": {
      "source_parameters": {
        "version": 2,
        "value": {
          "delay": {
            "default_value": "0s",
            "description": "the delay before each record",
            "type": "duration"
          },
          "path": {
            "default_value": "/var/lib/dpkg/status",
            "description": "the path of the database",
            "type": "string"
          }
        }
      }
    }
  }
});
