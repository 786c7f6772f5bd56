/* SPDX-License-Identifier: BSL-1.0
 *
 * flat_store.c: an object store of version 1 in plain C, as an example. It stores each object as a
 * file in one directory, which must exist. The name of the file is the bucket, a slash and the key,
 * with all bytes except letters, digits, "-", "_" and "." percent-encoded:
 *
 *   bucket nightly, key web/contents.tar.gz   ->   nightly%2Fweb%2Fcontents.tar.gz
 *
 * Therefore no key needs a directory, "a" and "a/b" can both be objects, and no key leads out of
 * the directory. File names are limited to 255 bytes, and so are bucket and key together.
 *
 * Read it from the bottom up, like dpkg.c. Methods may run on several threads: after `configure` no
 * method changes the instance, and operations of the file system are atomic. */
#define _GNU_SOURCE /* mkostemp */

#include <tenon/object_store/v1.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_NAME = 255, CHUNK = 64 * 1024, DAY = 24 * 60 * 60 };

/* Prefix of the names of incomplete files. The file name of an object never begins with a dot. */
static const char partial[] = ".partial-";

/* -- An instance ------------------------------------------------------------ */

struct store {
  char *directory; /* NULL until configured */
};

static tenon_status create(tenon_call *call, const tenon_create_request *in, void **self) {
  (void)in;
  *self = calloc(1, sizeof(struct store));
  if (*self == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  return TENON_OK;
}

static void destroy(void *self) {
  struct store *store = self;
  free(store->directory);
  free(store);
}

/* Fails with a message that is formatted like printf. */
static tenon_status fail(tenon_call *call, tenon_status status, const char *format, ...) {
  char message[1024];
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
  if (error == ENOSPC || error == EDQUOT || error == EFBIG || error == EMFILE)
    status = TENON_RESOURCE_EXHAUSTED;
  return fail(call, status, "cannot %s %s: %s", what, path, strerror(error));
}

static tenon_status fail_to_open(tenon_call *call, const struct store *store) {
  return fail(call, TENON_UNAVAILABLE, "cannot open %s: %s", store->directory, strerror(errno));
}

/* -- Names ------------------------------------------------------------------ */

static int is_plain(char c, size_t at) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_' || (c == '.' && at > 0);
}

/* Appends a text to a file name that has `*size` bytes. Returns 0 if the name becomes too long. */
static int encode(tenon_string text, char *name, size_t *size) {
  size_t i;
  for (i = 0; i < text.size; i++) {
    int plain = is_plain(text.data[i], *size);
    if (*size + (plain ? 1 : 3) > MAX_NAME) return 0;
    if (plain) {
      name[(*size)++] = text.data[i];
    } else {
      *size += (size_t)sprintf(name + *size, "%%%02X", (unsigned char)text.data[i]);
    }
  }
  name[*size] = '\0';
  return 1;
}

static int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

/* Decodes a file name into the arena. Returns an absent text if it is not the name of an object. */
static tenon_string decode(tenon_call *call, const char *name) {
  static const tenon_string none = {NULL, 0};
  char again[MAX_NAME + 1];
  char *text = tenon_allocate(call, strlen(name) + 1);
  size_t size = 0;
  tenon_string decoded;
  const char *c;
  for (c = name; *c != '\0'; c++) {
    if (*c == '%') {
      if (value_of(c[1]) < 0 || value_of(c[2]) < 0) return none;
      text[size++] = (char)(value_of(c[1]) * 16 + value_of(c[2]));
      c += 2;
    } else {
      text[size++] = *c;
    }
  }
  decoded.data = text;
  decoded.size = size;
  size = 0;
  if (!encode(decoded, again, &size) || strcmp(again, name) != 0) return none;
  return decoded;
}

static tenon_status check_bucket(tenon_call *call, tenon_string bucket) {
  if (bucket.size > 0 && memchr(bucket.data, '/', bucket.size) == NULL) return TENON_OK;
  return tenon_fail(call, TENON_INVALID_ARGUMENT, "the bucket is empty or has a slash");
}

/* Finds the path of an object, in the arena. Fails if the directory is missing: then the state of the
 * object is unknown. */
static tenon_status find_path(tenon_call *call, const struct store *store, tenon_string bucket,
                              tenon_string key, char **path) {
  static const tenon_string slash = TENON_TEXT("/");
  char name[MAX_NAME + 1];
  size_t size = 0, capacity = strlen(store->directory) + 1 + sizeof name;
  tenon_status status = check_bucket(call, bucket);
  if (status != TENON_OK) return status;
  if (key.size == 0) return tenon_fail(call, TENON_INVALID_ARGUMENT, "the key is empty");
  if (!encode(bucket, name, &size) || !encode(slash, name, &size) || !encode(key, name, &size)) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT,
                      "bucket and key are longer than a file name can be: 255 bytes, three for "
                      "each byte that is not a letter, a digit, \"-\", \"_\" or \".\"");
  }
  if (access(store->directory, F_OK) != 0) return fail_to_open(call, store);
  *path = tenon_allocate(call, capacity);
  snprintf(*path, capacity, "%s/%s", store->directory, name);
  return TENON_OK;
}

/* -- configure -------------------------------------------------------------- */

/* Removes an incomplete file that was last written more than a day ago, because its writer has
 * ended. */
static void remove_old(DIR *directory, const char *name) {
  struct stat status;
  if (strncmp(name, partial, sizeof partial - 1) != 0) return;
  if (fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (time(NULL) - status.st_mtime > DAY) unlinkat(dirfd(directory), name, 0);
}

static tenon_status configure(tenon_call *call, void *self,
                              const tenon_object_store_v1_configure_request *in) {
  struct store *store = self;
  tenon_string directory = tenon_get(in->config, "directory");
  const struct dirent *entry;
  char *path;
  DIR *opened;

  if (directory.size == 0) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "parameter \"directory\" is required");
  }
  path = strndup(directory.data, directory.size);
  if (path == NULL) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  opened = opendir(path);
  if (opened == NULL) {
    tenon_status status =
        fail(call, TENON_INVALID_ARGUMENT, "parameter \"directory\": cannot open %s: %s", path,
             strerror(errno));
    free(path);
    return status;
  }
  while ((entry = readdir(opened)) != NULL) remove_old(opened, entry->d_name);
  closedir(opened);
  free(store->directory); /* now, because a configure that fails changes nothing */
  store->directory = path;
  return TENON_OK;
}

/* -- put_object ------------------------------------------------------------- */

/* Waits until the entries of the directory are on the disk. */
static tenon_status sync_directory(tenon_call *call, const struct store *store) {
  int directory = open(store->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int error = directory < 0 || fsync(directory) != 0 ? errno : 0;
  if (directory >= 0) close(directory);
  return error == 0 ? TENON_OK : fail_to(call, "write", store->directory, error);
}

static int write_all(int file, const uint8_t *data, size_t size) {
  while (size > 0) {
    ssize_t count = write(file, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return 0;
    data += count;
    size -= (size_t)count;
  }
  return 1;
}

/* Copies a stream in chunks, so that large objects need little memory. */
static tenon_status copy(tenon_call *call, tenon_reader *body, int file, const char *path) {
  tenon_buffer chunk;
  chunk.data = tenon_allocate(call, CHUNK);
  chunk.size = CHUNK;
  for (;;) {
    size_t got = 0;
    tenon_status status = body->read(call, body, chunk, &got);
    if (status != TENON_OK) return status; /* the reader has set the message */
    if (got == 0) break;
    if (!write_all(file, chunk.data, got)) return fail_to(call, "write", path, errno);
  }
  return fsync(file) == 0 ? TENON_OK : fail_to(call, "write", path, errno);
}

/* Writes the object under a temporary name. It gets its final name when it is complete. */
static tenon_status put_object(tenon_call *call, void *self,
                               const tenon_object_store_v1_put_object_request *in) {
  const struct store *store = self;
  size_t capacity = strlen(store->directory) + 32;
  char *path, *temporary = tenon_allocate(call, capacity);
  tenon_status status = find_path(call, store, in->bucket, in->key, &path);
  int file;
  if (status != TENON_OK) return status;
  if (in->body == NULL) return tenon_fail(call, TENON_INVALID_ARGUMENT, "the body is missing");

  snprintf(temporary, capacity, "%s/%sXXXXXX", store->directory, partial);
  file = mkostemp(temporary, O_CLOEXEC);
  if (file < 0) return fail_to(call, "create a file in", store->directory, errno);
  status = copy(call, in->body, file, temporary);
  close(file);
  if (status == TENON_OK && rename(temporary, path) != 0) {
    status = fail_to(call, "write", path, errno);
  }
  if (status != TENON_OK) {
    unlink(temporary);
    return status;
  }
  status = sync_directory(call, store);
  if (status == TENON_OK) in->body->release(in->body); /* a failed method must not release it */
  return status;
}

/* -- object_exists ---------------------------------------------------------- */

static tenon_status object_exists(tenon_call *call, void *self,
                                  const tenon_object_store_v1_object_exists_request *in,
                                  const tenon_object_store_v1_object_exists_response **out) {
  tenon_object_store_v1_object_exists_response *response;
  struct stat file;
  char *path;
  tenon_status status = find_path(call, self, in->bucket, in->key, &path);
  if (status != TENON_OK) return status;
  response = tenon_allocate_zeroed(call, sizeof *response);
  response->struct_size = sizeof *response;
  response->exists = lstat(path, &file) == 0 && S_ISREG(file.st_mode);
  *out = response;
  return TENON_OK;
}

/* -- get_object ------------------------------------------------------------- */

/* A stream outlives the call, so it is not allocated in the arena. The file stays readable when the
 * object is replaced or deleted. */
struct object_reader {
  tenon_reader reader; /* first, so that a pointer to it also points to the struct */
  int file;
};

static tenon_status read_chunk(tenon_call *call, tenon_reader *self, tenon_buffer into,
                               size_t *got) {
  const struct object_reader *object = (const struct object_reader *)self;
  ssize_t count;
  do {
    count = read(object->file, into.data, into.size);
  } while (count < 0 && errno == EINTR);
  if (count < 0) return fail_to(call, "read", "the object", errno);
  *got = (size_t)count;
  return TENON_OK; /* 0 bytes: the end */
}

static void release(tenon_reader *self) {
  struct object_reader *object = (struct object_reader *)self;
  close(object->file);
  free(object);
}

static tenon_status get_object(tenon_call *call, void *self,
                               const tenon_object_store_v1_get_object_request *in,
                               const tenon_object_store_v1_get_object_response **out) {
  tenon_object_store_v1_get_object_response *response;
  struct object_reader *object;
  char *path;
  int file;
  tenon_status status = find_path(call, self, in->bucket, in->key, &path);
  if (status != TENON_OK) return status;

  file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return fail_to(call, "open", path, errno);
  object = malloc(sizeof *object);
  if (object == NULL) {
    close(file);
    return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  }
  object->reader.struct_size = sizeof object->reader;
  object->reader.read = read_chunk;
  object->reader.release = release;
  object->file = file;

  response = tenon_allocate_zeroed(call, sizeof *response);
  response->struct_size = sizeof *response;
  response->body = &object->reader; /* belongs to the caller */
  *out = response;
  return TENON_OK;
}

/* -- list_objects ----------------------------------------------------------- */

/* Keys in the order in which they are found. The array grows by doubling; the texts are in the
 * arena. */
struct keys {
  tenon_string *data;
  size_t count, capacity;
};

static int append(struct keys *keys, tenon_string key) {
  if (keys->count == keys->capacity) {
    size_t capacity = keys->capacity == 0 ? 64 : 2 * keys->capacity;
    tenon_string *more = realloc(keys->data, capacity * sizeof *more);
    if (more == NULL) return 0;
    keys->data = more;
    keys->capacity = capacity;
  }
  keys->data[keys->count++] = key;
  return 1;
}

/* Removes a prefix from a text. Returns 0 if the text does not begin with it. */
static int take(tenon_string *text, tenon_string prefix) {
  if (text->size < prefix.size) return 0;
  if (prefix.size > 0 && memcmp(text->data, prefix.data, prefix.size) != 0) return 0;
  text->data += prefix.size;
  text->size -= prefix.size;
  return 1;
}

static int compare(const void *left, const void *right) {
  const tenon_string *a = left, *b = right;
  size_t size = a->size < b->size ? a->size : b->size;
  int order = size > 0 ? memcmp(a->data, b->data, size) : 0;
  if (order != 0) return order;
  return a->size < b->size ? -1 : a->size > b->size;
}

/* Finds the keys of a bucket that begin with a prefix, sorted. The caller frees keys->data, also
 * after a failure. */
static tenon_status find_keys(tenon_call *call, const struct store *store, tenon_string bucket,
                              tenon_string prefix, struct keys *keys) {
  static const tenon_string slash = TENON_TEXT("/");
  const struct dirent *entry;
  int enough = 1;
  DIR *directory;
  tenon_status status = check_bucket(call, bucket);
  memset(keys, 0, sizeof *keys);
  if (status != TENON_OK) return status;
  directory = opendir(store->directory);
  if (directory == NULL) return fail_to_open(call, store);
  while (enough && (entry = readdir(directory)) != NULL) {
    tenon_string key = decode(call, entry->d_name), rest;
    if (!take(&key, bucket) || !take(&key, slash)) continue;
    rest = key;
    if (take(&rest, prefix)) enough = append(keys, key);
  }
  closedir(directory);
  if (!enough) return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "out of memory");
  if (keys->count > 0) qsort(keys->data, keys->count, sizeof *keys->data, compare);
  return TENON_OK;
}

static tenon_list make_list(tenon_call *call, const struct keys *keys) {
  void *elements;
  tenon_list list = tenon_new_list(call, keys->count, sizeof(tenon_string), &elements);
  if (keys->count > 0) memcpy(elements, keys->data, keys->count * sizeof *keys->data);
  return list;
}

static tenon_status list_objects(tenon_call *call, void *self,
                                 const tenon_object_store_v1_list_objects_request *in,
                                 const tenon_object_store_v1_list_objects_response **out) {
  struct keys keys;
  tenon_status status = find_keys(call, self, in->bucket, in->prefix, &keys);
  if (status == TENON_OK) {
    tenon_object_store_v1_list_objects_response *response =
        tenon_allocate_zeroed(call, sizeof *response);
    response->struct_size = sizeof *response;
    response->keys = make_list(call, &keys);
    *out = response;
  }
  free(keys.data);
  return status;
}

/* -- list_common_prefixes --------------------------------------------------- */

/* Returns the end of the first delimiter after the prefix, or 0 if there is none. */
static size_t end_of_delimiter(tenon_string key, size_t prefix, tenon_string delimiter) {
  size_t i;
  for (i = prefix; i + delimiter.size <= key.size; i++) {
    if (memcmp(key.data + i, delimiter.data, delimiter.size) == 0) return i + delimiter.size;
  }
  return 0;
}

/* Cuts each sorted key after its delimiter and keeps each beginning once. */
static void keep_beginnings(struct keys *keys, size_t prefix, tenon_string delimiter) {
  size_t i, kept = 0;
  for (i = 0; i < keys->count; i++) {
    tenon_string begin = keys->data[i];
    begin.size = end_of_delimiter(begin, prefix, delimiter);
    if (begin.size == 0 || (kept > 0 && tenon_equal(begin, keys->data[kept - 1]))) continue;
    keys->data[kept++] = begin;
  }
  keys->count = kept;
}

static tenon_status list_common_prefixes(
    tenon_call *call, void *self, const tenon_object_store_v1_list_common_prefixes_request *in,
    const tenon_object_store_v1_list_common_prefixes_response **out) {
  struct keys keys;
  tenon_status status;
  if (in->delimiter.size == 0) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "the delimiter is empty");
  }
  status = find_keys(call, self, in->bucket, in->prefix, &keys);
  if (status == TENON_OK) {
    tenon_object_store_v1_list_common_prefixes_response *response =
        tenon_allocate_zeroed(call, sizeof *response);
    response->struct_size = sizeof *response;
    keep_beginnings(&keys, in->prefix.size, in->delimiter);
    response->prefixes = make_list(call, &keys);
    *out = response;
  }
  free(keys.data);
  return status;
}

/* -- delete_object ---------------------------------------------------------- */

static tenon_status delete_object(tenon_call *call, void *self,
                                  const tenon_object_store_v1_delete_object_request *in) {
  char *path;
  tenon_status status = find_path(call, self, in->bucket, in->key, &path);
  if (status != TENON_OK) return status;
  if (unlink(path) != 0) {
    return errno == ENOENT ? TENON_OK : fail_to(call, "delete", path, errno);
  }
  return sync_directory(call, self);
}

/* -- The module ------------------------------------------------------------- */

static const tenon_base base = {.struct_size = sizeof base, .create = create, .destroy = destroy};

/* create_signed_url is not listed and returns `unimplemented`: a directory has no URL. */
static const tenon_object_store_v1 store = {TENON_OBJECT_STORE_V1_BASE,
                                            .base = &base,
                                            .configure = configure,
                                            .put_object = put_object,
                                            .object_exists = object_exists,
                                            .get_object = get_object,
                                            .list_common_prefixes = list_common_prefixes,
                                            .list_objects = list_objects,
                                            .delete_object = delete_object};

#define PLUGINS(P) P(tenon_object_store, 1, "example.io/flat-store", &store)
TENON_MODULE("example.io/flat-store", "1.0.0", PLUGINS, {"summary": "Objects in one directory"});
