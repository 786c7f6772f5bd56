/* SPDX-License-Identifier: BSL-1.0
 *
 * tenon/abi.h: the ABI between a host and a plugin, version 1.1.
 *
 * A module (.so, .dll) exports one const object, `tenon_module_v1`, and contains one
 * note with its manifest. A plugin in C needs only this header and the header of each
 * kind that it implements.
 *
 * These rules apply to everything below:
 *  - Only 64-bit platforms are supported. Sizes are size_t, other integers have a
 *    fixed width.
 *  - Structs that cross the ABI by pointer start with `struct_size`, which their
 *    creator sets, and grow only at their end. A member is absent if it lies past
 *    `struct_size` (see TENON_HAS) or is NULL. A `struct_size` larger than the reader
 *    knows is valid.
 *  - Values (text, bytes, lists, maps, documents) are embedded in other structs, have
 *    no `struct_size`, and never grow. A list contains the size of its elements.
 *  - Text is UTF-8 and not NUL-terminated. NULL data of size 0 is absent; non-NULL data
 *    of size 0 is empty. A call whose response has NULL data of another size fails.
 *  - Memory is freed by the side that allocated it. Inputs belong to the caller and
 *    are valid until the method returns. Outputs are allocated in the arena of the
 *    call.
 *  - No C++ exception leaves a function of a vtable.
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

/* UTF-8 text. Example: {"blur", 4} */
typedef struct tenon_string {
  const char *data;
  size_t size; /* in bytes */
} tenon_string;

/* Read-only bytes. */
typedef struct tenon_bytes {
  const uint8_t *data;
  size_t size;
} tenon_bytes;

/* Bytes that the callee may change in place. The caller owns them. */
typedef struct tenon_buffer {
  uint8_t *data;
  size_t size;
} tenon_buffer;

/* An array of `count` elements at intervals of `stride` bytes. The stride may be larger
 * than the element type that the reader knows; see TENON_AT. */
typedef struct tenon_list {
  const void *data;
  size_t count;
  size_t stride;
} tenon_list;

/* A map from strings to values. `keys.count` equals `values.count`. Keys are tenon_string,
 * unique and in no particular order. */
typedef struct tenon_map {
  tenon_list keys;
  tenon_list values;
} tenon_map;

/* Spans of time and points in time (since 1970-01-01T00:00:00Z), in nanoseconds. */
typedef int64_t tenon_duration;
typedef int64_t tenon_timestamp;

/* Casts and null pointers without warnings in both languages. */
#ifdef __cplusplus
#define TENON_CAST_(type, value) (static_cast<type>(value))
#define TENON_NULL_ nullptr
#else
#define TENON_CAST_(type, value) ((type)(value))
#define TENON_NULL_ NULL
#endif

/* Element `i` of a list. Requires i < list.count. */
#define TENON_AT(type, list, i)                                                                  \
  (*TENON_CAST_(const type *, TENON_CAST_(const void *, TENON_CAST_(const char *, (list).data) + \
                                                            (i) * (list).stride)))

/* True if `struct_size` of an object includes a member. */
#define TENON_HAS(object, member)                                                            \
  ((object)->struct_size >=                                                                  \
   TENON_CAST_(size_t,                                                                       \
               TENON_CAST_(const char *, TENON_CAST_(const void *, &(object)->member + 1)) - \
                   TENON_CAST_(const char *, TENON_CAST_(const void *, object))))

/* Initialiser of a tenon_string from a string literal. A constant expression. */
#define TENON_TEXT(literal) \
  { "" literal, sizeof(literal) - 1 }

/* -- Status ----------------------------------------------------------------- */

/* Bits 0 to 7 hold a code: a canonical code of gRPC (below 128) or a code of tenon (128 and
 * above), bits 8 to 15 flags, which may be added to any code except TENON_OK. Other bits are 0.
 * Treat unknown codes as TENON_UNKNOWN. A failed method also sets a message; see tenon_fail. */
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
/* The plugin crashed in the call, and the host contained the crash. Only hosts set this code.
 * Calls of methods and of streams add TENON_RESTARTED: the module is restarted, and unsaved state
 * of its instances is lost. The status is not retryable, because the call may have taken effect
 * partly, and the same input may crash the plugin again. */
#define TENON_CRASHED 128

#define TENON_RETRYABLE 0x100 /* the same call may succeed later */
#define TENON_FATAL 0x200     /* the module is broken and asks to be restarted */
#define TENON_RESTARTED 0x400 /* the instance is a new one in an earlier state; set by hosts */

#define TENON_CODE(status) ((status)&0xff)

/* Log levels. */
#define TENON_LOG_TRACE 0
#define TENON_LOG_DEBUG 1
#define TENON_LOG_INFO 2
#define TENON_LOG_WARN 3
#define TENON_LOG_ERROR 4

/* A key and its value. Example: {"rows", "12"} */
typedef struct tenon_log_pair {
  tenon_string key;
  tenon_string value;
} tenon_log_pair;

/* One line of the log; see tenon_log. */
typedef struct tenon_log_line {
  size_t struct_size;
  int32_t level;       /* TENON_LOG_... */
  int32_t reserved;    /* 0 */
  tenon_string plugin; /* name of the plugin; if absent, the one whose function is running */
  tenon_string message;
  tenon_list pairs; /* of tenon_log_pair */
} tenon_log_line;

/* Reasons for the cancellation of a call. */
#define TENON_NOT_CANCELLED 0
#define TENON_CANCELLED_BY_CALLER 1
#define TENON_CANCELLED_BY_DEADLINE 2
#define TENON_CANCELLED_BY_RESTART 3

/* -- Call ------------------------------------------------------------------- */

typedef struct tenon_call tenon_call;

/* Functions that a method may call on its tenon_call. Many calls share one table. */
typedef struct tenon_call_functions {
  size_t struct_size;

  /* Allocates memory in the arena of the call, aligned to 16 bytes. It is valid until the
   * caller has used the results. Never returns NULL: if allocation fails, the host aborts.
   * [thread of the call] */
  void *(*allocate)(tenon_call *call, size_t size);

  /* Sets the error message of the call; copies the text. A later message replaces an earlier
   * one. [thread of the call] */
  void (*fail)(tenon_call *call, tenon_status status, tenon_string message);

  /* Writes a message to the host's log, which adds the name of the plugin.
   * [thread of the call] */
  void (*log)(tenon_call *call, int32_t level, tenon_string message);

  /* Returns TENON_NOT_CANCELLED or the reason of the cancellation.
   * [any thread, until the method returns] */
  int32_t (*cancelled)(tenon_call *call);

  /* Waits until the call is cancelled or `timeout` has passed; a negative timeout never
   * passes. Returns the same values as `cancelled`. [any thread, until the method returns] */
  int32_t (*wait)(tenon_call *call, tenon_duration timeout);

  /* Returns a file descriptor that becomes readable (POSIX) or a HANDLE that is signalled
   * (Windows) on cancellation, or -1 if the system has none left. The deadline does not
   * signal it: limit the wait by that too. The host owns it: do not read or close it.
   * [any thread, until the method returns] */
  intptr_t (*wait_handle)(tenon_call *call);

  /* Returns the message of the last method that failed in this call; absent if none failed.
   * Allocated in the arena of the call. Used by callers of other plugins.
   * [thread of the call] */
  tenon_string (*message)(tenon_call *call);

  /* Returns non-zero if the host logs lines of this level, otherwise 0. Check it before
   * formatting a line. The result never changes. [thread of the call] */
  int32_t (*log_wanted)(tenon_call *call, int32_t level);

  /* Writes a line with key-value pairs to the host's log. [thread of the call] */
  void (*log_line)(tenon_call *call, const tenon_log_line *line);
} tenon_call_functions;

/* One call of one method. It belongs to the calling thread and ends when the method returns;
 * the host may reuse the object for the next call. */
struct tenon_call {
  size_t struct_size;
  const tenon_call_functions *functions;

  /* The free part of the arena's current block; see tenon_allocate. */
  uint8_t *arena_next;
  uint8_t *arena_end;

  /* Deadline of the call in nanoseconds of CLOCK_MONOTONIC (Windows:
   * QueryPerformanceCounter); INT64_MAX means none. Constant while the method runs. */
  int64_t deadline;
};

/* -- Streams ---------------------------------------------------------------- */

/* Readers and writers are the only objects that outlive a call. An implementation embeds
 * one as the first member of its own struct. The owner releases it exactly once, on any
 * thread. Its functions are called by one thread at a time, possibly while methods of the
 * instance that created it run.
 *  - The caller owns a stream in a response.
 *  - A stream in a request is passed to the method if it returns TENON_OK: the method
 *    releases it then or later. If the method fails, the caller keeps the stream, and the
 *    method must not release it.
 *  - No stream outlives its instance or code. The host revokes it when the instance is
 *    destroyed, when a restart has waited for it until its deadline, or immediately when
 *    a restart suspends the instance or saves its state. Revoking releases the stream on
 *    behalf of its owner. The owner's pointer stays valid until the owner releases it:
 *    its functions return TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, and a
 *    function that is running is cancelled with TENON_CANCELLED_BY_RESTART. */
typedef struct tenon_reader tenon_reader;
struct tenon_reader {
  size_t struct_size;
  /* Reads up to `into.size` bytes; *got is 0 only at the end of the stream. May block until
   * the call is cancelled, like the functions of a writer.
   * Since ABI 1.1, a reader that the module implements sets *got to 0 if no data is ready,
   * and the host calls it again later; it reports the end with TENON_OUT_OF_RANGE. Callers
   * of `read` still see 0 only at the end. */
  tenon_status (*read)(tenon_call *call, tenon_reader *self, tenon_buffer into, size_t *got);
  void (*release)(tenon_reader *self);
};

typedef struct tenon_writer tenon_writer;
struct tenon_writer {
  size_t struct_size;
  /* Writes all of `from` or fails. */
  tenon_status (*write)(tenon_call *call, tenon_writer *self, tenon_bytes from);
  /* Completes the stream and makes its data durable. Releasing a writer without a commit
   * discards the data. */
  tenon_status (*commit)(tenon_call *call, tenon_writer *self);
  void (*release)(tenon_writer *self);
};

/* -- Host ------------------------------------------------------------------- */

/* An instance of another plugin: the vtable of the requested version of the kind, and the
 * object to pass as `self`. */
typedef struct tenon_instance {
  const void *table; /* const <prefix>_v<N> * */
  void *self;
} tenon_instance;

/* The requested plugin, for `plugins` and `create` of the host. */
typedef struct tenon_plugin_request {
  size_t struct_size;
  tenon_string kind;      /* example: "tenon.dev/source" */
  int32_t version;        /* of the kind, as compiled into the caller */
  int32_t reserved;       /* 0 */
  uint64_t fingerprint;   /* of that version's spec: <PREFIX>_V<N>_FINGERPRINT */
  tenon_string reference; /* example: "builtin:tenon.dev/log"; not used by plugins */
} tenon_plugin_request;

typedef struct tenon_plugins_response {
  size_t struct_size;
  tenon_list names; /* of tenon_string; one per plugin, sorted */
} tenon_plugins_response;

/* Functions that a module may call on the host that loaded it. Valid from before `start`
 * until after `stop`. */
typedef struct tenon_host tenon_host;
struct tenon_host {
  size_t struct_size;
  int32_t abi_major; /* of the host */
  int32_t abi_minor;

  /* Writes a message to the host's log, which adds the name of the module. [any thread] */
  void (*log)(const tenon_host *host, int32_t level, tenon_string message);

  /* Begins a call for one of the module's own threads or for calls to other plugins. It
   * has its own arena. With a parent it inherits the parent's deadline and cancellation.
   * The parent may end first; after that nothing cancels the call. End the call on the
   * same thread with call_end, which frees its arena. [any thread] */
  tenon_status (*call_begin)(const tenon_host *host, tenon_call *parent, tenon_call **call);
  void (*call_end)(const tenon_host *host, tenon_call *call);

  /* Returns the names of the plugins of a kind that `create` can provide at this version,
   * allocated in the arena of the call. [any thread] */
  tenon_status (*plugins)(const tenon_host *host, tenon_call *call, const tenon_plugin_request *in,
                          const tenon_plugins_response **out);

  /* Creates an instance of another plugin: of the module's own package, of a package that
   * its manifest requires (in the version bound to the module), or of the host's builtins.
   * An older plugin is adapted to the requested version; a plugin with only newer versions
   * is refused. The instance stays valid when its module restarts. Destroy it with release
   * when none of its methods is running; the host releases remaining instances when the
   * calling module is unloaded. Each instance keeps its module loaded, also one that belongs
   * to the same module.
   * In `start`, `create`, `configure` and `restore_state`, a plugin of the same module is
   * created in the same image, also while the host restarts the module with that image.
   * Plugins that create each other without end get TENON_RESOURCE_EXHAUSTED from the create
   * that is nested in 16 others and `configure` methods on its thread. [any thread] */
  tenon_status (*create)(const tenon_host *host, tenon_call *call, const tenon_plugin_request *in,
                         tenon_instance *out);
  void (*release)(const tenon_host *host, tenon_instance *instance);

  /* Like the functions of the same name in tenon_call_functions. [any thread] */
  int32_t (*log_wanted)(const tenon_host *host, int32_t level);
  void (*log_line)(const tenon_host *host, const tenon_log_line *line);

  /* The absolute path of the module's file, which is also NUL-terminated. Files beside the module
   * are found through it: dladdr returns the path of the private copy that the host has loaded.
   * Absent for a builtin. Example: {"/usr/lib/photo/blur.so", 22} */
  tenon_string module_file;
};

/* -- Vtables ---------------------------------------------------------------- */

typedef struct tenon_create_request {
  size_t struct_size;
  const tenon_host *host; /* as for start */
  tenon_string name;      /* of the plugin, for example "me.example/blur" */
} tenon_create_request;

typedef struct tenon_state_request {
  size_t struct_size;
  int32_t version; /* of the state: the version to save, or the version of `state` */
  int32_t reserved;
  tenon_bytes state; /* only for restore_state; absent means none, empty is a state */
} tenon_state_request;

typedef struct tenon_state_response {
  size_t struct_size;
  tenon_bytes state;
} tenon_state_response;

/* Functions that all kinds have in common. If a vtable has no base, its plugin has no
 * instances: `self` is always NULL. While one of these functions runs, the host makes no
 * other call to the instance. */
typedef struct tenon_base {
  size_t struct_size;

  /* Creates an instance. Must be cheap: open files and connections later. */
  tenon_status (*create)(tenon_call *call, const tenon_create_request *in, void **self);
  /* Destroys an instance. No call to it is running, and none follows. */
  void (*destroy)(void *self);

  /* Optional, for restarts. save_state may not call the host's create. restore_state is
   * called after configure with the saved state, and not called if none was saved.
   * Since ABI 1.1, restore_state is called whenever the instance replaces another one. If
   * no state was saved (no save_state, discarded state, a crash), `version` is 0 and
   * `state` is absent. */
  tenon_status (*save_state)(tenon_call *call, void *self, const tenon_state_request *in,
                             const tenon_state_response **out);
  tenon_status (*restore_state)(tenon_call *call, void *self, const tenon_state_request *in);
  /* Optional, for session kinds. suspend releases the resources that the next generation
   * needs. resume acquires them again because the restart failed. */
  tenon_status (*suspend)(tenon_call *call, void *self);
  tenon_status (*resume)(tenon_call *call, void *self);
} tenon_base;

/* The first members of the vtable of every kind. Its methods follow as function pointers. */
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
  const void *table; /* begins with the members of tenon_table */
} tenon_registration;

/* -- Module ----------------------------------------------------------------- */

#define TENON_MAGIC UINT64_C(0x31766e6f6e6574ab) /* bytes in memory: 0xab "tenonv1" */

/* The object that a module exports. The members up to manifest_size are the prologue,
 * which never changes. The host reads its integers from the file before loading it. */
typedef struct tenon_module {
  uint64_t magic;       /* TENON_MAGIC */
  uint32_t struct_size; /* at most 65536 */
  uint16_t abi_major;
  uint16_t abi_minor;   /* the lowest version that the module requires */
  const char *manifest; /* the text of the note */
  uint64_t manifest_size;

  tenon_list registrations; /* of tenon_registration */

  /* Optional. Called before the first create of this image. Initialise the module here:
   * constructors of static objects run inside the system's loader and must be trivial. */
  tenon_status (*start)(tenon_call *call, const tenon_host *host);
  /* Optional. Called after the last destroy. After it, nothing may call the module's code: no
   * thread, signal handler, on_exit function or destructor of a thread key. */
  void (*stop)(void);
} tenon_module;

/* -- Helpers for methods ---------------------------------------------------- */

/* Allocates memory in the arena of the call; see tenon_call_functions.allocate. */
static inline void *tenon_allocate(tenon_call *call, size_t size) {
  uint8_t *start = call->arena_next;
  size_t room = TENON_CAST_(size_t, call->arena_end - start);
  if (size <= room) {
    size_t padded = (size + 15u) & ~TENON_CAST_(size_t, 15);
    call->arena_next = padded <= room ? start + padded : call->arena_end;
    return start;
  }
  return call->functions->allocate(call, size);
}

/* Allocates zeroed memory in the arena of the call. */
static inline void *tenon_allocate_zeroed(tenon_call *call, size_t size) {
  return memset(tenon_allocate(call, size), 0, size);
}

/* Copies `size` bytes at `data` into the arena of the call. */
static inline void *tenon_allocate_copy(tenon_call *call, const void *data, size_t size) {
  void *copy = tenon_allocate(call, size);
  return size != 0 ? memcpy(copy, data, size) : copy;
}

/* Returns a NUL-terminated string as text, not copied; NULL is absent. */
static inline tenon_string tenon_text(const char *terminated) {
  tenon_string text;
  text.data = terminated;
  text.size = terminated != TENON_NULL_ ? strlen(terminated) : 0;
  return text;
}

/* Sets the error message and returns the status:
 * `return tenon_fail(call, TENON_NOT_FOUND, "no such table");` */
static inline tenon_status tenon_fail(tenon_call *call, tenon_status status, const char *message) {
  call->functions->fail(call, status, tenon_text(message));
  return status;
}

/* Returns whether two texts are equal. */
static inline int tenon_equal(tenon_string a, tenon_string b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Returns the value of `key` in a map of texts; absent if there is none. */
static inline tenon_string tenon_get(tenon_map map, const char *key) {
  tenon_string wanted = tenon_text(key);
  size_t i;
  for (i = 0; i < map.keys.count; i++) {
    if (tenon_equal(TENON_AT(tenon_string, map.keys, i), wanted)) {
      return TENON_AT(tenon_string, map.values, i);
    }
  }
  return tenon_text(TENON_NULL_);
}

/* Allocates a list of `count` zeroed elements in the arena, and sets *elements to the first. */
static inline tenon_list tenon_new_list(tenon_call *call, size_t count, size_t stride,
                                        void **elements) {
  tenon_list list;
  *elements = tenon_allocate_zeroed(call, count * stride);
  list.data = *elements;
  list.count = count;
  list.stride = stride;
  return list;
}

/* Returns whether the host logs lines of this level; true if the host lacks `log_wanted`. */
static inline int tenon_log_wanted(tenon_call *call, int32_t level) {
  const tenon_call_functions *functions = call->functions;
  if (!TENON_HAS(functions, log_wanted) || functions->log_wanted == TENON_NULL_) return 1;
  return functions->log_wanted(call, level) != 0;
}
static inline int tenon_host_log_wanted(const tenon_host *host, int32_t level) {
  if (!TENON_HAS(host, log_wanted) || host->log_wanted == TENON_NULL_) return 1;
  return host->log_wanted(host, level) != 0;
}

/* Returns a line for tenon_log; copies nothing. `pairs` may be NULL if `count` is 0. */
static inline tenon_log_line tenon_new_log_line(int32_t level, const char *message,
                                                const tenon_log_pair *pairs, size_t count) {
  tenon_log_line line;
  line.struct_size = sizeof line;
  line.level = level;
  line.reserved = 0;
  line.plugin = tenon_text(TENON_NULL_);
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
 * If the host lacks `log_line`, only the message is logged. */
static inline void tenon_log(tenon_call *call, tenon_log_line line) {
  const tenon_call_functions *functions = call->functions;
  if (TENON_HAS(functions, log_line) && functions->log_line != TENON_NULL_) {
    functions->log_line(call, &line);
  } else {
    functions->log(call, line.level, line.message);
  }
}
static inline void tenon_host_log(const tenon_host *host, tenon_log_line line) {
  if (TENON_HAS(host, log_line) && host->log_line != TENON_NULL_) {
    host->log_line(host, &line);
  } else {
    host->log(host, line.level, line.message);
  }
}

#ifdef __cplusplus
}
#endif

/* -- Declaring a module ------------------------------------------------------ */

/* One declaration defines the registrations and the manifest. List the plugins of the module
 * in a macro, each as P(prefix of the kind, version, name, pointer to the vtable):
 *
 *   #define PLUGINS(P) P(photo_filter, 1, "me.example/invert", &filter)
 *   TENON_MODULE("me.example/invert", "1.0.0", PLUGINS, {"summary": "Inverts colours"})
 *
 * The argument after PLUGINS is optional: one JSON object with further members of the
 * manifest (see abi/manifest.md). The preprocessor replaces macros in it: in C before C23, use
 * no <stdbool.h> above it, which turns true into 1. Readers of the manifest skip a null at the
 * end of a list, so that the preprocessor can add a comma after each entry.
 *
 * TENON_MODULE_WITH also takes the functions start and stop, or NULL. */
#define TENON_MODULE(name, version, ...) \
  TENON_DECLARE_MODULE_(name, version, TENON_NULL_, TENON_NULL_, __VA_ARGS__, )
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

/* The note with the manifest. ELF: section .note.tenon, name "tenon", type 1. PE: section
 * .tenon. */
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

/* A note with a text of `size` bytes, including the terminator. */
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
TENON_ASSERT_LAYOUT(offsetof(tenon_host, module_file) == 80 && sizeof(tenon_host) == 96);
TENON_ASSERT_LAYOUT(offsetof(tenon_create_request, name) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_state_request, state) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_base, resume) == 48);
TENON_ASSERT_LAYOUT(sizeof(tenon_table) == 24 && offsetof(tenon_table, base) == 16);
TENON_ASSERT_LAYOUT(sizeof(tenon_registration) == 56 && offsetof(tenon_registration, table) == 48);
TENON_ASSERT_LAYOUT(offsetof(tenon_module, manifest) == 16);
TENON_ASSERT_LAYOUT(offsetof(tenon_module, registrations) == 32);
TENON_ASSERT_LAYOUT(offsetof(tenon_module, stop) == 64 && sizeof(tenon_module) == 72);

#endif /* TENON_ABI_H */
