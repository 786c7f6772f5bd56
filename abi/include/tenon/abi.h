/* SPDX-License-Identifier: BSL-1.0
 *
 * tenon/abi.h: the ABI between a host and a plugin, version 1.1.
 *
 * A plugin is a native module (.so, .dll) that exports one const object,
 * `tenon_module_v1`, and carries one note with its manifest. This header is all
 * that a plugin in C needs besides the header of each kind that it implements.
 *
 * Rules that hold for everything below:
 *  - 64-bit platforms only; sizes are size_t, other integers have a fixed width.
 *  - Structs that cross by pointer start with `struct_size`, set by whoever made
 *    them, and grow only at their end. A member is absent when it lies past
 *    `struct_size` or is NULL; ask with TENON_HAS. Larger than known is fine.
 *  - Values (text, bytes, lists, maps, documents) are embedded, carry no size of
 *    their own, and never grow. Arrays of structs say the size of an element.
 *  - Text is UTF-8 and not terminated. Data NULL is absent, data not NULL with
 *    size 0 is empty.
 *  - Whoever allocated memory frees it. Inputs belong to the caller and are valid
 *    until the method returns. Outputs live in the arena of the call.
 *  - No C++ exception leaves a function of a table.
 */
#ifndef TENON_ABI_H
#define TENON_ABI_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* -- ABI version ------------------------------------------------------------ */

#define TENON_ABI_MAJOR 1
#define TENON_ABI_MINOR 1

/* The lowest minor version of the ABI that a module requires. The host treats each module
 * according to the version that the module requires. Differences are marked below with "since
 * ABI 1.1". Define it before the first include to require more than the default. */
#ifndef TENON_ABI
#define TENON_ABI 0
#endif
#if TENON_ABI > TENON_ABI_MINOR
#error "TENON_ABI names a newer ABI than this header describes"
#endif

/* -- Values ----------------------------------------------------------------- */

/* UTF-8 text. eg: {"blur", 4} */
typedef struct tenon_string {
  const char *data;
  size_t size; /* in bytes */
} tenon_string;

/* Bytes that are only read. */
typedef struct tenon_bytes {
  const uint8_t *data;
  size_t size;
} tenon_bytes;

/* Bytes that the callee may change in place. The caller owns them. */
typedef struct tenon_buffer {
  uint8_t *data;
  size_t size;
} tenon_buffer;

/* `count` elements, each `stride` bytes after the one before. The stride may be
 * larger than the type of the element that the reader knows; see TENON_AT. */
typedef struct tenon_list {
  const void *data;
  size_t count;
  size_t stride;
} tenon_list;

/* Texts to values: `keys.count` equals `values.count`, keys are tenon_string and
 * each stands once. The order means nothing. */
typedef struct tenon_map {
  tenon_list keys;
  tenon_list values;
} tenon_map;

/* Spans of time and points in time (since 1970-01-01T00:00:00Z), in nanoseconds. */
typedef int64_t tenon_duration;
typedef int64_t tenon_timestamp;

/* Element `i` of a list. REQUIRED: i < list.count. */
#define TENON_AT(type, list, i) \
  (*(const type *)(const void *)((const char *)(list).data + (size_t)(i) * (list).stride))

/* Whether the member of a sized struct is there. */
#define TENON_HAS(object, member) \
  ((object)->struct_size >=       \
   (size_t)((const char *)(&(object)->member + 1) - (const char *)(object)))

/* A tenon_string from a string literal. Also for static initialisers. */
#define TENON_TEXT(literal) \
  { "" literal, sizeof(literal) - 1 }

/* -- Status ----------------------------------------------------------------- */

/* The low 8 bits hold a code: one of the canonical codes of gRPC, which stay below 128, or
 * one of tenon's own, which begin there. A code that the reader does not know means
 * TENON_UNKNOWN. Flags may be added to any code but TENON_OK. A failing status comes with
 * a message: tenon_fail. */
typedef int32_t tenon_status;

#define TENON_OK 0
#define TENON_CANCELLED 1
#define TENON_UNKNOWN 2
#define TENON_INVALID_ARGUMENT 3
#define TENON_DEADLINE_EXCEEDED 4
#define TENON_NOT_FOUND 5
#define TENON_ALREADY_EXISTS 6
#define TENON_PERMISSION_DENIED 7
#define TENON_RESOURCE_EXHAUSTED 8
#define TENON_FAILED_PRECONDITION 9
#define TENON_ABORTED 10
#define TENON_OUT_OF_RANGE 11
#define TENON_UNIMPLEMENTED 12
#define TENON_INTERNAL 13
#define TENON_UNAVAILABLE 14
#define TENON_DATA_LOSS 15
#define TENON_UNAUTHENTICATED 16
/* The plugin crashed in the call, and the host contained it. Set by hosts. A call of a method
 * or of a stream adds TENON_RESTARTED: the module is restarted, and its instances go on without
 * the state that was not saved. It is not retryable: nobody knows how far the call came, and the
 * same input may crash the plugin again. */
#define TENON_CRASHED 128

#define TENON_RETRYABLE 0x100 /* the same call may succeed later */
#define TENON_FATAL 0x200     /* the module is broken and asks to be restarted */
#define TENON_RESTARTED 0x400 /* the instance was replaced and is back in an earlier state */

#define TENON_CODE(status) ((status)&0xff)

/* Levels of the log. */
#define TENON_LOG_TRACE 0
#define TENON_LOG_DEBUG 1
#define TENON_LOG_INFO 2
#define TENON_LOG_WARN 3
#define TENON_LOG_ERROR 4

/* A key and its value. eg: {"rows", "12"} */
typedef struct tenon_log_pair {
  tenon_string key;
  tenon_string value;
} tenon_log_pair;

/* One line of the log; see tenon_log. */
typedef struct tenon_log_line {
  size_t struct_size;
  int32_t level;       /* TENON_LOG_... */
  int32_t reserved;    /* 0 */
  tenon_string plugin; /* whose instance logs; absent: the one whose function runs, if any */
  tenon_string message;
  tenon_list pairs; /* of tenon_log_pair */
} tenon_log_line;

/* Why a call was cancelled. */
#define TENON_NOT_CANCELLED 0
#define TENON_CANCELLED_BY_CALLER 1
#define TENON_CANCELLED_BY_DEADLINE 2
#define TENON_CANCELLED_BY_RESTART 3

/* -- Call ------------------------------------------------------------------- */

typedef struct tenon_call tenon_call;

/* What a method may ask of its caller. One table serves many calls. */
typedef struct tenon_call_functions {
  size_t struct_size;

  /* Memory from the arena of the call, aligned to 16 bytes, valid until the caller
   * is done with the results. Never NULL: where memory ends, the host ends. */
  void *(*allocate)(tenon_call *call, size_t size);

  /* Says why the method fails; copies the text. The last one counts. [thread of the call] */
  void (*fail)(tenon_call *call, tenon_status status, tenon_string message);

  /* Writes to the host's log with the name of the plugin. [thread of the call] */
  void (*log)(tenon_call *call, int32_t level, tenon_string message);

  /* TENON_NOT_CANCELLED or the reason. [any thread, until the method returns] */
  int32_t (*cancelled)(tenon_call *call);

  /* Waits until the call is cancelled or `timeout` has passed; negative waits without
   * end. Returns what `cancelled` returns. [any thread, until the method returns] */
  int32_t (*wait)(tenon_call *call, tenon_duration timeout);

  /* What to poll for readability (POSIX: a file descriptor) or to wait for (Windows: a
   * HANDLE) to learn of the cancellation; -1 where the system has none left. Owned by
   * the host, never read or closed here. [any thread, until the method returns] */
  intptr_t (*wait_handle)(tenon_call *call);

  /* What the last method that failed in this call said; absent where none did. Lives in the
   * arena of the call. For who calls another plugin. [thread of the call] */
  tenon_string (*message)(tenon_call *call);

  /* Returns whether the host's log takes lines of this level, not 0 or 0. Ask before a line is put
   * together. The answer does not change. [thread of the call] */
  int32_t (*log_wanted)(tenon_call *call, int32_t level);

  /* Writes a line with key-value pairs to the host's log. [thread of the call] */
  void (*log_line)(tenon_call *call, const tenon_log_line *line);
} tenon_call_functions;

/* One call of one method. Belongs to the thread that makes the call and ends with the
 * method; the host may hand the same object to the next call. */
struct tenon_call {
  size_t struct_size;
  const tenon_call_functions *functions;

  /* The free part of the arena's current block; see tenon_allocate. */
  uint8_t *arena_next;
  uint8_t *arena_end;

  /* When the caller stops waiting, on the clock of CLOCK_MONOTONIC (Windows:
   * QueryPerformanceCounter) in nanoseconds; INT64_MAX is never. Constant while the
   * method runs. */
  int64_t deadline;
};

/* -- Streams ---------------------------------------------------------------- */

/* The only objects that outlive a call. Whoever implements one puts it first in a
 * struct of its own. Its owner releases it exactly once, on any thread; until then every
 * call of its functions comes from one thread at a time, perhaps beside methods of the
 * instance that made it.
 *  - One in a response belongs to the caller.
 *  - One in a request is lent: it goes over to the method with TENON_OK. A method that
 *    fails leaves it alone, so only what succeeds releases it, or keeps it for later.
 *  - None outlives the instance that made it, nor its code: when the instance ends, when
 *    a restart has waited long enough for it, or at once when a session is restarted, the
 *    host releases it in the place of its owner. What the owner holds stays valid until it
 *    is released: its functions answer TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED,
 *    and a call that is inside one is cancelled with TENON_CANCELLED_BY_RESTART. */
typedef struct tenon_reader tenon_reader;
struct tenon_reader {
  size_t struct_size;
  /* Fills `into` from its start; *got is 0 only at the end. May block until the call is
   * cancelled, and so may the functions of a writer.
   * Since ABI 1.1, of a reader that the module made: *got is 0 where nothing is ready
   * yet, and the host asks again after a while; the end is TENON_OUT_OF_RANGE. Whoever
   * holds the reader sees 0 at the end, and only there, as ever. */
  tenon_status (*read)(tenon_call *call, tenon_reader *self, tenon_buffer into, size_t *got);
  void (*release)(tenon_reader *self);
};

typedef struct tenon_writer tenon_writer;
struct tenon_writer {
  size_t struct_size;
  /* Takes all of `from` or fails. */
  tenon_status (*write)(tenon_call *call, tenon_writer *self, tenon_bytes from);
  /* Makes what was written complete and durable. A writer that is released without it
   * discards what was written. */
  tenon_status (*commit)(tenon_call *call, tenon_writer *self);
  void (*release)(tenon_writer *self);
};

/* -- Host ------------------------------------------------------------------- */

/* An instance of somebody's plugin as its user sees it: the table of the version of
 * the kind that was asked for, and the object to pass as `self`. */
typedef struct tenon_instance {
  const void *table; /* const <prefix>_v<N> * */
  void *self;
} tenon_instance;

/* Which plugin is wanted, for the functions of the host. */
typedef struct tenon_plugin_request {
  size_t struct_size;
  tenon_string kind;      /* eg: "tenon.dev/source" */
  int32_t version;        /* of the kind, as compiled into the asker */
  int32_t reserved;       /* 0 */
  uint64_t fingerprint;   /* of that version's spec: <PREFIX>_V<N>_FINGERPRINT */
  tenon_string reference; /* eg: "builtin:tenon.dev/log"; not used by find */
} tenon_plugin_request;

typedef struct tenon_find_response {
  size_t struct_size;
  tenon_list names; /* of tenon_string; one per plugin, sorted */
} tenon_find_response;

/* What a module may ask of the host that loaded it. Valid from before `start` until
 * after `stop`. */
typedef struct tenon_host tenon_host;
struct tenon_host {
  size_t struct_size;
  int32_t abi_major; /* of the host */
  int32_t abi_minor;

  /* Writes to the host's log with the name of the module. [any thread] */
  void (*log)(const tenon_host *host, int32_t level, tenon_string message);

  /* A call of the module's own, for its own threads and for calls to other plugins.
   * With a parent it takes over the parent's deadline and cancellation; its arena is its
   * own. The parent may end first; then nothing cancels the call any more. Ends on the
   * same thread with call_end, which frees what the arena holds.
   * [any thread] */
  tenon_status (*call_begin)(const tenon_host *host, tenon_call *parent, tenon_call **call);
  void (*call_end)(const tenon_host *host, tenon_call *call);

  /* The names of the plugins of a kind that `create` could serve at this version. The
   * answer lives in the arena of the call. [any thread] */
  tenon_status (*find)(const tenon_host *host, tenon_call *call, const tenon_plugin_request *in,
                       const tenon_find_response **out);

  /* A new instance of another plugin: of the module's own package, of one that its manifest
   * requires, in the version that it got, or of the host's builtins. An older plugin is
   * adapted to the version asked for, a plugin that has only newer versions is refused.
   * Stays valid when its provider restarts. Given back with release; what is left is
   * released when the asking module is unloaded. [any thread] */
  tenon_status (*create)(const tenon_host *host, tenon_call *call, const tenon_plugin_request *in,
                         tenon_instance *out);
  void (*release)(const tenon_host *host, tenon_instance *instance);

  /* The same as those of a call. [any thread] */
  int32_t (*log_wanted)(const tenon_host *host, int32_t level);
  void (*log_line)(const tenon_host *host, const tenon_log_line *line);
};

/* -- Tables of plugins ------------------------------------------------------ */

typedef struct tenon_create_request {
  size_t struct_size;
  const tenon_host *host; /* as for start */
  tenon_string name;      /* of the plugin, eg: "me.example/blur" */
} tenon_create_request;

typedef struct tenon_state_request {
  size_t struct_size;
  int32_t version; /* of the state: wanted for save, given for restore */
  int32_t reserved;
  tenon_bytes state; /* restore only; empty is a state, absent is none */
} tenon_state_request;

typedef struct tenon_state_response {
  size_t struct_size;
  tenon_bytes state;
} tenon_state_response;

/* What every plugin has beside the methods of its kind. A table whose base is NULL has
 * no state of its own: its instances are all NULL. Every function runs alone: the host
 * makes no other call to the instance at the same time. */
typedef struct tenon_base {
  size_t struct_size;

  /* Makes an instance. Cheap: nothing is opened here. */
  tenon_status (*create)(tenon_call *call, const tenon_create_request *in, void **self);
  /* Ends an instance. No call is inside it and none follows. */
  void (*destroy)(void *self);

  /* Optional, around a restart. save_state may not call the host's create. restore_state
   * is called after configure with what was saved, and not called where nothing was.
   * Since ABI 1.1 it is called whenever the instance takes the place of another: where
   * nothing was saved (no save_state, the state discarded, a crash), `version` is 0 and
   * `state` absent. */
  tenon_status (*save_state)(tenon_call *call, void *self, const tenon_state_request *in,
                             const tenon_state_response **out);
  tenon_status (*restore_state)(tenon_call *call, void *self, const tenon_state_request *in);
  /* Optional, session kinds: let go of what the next generation will take over; take it
   * back because the restart failed. */
  tenon_status (*suspend)(tenon_call *call, void *self);
  tenon_status (*resume)(tenon_call *call, void *self);
} tenon_base;

/* How the table of every kind begins; its methods follow, each one function pointer. */
typedef struct tenon_table {
  size_t struct_size;
  int32_t version; /* of the kind */
  int32_t reserved;
  const tenon_base *base;
} tenon_table;

/* One plugin of a module. */
typedef struct tenon_registration {
  tenon_string kind;
  int32_t version;
  int32_t reserved;
  uint64_t fingerprint;
  tenon_string name;
  const void *table; /* begins as tenon_table does */
} tenon_registration;

/* -- Module ----------------------------------------------------------------- */

#define TENON_MAGIC UINT64_C(0x31766e6f6e6574ab) /* bytes in memory: 0xab "tenonv1" */

/* The object that a module exports. The members up to manifest_size are the prologue:
 * they never change, and its integers are read from the file before it is loaded. */
typedef struct tenon_module {
  uint64_t magic;       /* TENON_MAGIC */
  uint32_t struct_size; /* at most 65536 */
  uint16_t abi_major;
  uint16_t abi_minor;   /* the lowest that the module requires */
  const char *manifest; /* the text in the note */
  uint64_t manifest_size;

  tenon_list registrations; /* of tenon_registration */

  /* Optional. Before the first create of this image. Constructors of static objects run
   * inside the system's loader and must be trivial; work belongs here. */
  tenon_status (*start)(tenon_call *call, const tenon_host *host);
  /* Optional, after the last destroy. No thread may run the module's code afterwards. */
  void (*stop)(void);
} tenon_module;

/* -- Helpers for methods ---------------------------------------------------- */

/* Memory from the arena of the call; see tenon_call_functions.allocate. */
static inline void *tenon_allocate(tenon_call *call, size_t size) {
  uint8_t *start = call->arena_next;
  size_t room = (size_t)(call->arena_end - start);
  if (size <= room) {
    size_t padded = (size + 15u) & ~(size_t)15u;
    call->arena_next = padded <= room ? start + padded : call->arena_end;
    return start;
  }
  return call->functions->allocate(call, size);
}

/* The same, zeroed. */
static inline void *tenon_allocate_zeroed(tenon_call *call, size_t size) {
  return memset(tenon_allocate(call, size), 0, size);
}

/* The same, as a copy of `size` bytes at `data`. */
static inline void *tenon_allocate_copy(tenon_call *call, const void *data, size_t size) {
  void *copy = tenon_allocate(call, size);
  return size != 0 ? memcpy(copy, data, size) : copy;
}

/* Text of a terminated string, not copied; NULL is absent. */
static inline tenon_string tenon_text(const char *terminated) {
  tenon_string text;
  text.data = terminated;
  text.size = terminated != NULL ? strlen(terminated) : 0;
  return text;
}

/* Fails: `return tenon_fail(call, TENON_NOT_FOUND, "no such table");` */
static inline tenon_status tenon_fail(tenon_call *call, tenon_status status, const char *message) {
  call->functions->fail(call, status, tenon_text(message));
  return status;
}

/* Whether two texts are the same. */
static inline int tenon_equal(tenon_string a, tenon_string b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* The text under `key` in a map of texts; absent where there is none. */
static inline tenon_string tenon_get(tenon_map map, const char *key) {
  tenon_string wanted = tenon_text(key);
  size_t i;
  for (i = 0; i < map.keys.count; i++) {
    if (tenon_equal(TENON_AT(tenon_string, map.keys, i), wanted)) {
      return TENON_AT(tenon_string, map.values, i);
    }
  }
  return tenon_text(NULL);
}

/* Room in the arena for a list of `count` zeroed elements; *elements is where they are. */
static inline tenon_list tenon_new_list(tenon_call *call, size_t count, size_t stride,
                                        void **elements) {
  tenon_list list;
  *elements = tenon_allocate_zeroed(call, count * stride);
  list.data = *elements;
  list.count = count;
  list.stride = stride;
  return list;
}

/* Whether the host's log takes lines of this level. A host that cannot be asked takes all. */
static inline int tenon_log_wanted(tenon_call *call, int32_t level) {
  const tenon_call_functions *functions = call->functions;
  if (!TENON_HAS(functions, log_wanted) || functions->log_wanted == NULL) return 1;
  return functions->log_wanted(call, level) != 0;
}
static inline int tenon_host_log_wanted(const tenon_host *host, int32_t level) {
  if (!TENON_HAS(host, log_wanted) || host->log_wanted == NULL) return 1;
  return host->log_wanted(host, level) != 0;
}

/* A line for tenon_log; nothing is copied. `pairs` may be NULL where `count` is 0. */
static inline tenon_log_line tenon_new_log_line(int32_t level, const char *message,
                                                const tenon_log_pair *pairs, size_t count) {
  tenon_log_line line;
  line.struct_size = sizeof line;
  line.level = level;
  line.reserved = 0;
  line.plugin = tenon_text(NULL);
  line.message = tenon_text(message);
  line.pairs.data = pairs;
  line.pairs.count = count;
  line.pairs.stride = sizeof *pairs;
  return line;
}

/* Writes a line to the host's log:
 *
 *   const tenon_log_pair pairs[] = {{TENON_TEXT("table"), in->table}};
 *   tenon_log(call, tenon_new_log_line(TENON_LOG_INFO, "opened", pairs, 1));
 *
 * A host without `log_line` gets the message alone, without the pairs. */
static inline void tenon_log(tenon_call *call, tenon_log_line line) {
  const tenon_call_functions *functions = call->functions;
  if (TENON_HAS(functions, log_line) && functions->log_line != NULL) {
    functions->log_line(call, &line);
  } else {
    functions->log(call, line.level, line.message);
  }
}
static inline void tenon_host_log(const tenon_host *host, tenon_log_line line) {
  if (TENON_HAS(host, log_line) && host->log_line != NULL) {
    host->log_line(host, &line);
  } else {
    host->log(host, line.level, line.message);
  }
}

#ifdef __cplusplus
}
#endif

/* -- Declaring a module ------------------------------------------------------ */

/* One declaration makes the table and the manifest. List the plugins of the module in a
 * macro of your own, each as P(prefix of the kind, version, name, pointer to the table):
 *
 *   #define PLUGINS(P) P(photo_filter, 1, "me.example/invert", &filter)
 *   TENON_MODULE("me.example/invert", "1.0.0", PLUGINS, {"summary": "Inverts colours"})
 *
 * What follows PLUGINS is optional: one JSON object with what the manifest says besides
 * (see the page on the manifest). In the manifest, entries that are null end a list and
 * are skipped; so the preprocessor can put a comma behind each entry.
 *
 * TENON_MODULE_WITH also takes the functions start and stop, or NULL. */
#define TENON_MODULE(name, version, ...) \
  TENON_DECLARE_MODULE_(name, version, NULL, NULL, __VA_ARGS__, )
#define TENON_MODULE_WITH(name, version, start, stop, ...) \
  TENON_DECLARE_MODULE_(name, version, start, stop, __VA_ARGS__, )

#define TENON_QUOTE_(...) #__VA_ARGS__
#define TENON_QUOTE_VALUE_(value) TENON_QUOTE_(value)

#define TENON_MANIFEST_ROW_(prefix, kind_version, plugin_name, table)                      \
  "{\"kind\":\"" TENON_KIND_##prefix##_v##kind_version                                     \
      "\",\"version\":" #kind_version ",\"spec\":\"" TENON_SPEC_##prefix##_v##kind_version \
      "\",\"name\":\"" plugin_name "\"},"

#define TENON_REGISTRATION_ROW_(prefix, kind_version, plugin_name, table) \
  {TENON_TEXT(TENON_KIND_##prefix##_v##kind_version),                     \
   kind_version,                                                          \
   0,                                                                     \
   TENON_FINGERPRINT_##prefix##_v##kind_version,                          \
   TENON_TEXT(plugin_name),                                               \
   table},

#define TENON_MANIFEST_TEXT_(module_name, module_version, rows, ...)                       \
  "{\"manifest\":1,\"abi\":\"" TENON_QUOTE_VALUE_(TENON_ABI_MAJOR) "." TENON_QUOTE_VALUE_( \
      TENON_ABI) "\",\"name\":\"" module_name                                              \
                 "\",\"version\":"                                                         \
                 "\"" module_version "\",\"provides\":[" rows                              \
                 "null],\"details\":"                                                      \
                 "[" TENON_QUOTE_(__VA_ARGS__) "null]}"

/* The note. ELF: section .note.tenon, name "tenon", type 1. PE: section .tenon. */
#define TENON_NOTE_TYPE 1
#if defined(_MSC_VER)
#pragma section(".tenon", read)
#define TENON_NOTE_SECTION_ __declspec(allocate(".tenon"))
#define TENON_EXPORT __declspec(dllexport)
#elif defined(_WIN32)
#define TENON_NOTE_SECTION_ __attribute__((section(".tenon"), used, aligned(4)))
#define TENON_EXPORT __declspec(dllexport)
#else
#define TENON_NOTE_SECTION_ __attribute__((section(".note.tenon"), used, aligned(4)))
#define TENON_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
#define TENON_LINKAGE_BEGIN_ extern "C" {
#define TENON_LINKAGE_END_ }
#else
#define TENON_LINKAGE_BEGIN_
#define TENON_LINKAGE_END_
#endif

/* A note whose text has room for `size` bytes, terminator included. */
#define TENON_NOTE_STRUCT_(size) \
  struct {                       \
    uint32_t name_size;          \
    uint32_t text_size;          \
    uint32_t type;               \
    char name[8];                \
    char text[size];             \
  }

#define TENON_DECLARE_MODULE_(name, version, start, stop, plugins, ...)                        \
  static const tenon_registration tenon_registrations_[] = {plugins(TENON_REGISTRATION_ROW_)}; \
  TENON_NOTE_SECTION_ static const TENON_NOTE_STRUCT_(sizeof(TENON_MANIFEST_TEXT_(             \
      name, version, plugins(TENON_MANIFEST_ROW_), __VA_ARGS__))) tenon_note_ = {              \
      6, sizeof(tenon_note_.text), TENON_NOTE_TYPE, "tenon",                                   \
      TENON_MANIFEST_TEXT_(name, version, plugins(TENON_MANIFEST_ROW_), __VA_ARGS__)};         \
  TENON_LINKAGE_BEGIN_                                                                         \
  extern TENON_EXPORT const tenon_module tenon_module_v1;                                      \
  const tenon_module tenon_module_v1 = {                                                       \
      TENON_MAGIC,                                                                             \
      (uint32_t)sizeof(tenon_module),                                                          \
      TENON_ABI_MAJOR,                                                                         \
      TENON_ABI,                                                                               \
      tenon_note_.text,                                                                        \
      sizeof(tenon_note_.text) - 1,                                                            \
      {tenon_registrations_, sizeof tenon_registrations_ / sizeof tenon_registrations_[0],     \
       sizeof tenon_registrations_[0]},                                                        \
      start,                                                                                   \
      stop};                                                                                   \
  TENON_LINKAGE_END_                                                                           \
  struct tenon_module

/* -- Layout ------------------------------------------------------------------ */

#ifdef __cplusplus
#define TENON_ASSERT_LAYOUT(condition) static_assert(condition, "the layout of the ABI")
#else
#define TENON_ASSERT_LAYOUT(condition) _Static_assert(condition, "the layout of the ABI")
#endif

TENON_ASSERT_LAYOUT(sizeof(void *) == 8 && sizeof(size_t) == 8);
TENON_ASSERT_LAYOUT(sizeof(tenon_string) == 16 && sizeof(tenon_list) == 24);
TENON_ASSERT_LAYOUT(sizeof(tenon_map) == 48 && sizeof(tenon_buffer) == 16);
TENON_ASSERT_LAYOUT(sizeof(tenon_log_pair) == 32 && offsetof(tenon_log_line, pairs) == 48);
TENON_ASSERT_LAYOUT(offsetof(tenon_call_functions, log_line) == 72);
TENON_ASSERT_LAYOUT(offsetof(tenon_call, deadline) == 32 && sizeof(tenon_call) == 40);
TENON_ASSERT_LAYOUT(offsetof(tenon_reader, release) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_writer, release) == 24);
TENON_ASSERT_LAYOUT(offsetof(tenon_plugin_request, reference) == 40);
TENON_ASSERT_LAYOUT(offsetof(tenon_host, log_line) == 72);
TENON_ASSERT_LAYOUT(offsetof(tenon_create_request, name) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_state_request, state) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_base, resume) == 48);
TENON_ASSERT_LAYOUT(sizeof(tenon_table) == 24 && offsetof(tenon_table, base) == 16);
TENON_ASSERT_LAYOUT(sizeof(tenon_registration) == 56 && offsetof(tenon_registration, table) == 48);
TENON_ASSERT_LAYOUT(offsetof(tenon_module, manifest) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_module, registrations) == 32);
TENON_ASSERT_LAYOUT(offsetof(tenon_module, stop) == 64 && sizeof(tenon_module) == 72);

#endif /* TENON_ABI_H */
