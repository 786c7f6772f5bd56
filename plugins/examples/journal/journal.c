/* SPDX-License-Identifier: BSL-1.0
 *
 * journal.c: a plugin in plain C, as an example. It is a delete item action that records the
 * resources of a deleted backup. Each one becomes a line of JSON in the file that the parameter
 * `path` names:
 *
 *   {"backup":"nightly","apiVersion":"v1","kind":"Pod","namespace":"web","name":"front"}
 *
 * A line is on the disk when `execute` succeeds. A repeated deletion writes its lines again.
 * Several threads, hosts and generations of the module may write to one file at the same time.
 *
 * Read it from the bottom up: the last lines declare what the module provides, the vtable above
 * them names the methods, and each method is above the vtable. */
#define _DEFAULT_SOURCE /* flock, strndup */

#include <tenon/delete_item_action/v1.h>

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- An instance ------------------------------------------------------------ */

struct journal {
  char *path; /* NULL until configured; then only read, by several threads at once */
};

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  *self = calloc(1, sizeof(struct journal));
  if (*self == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  return TENON_OK;
}

static void destroy(void *self) {
  struct journal *journal = self;
  free(journal->path);
  free(journal);
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
  if (error == EACCES || error == EROFS) status = TENON_PERMISSION_DENIED;
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) status = TENON_RESOURCE_EXHAUSTED;
  return fail(call, status, "cannot %s %s: %s", what, path, strerror(error));
}

/* -- configure -------------------------------------------------------------- */

static tenon_status configure(tenon_call *call, void *self,
                              const tenon_delete_item_action_v1_configure_request *in) {
  struct journal *journal = self;
  tenon_string path = tenon_get(in->config, "path");
  if (path.size == 0) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "parameter \"path\" is required");
  }
  free(journal->path);
  journal->path = strndup(path.data, path.size);
  if (journal->path == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  return TENON_OK;
}

/* -- applies_to ------------------------------------------------------------- */

/* Selects all resources: the selector is empty. Its lists are present, but have no elements. */
static tenon_status applies_to(tenon_call *call, void *self,
                               const tenon_delete_item_action_v1_applies_to_request *in,
                               const tenon_delete_item_action_v1_applies_to_response **out) {
  tenon_delete_item_action_v1_applies_to_response *response =
      tenon_allocate_zeroed(call, sizeof *response);
  static const tenon_list none = {"", 0, sizeof(tenon_string)};
  (void)self;
  (void)in;
  response->struct_size = sizeof *response;
  response->selector.included_namespaces = none;
  response->selector.excluded_namespaces = none;
  response->selector.included_resources = none;
  response->selector.excluded_resources = none;
  response->selector.label_selector = tenon_text("");
  *out = response;
  return TENON_OK;
}

/* -- Reading a resource ----------------------------------------------------- */

/* A position in a JSON text. Strings keep their quotes and escapes, so nothing needs decoding. */
struct json {
  const char *at;
  const char *end;
};

enum { MAX_LEVELS = 256 };

static int is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct json *json) {
  while (json->at < json->end && is_blank(*json->at)) json->at++;
}

/* Consumes the next character if it is `c`. Returns whether it is. */
static int take(struct json *json, char c) {
  skip_blanks(json);
  if (json->at == json->end || *json->at != c) return 0;
  json->at++;
  return 1;
}

/* Consumes a string and returns it with its quotes, or an absent text if there is none. */
static tenon_string take_text(struct json *json) {
  tenon_string text = {NULL, 0};
  const char *begin;
  skip_blanks(json);
  begin = json->at;
  if (!take(json, '"')) return text;
  while (json->at < json->end && *json->at != '"') {
    if ((unsigned char)*json->at < 0x20) return text;
    if (*json->at == '\\' && json->at + 1 < json->end) json->at++;
    json->at++;
  }
  if (json->at >= json->end) return text;
  json->at++;
  text.data = begin;
  text.size = (size_t)(json->at - begin);
  return text;
}

/* Consumes a number, true, false or null. */
static int skip_word(struct json *json) {
  const char *begin = json->at;
  while (json->at < json->end && !is_blank(*json->at) && *json->at != ',' && *json->at != ']' &&
         *json->at != '}') {
    json->at++;
  }
  return json->at > begin;
}

static int skip_value(struct json *json, int levels);

/* Consumes the members of an object or the elements of a list, after its opening bracket. */
static int skip_members(struct json *json, char close, int levels) {
  if (take(json, close)) return 1;
  do {
    if (close == '}' && (take_text(json).data == NULL || !take(json, ':'))) return 0;
    if (!skip_value(json, levels)) return 0;
  } while (take(json, ','));
  return take(json, close);
}

/* Consumes a value. Returns whether there was one. */
static int skip_value(struct json *json, int levels) {
  skip_blanks(json);
  if (json->at == json->end || levels == 0) return 0;
  if (*json->at == '"') return take_text(json).data != NULL;
  if (take(json, '{')) return skip_members(json, '}', levels - 1);
  if (take(json, '[')) return skip_members(json, ']', levels - 1);
  return skip_word(json);
}

/* The values of a resource in a line. Values that the resource does not have are absent. */
struct resource {
  tenon_string api_version, kind, space, name;
};

static int names(tenon_string key, const char *quoted) {
  return tenon_equal(key, tenon_text(quoted));
}

/* Consumes a value and returns it in *text if it is a string. Returns whether there was one. */
static int take_text_or_value(struct json *json, tenon_string *text) {
  struct json before = *json;
  *text = take_text(json);
  if (text->data != NULL) return 1;
  *json = before;
  return skip_value(json, MAX_LEVELS);
}

static int read_object(struct json *json, struct resource *resource, int is_metadata);

/* Consumes the value of the member `key`, and stores it if the line contains it. */
static int read_member(struct json *json, tenon_string key, struct resource *resource,
                       int is_metadata) {
  tenon_string *wanted = NULL;
  if (!is_metadata && names(key, "\"metadata\"")) {
    struct json before = *json;
    if (read_object(json, resource, 1)) return 1;
    *json = before;
  }
  if (!is_metadata && names(key, "\"apiVersion\"")) wanted = &resource->api_version;
  if (!is_metadata && names(key, "\"kind\"")) wanted = &resource->kind;
  if (is_metadata && names(key, "\"namespace\"")) wanted = &resource->space;
  if (is_metadata && names(key, "\"name\"")) wanted = &resource->name;
  return wanted != NULL ? take_text_or_value(json, wanted) : skip_value(json, MAX_LEVELS);
}

/* Consumes an object. Returns whether there was one. */
static int read_object(struct json *json, struct resource *resource, int is_metadata) {
  if (!take(json, '{')) return 0;
  if (take(json, '}')) return 1;
  do {
    tenon_string key = take_text(json);
    if (key.data == NULL || !take(json, ':')) return 0;
    if (!read_member(json, key, resource, is_metadata)) return 0;
  } while (take(json, ','));
  return take(json, '}');
}

/* Reads an item. Returns whether it is one object and nothing else. */
static int read_resource(tenon_string item, struct resource *resource) {
  struct json json = {item.data, item.data + item.size};
  memset(resource, 0, sizeof *resource);
  if (!read_object(&json, resource, 0)) return 0;
  skip_blanks(&json);
  return json.at == json.end;
}

/* -- Writing a line --------------------------------------------------------- */

static char *put(char *out, const char *text, size_t size) {
  if (size > 0) memcpy(out, text, size);
  return out + size;
}

/* Writes a text as JSON, at most 6 * text.size + 2 characters. */
static char *put_json(char *out, tenon_string text) {
  size_t i;
  *out++ = '"';
  for (i = 0; i < text.size; i++) {
    unsigned char c = (unsigned char)text.data[i];
    if (c < 0x20 || c == '"' || c == '\\') {
      out += sprintf(out, "\\u%04x", c);
    } else {
      *out++ = (char)c;
    }
  }
  *out++ = '"';
  return out;
}

static char *put_member(char *out, const char *name, tenon_string quoted) {
  if (quoted.data == NULL) return out;
  out = put(out, name, strlen(name));
  return put(out, quoted.data, quoted.size);
}

/* Returns a line. It begins with a newline, which is skipped unless the file ends within a line. */
static tenon_string make_line(tenon_call *call, tenon_string backup, const struct resource *of) {
  size_t capacity =
      100 + 6 * backup.size + of->api_version.size + of->kind.size + of->space.size + of->name.size;
  char *start = tenon_allocate(call, capacity), *out = start;
  tenon_string line;
  out = put(out, "\n{\"backup\":", 11);
  out = put_json(out, backup);
  out = put_member(out, ",\"apiVersion\":", of->api_version);
  out = put_member(out, ",\"kind\":", of->kind);
  out = put_member(out, ",\"namespace\":", of->space);
  out = put_member(out, ",\"name\":", of->name);
  out = put(out, "}\n", 2);
  line.data = start;
  line.size = (size_t)(out - start);
  return line;
}

/* Waits for the lock of the file. */
static tenon_status lock(tenon_call *call, int file, const char *path) {
  while (flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return fail_to(call, "lock", path, errno);
    if (call->functions->wait(call, 1000000) != TENON_NOT_CANCELLED) {
      return fail(call, TENON_CANCELLED, "cancelled while waiting for %s", path);
    }
  }
  return TENON_OK;
}

/* Writes a whole text, or fails with errno. */
static int write_all(int file, tenon_string text) {
  while (text.size > 0) {
    ssize_t written = write(file, text.data, text.size);
    if (written < 0 && errno != EINTR) return -1;
    if (written > 0) {
      text.data += written;
      text.size -= (size_t)written;
    }
  }
  return 0;
}

/* Makes the entry of a new file durable. */
static int sync_directory_of(const char *path) {
  const char *slash = strrchr(path, '/');
  char *directory = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
  int file = directory == NULL ? -1 : open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int failed = file < 0 || fsync(file) != 0;
  int error = errno;
  if (file >= 0) close(file);
  free(directory);
  errno = error;
  return failed ? -1 : 0;
}

/* Returns whether the file ends with an incomplete line. */
static int is_torn(int file, off_t size) {
  char last;
  return size > 0 && pread(file, &last, 1, size - 1) == 1 && last != '\n';
}

/* Appends the line, or leaves the file unchanged. The file must be locked. */
static tenon_status append_locked(tenon_call *call, int file, const char *path, tenon_string line) {
  struct stat before;
  if (fstat(file, &before) != 0) return fail_to(call, "read", path, errno);
  if (!is_torn(file, before.st_size)) {
    line.data++;
    line.size--;
  }
  if (write_all(file, line) != 0 || fdatasync(file) != 0 ||
      (before.st_size == 0 && sync_directory_of(path) != 0)) {
    int error = errno;
    if (ftruncate(file, before.st_size) != 0) {
      return fail_to(call, "write and cannot undo the partial write of", path, error);
    }
    return fail_to(call, "write", path, error);
  }
  return TENON_OK;
}

/* -- execute ---------------------------------------------------------------- */

/* Each call opens the file, because locks exclude only other open files. */
static tenon_status execute(tenon_call *call, void *self,
                            const tenon_delete_item_action_v1_execute_request *in) {
  const struct journal *journal = self;
  struct resource resource;
  tenon_string line;
  tenon_status status;
  int file;

  if (journal->path == NULL) {
    return tenon_fail(call, TENON_FAILED_PRECONDITION,
                      "no journal to write to; fix: set the parameter \"path\"");
  }
  if (!read_resource(in->item, &resource)) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "the item is not a JSON object");
  }
  line = make_line(call, in->backup.name, &resource);

  file = open(journal->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return fail_to(call, "open", journal->path, errno);
  status = lock(call, file, journal->path);
  if (status == TENON_OK) status = append_locked(call, file, journal->path, line);
  close(file);
  return status;
}

/* -- The module ------------------------------------------------------------- */

static const tenon_base base = {.struct_size = sizeof base, .create = create, .destroy = destroy};

static const tenon_delete_item_action_v1 action = {TENON_DELETE_ITEM_ACTION_V1_BASE, .base = &base,
                                                   .configure = configure, .applies_to = applies_to,
                                                   .execute = execute};

#define PLUGINS(P) P(tenon_delete_item_action, 1, "example.io/journal", &action)
TENON_MODULE("example.io/journal", "1.0.0", PLUGINS,
             {"summary": "Records the resources of deleted backups"});
