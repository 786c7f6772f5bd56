/* SPDX-License-Identifier: BSL-1.0
 *
 * A small plugin, or with a FAULT_ macro the same plugin with one fault. meson.build lists the
 * variants. EDITION is the number of a working build. */
#include "framework/test_plugin.h"

#ifdef FAULT_DETACHES_THREAD
#include <pthread.h>
#endif
#ifdef STARTS_THREAD
#include <pthread.h>
#include <time.h>
#endif

#ifndef EDITION
#define EDITION 1
#endif

#define PACKAGE "test.example/faults"
#define PACKAGE_VERSION TENON_QUOTE_VALUE_(EDITION) ".0.0"
#define PLUGIN "test.example/echo"

#ifdef KEEPS_FLOAT_MODES
/* Two constructors that keep the floating-point modes: one jumps past the function after it, the other
 * restores the modes. */
__asm__(
    ".text\n"
    "passes: jmp 1f\n"
    "sets: ldmxcsr -4(%rsp)\n"
    "1: ret\n"
    "restores: stmxcsr -4(%rsp)\n"
    "ldmxcsr -4(%rsp)\n"
    "ldmxcsr -4(%rsp)\n"
    "ret\n"
    ".pushsection .init_array, \"aw\"\n"
    ".balign 8\n"
    ".quad passes, restores\n"
    ".popsection\n");
#endif

/* -- The plugin -------------------------------------------------------------- */

static int64_t calls;

#ifdef SIBLING
/* The function of a library beside the module. See sibling.c. */
int SIBLING(void);
#endif

#ifdef PARALLEL
/* The entry of libgomp that compilers call for `omp parallel`. */
void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);
static void count_thread(void* data) {
  (void)data;
  __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
}
#endif

#ifdef ANSWERS_LIBRARY
/* A library may define or use a function of this name. See kept.c. */
__attribute__((visibility("default"))) int tests_answer_of_module(void);
int tests_answer_of_module(void) {
  return 500;
}
#endif

#ifdef FAULT_UNDEFINED_SYMBOL
int64_t nobody_has_this_function(void);
#endif

#ifdef MANY_SYMBOLS
/* More symbols than a reader reads at a time. */
#define SYMBOL(n) __attribute__((visibility("default"))) const char tests_symbol_##n = 0;
#define SYMBOLS_2(n) SYMBOL(n##0) SYMBOL(n##1)
#define SYMBOLS_4(n) SYMBOLS_2(n##0) SYMBOLS_2(n##1)
#define SYMBOLS_8(n) SYMBOLS_4(n##0) SYMBOLS_4(n##1)
#define SYMBOLS_16(n) SYMBOLS_8(n##0) SYMBOLS_8(n##1)
#define SYMBOLS_32(n) SYMBOLS_16(n##0) SYMBOLS_16(n##1)
#define SYMBOLS_64(n) SYMBOLS_32(n##0) SYMBOLS_32(n##1)
#define SYMBOLS_128(n) SYMBOLS_64(n##0) SYMBOLS_64(n##1)
#define SYMBOLS_256(n) SYMBOLS_128(n##0) SYMBOLS_128(n##1)
#define SYMBOLS_512(n) SYMBOLS_256(n##0) SYMBOLS_256(n##1)
SYMBOLS_512(0)
SYMBOLS_64(1)
#endif

#ifdef FAULT_SLOT_INTERPOSED
/* Not static, and the program that loads this module exports a function of the same name: the
 * dynamic linker binds the vtable slot to the function of the program. */
#define SAY tests_interposed_say
tenon_status SAY(tenon_call* call, void* self, const test_echo_v1_say_request* in,
                 const test_echo_v1_say_response** out);
#else
#define SAY say
static
#endif
tenon_status SAY(tenon_call* call, void* self, const test_echo_v1_say_request* in,
                 const test_echo_v1_say_response** out) {
#ifdef STATIC_TLS
  static __thread char local[STATIC_TLS];
#endif
  static const char prefix[] = TENON_QUOTE_VALUE_(EDITION) ": ";
  RESPONSE(test_echo_v1_say_response, response);
  char* text = tenon_allocate(call, sizeof prefix - 1 + in->text.size);
  (void)self;
  memcpy(text, prefix, sizeof prefix - 1);
  if (in->text.size != 0) memcpy(text + sizeof prefix - 1, in->text.data, in->text.size);
  response->text.data = text;
  response->text.size = sizeof prefix - 1 + in->text.size;
  *out = response;
  calls++;
#ifdef STATIC_TLS
  calls += ++local[0];
#endif
#ifdef SIBLING
  calls += SIBLING();
#endif
#ifdef PARALLEL
  GOMP_parallel(count_thread, NULL, 3, 0);
#endif
#ifdef FAULT_UNDEFINED_SYMBOL
  calls += nobody_has_this_function();
#endif
  return TENON_OK;
}

static tenon_status count(tenon_call* call, void* self, const test_echo_v1_count_request* in,
                          const test_echo_v1_count_response** out) {
  RESPONSE(test_echo_v1_count_response, response);
  (void)self;
  (void)in;
  response->calls = calls;
  *out = response;
  return TENON_OK;
}

static const test_echo_v1 echo = {
#ifdef TABLE_SIZE
    .struct_size = TABLE_SIZE,
    .version = 1,
#elif defined FAULT_TABLE_VERSION
    .struct_size = sizeof(test_echo_v1),
    .version = 2,
#else
    TEST_ECHO_V1_BASE,
#endif
#ifndef FAULT_MISSING_METHOD
    .say = SAY,
#endif
    .count = count,
};

#ifdef STARTS_THREAD
static pthread_t thread;
#ifndef FAULT_THREAD_STAYS
static volatile int over;
#endif

#ifdef THREAD_CALLS_HOST
/* Creates the echo of the host in a call that the thread begins, calls it, and releases it. */
static void call_host(const tenon_host* host) {
  tenon_call* call;
  if (host->call_begin(host, NULL, &call) != TENON_OK) return;
  ask_host_echo(call, host, tenon_text("from a thread"), NULL);
  host->call_end(host, call);
}
#endif

#ifdef FAULT_THREAD_STAYS
/* Returns whether other plugins are unavailable: the host has ended, or has stopped the module. */
static int is_left(const tenon_host* host) {
  const tenon_plugin_request any = echo_request(tenon_text(NULL));
  const tenon_plugins_response* found;
  tenon_call* call;
  tenon_status status;
  if (host == NULL || host->call_begin(host, NULL, &call) != TENON_OK) return 0;
  status = host->plugins(host, call, &any, &found);
  host->call_end(host, call);
  return TENON_CODE(status) == TENON_UNAVAILABLE;
}

/* Writes some lines to the log after the host has stopped the module, and runs on. */
static void* live(void* given) {
  const struct timespec moment = {0, 1000000};
  const tenon_host* host = given;
  tenon_call* call = NULL;
  int lines = 0;
  if (host != NULL && host->call_begin(host, NULL, &call) != TENON_OK) return NULL;
  for (;;) {
    if (lines < 3 && is_left(host)) {
      host->log(host, TENON_LOG_DEBUG, tenon_text("left by the host"));
      call->functions->log(call, TENON_LOG_DEBUG, tenon_text("left in a call"));
      lines++;
    }
    nanosleep(&moment, NULL);
  }
}
#else
/* Runs in the code of the module from start to stop. */
static void* live(void* host) {
  const struct timespec moment = {0, 1000000};
  while (!over) {
#ifdef THREAD_CALLS_HOST
    call_host(host);
#endif
    nanosleep(&moment, NULL);
  }
  return host;
}
#endif
#endif

static tenon_status start(tenon_call* call, const tenon_host* host) {
  (void)host;
  (void)SAY; /* also if the vtable omits it */
#ifdef FAULT_DETACHES_THREAD
  pthread_detach(pthread_self()); /* some runtimes do this to each thread that they meet */
#endif
#ifdef STARTS_THREAD
  if (pthread_create(&thread, NULL, live, (void*)host) != 0) {
    return tenon_fail(call, TENON_RESOURCE_EXHAUSTED, "no thread");
  }
  return TENON_OK;
#elif defined FAULT_START_FAILED
  return tenon_fail(call, TENON_UNAVAILABLE, "the coffee is cold");
#else
  (void)call;
  return TENON_OK;
#endif
}

static void stop(void) {
  calls = 0;
#if defined STARTS_THREAD && !defined FAULT_THREAD_STAYS
  over = 1;
  pthread_join(thread, NULL);
#endif
}

/* -- Declaration --------------------------------------------------------------- */

#define KIND_VERSION 1

#ifdef FAULT_KIND_TOO_NEW
#undef KIND_VERSION
#define KIND_VERSION 99
#define TENON_KIND_test_echo_v99 TENON_KIND_test_echo_v1
#define TENON_SPEC_test_echo_v99 TENON_SPEC_test_echo_v1
#define TENON_FINGERPRINT_test_echo_v99 TENON_FINGERPRINT_test_echo_v1
#endif

#ifdef FAULT_UNKNOWN_KIND
#undef TENON_KIND_test_echo_v1
#define TENON_KIND_test_echo_v1 "test.example/nobody-knows-it"
#endif

#ifdef FAULT_KIND_DIFFERS
#undef TENON_SPEC_test_echo_v1
#undef TENON_FINGERPRINT_test_echo_v1
#define TENON_SPEC_test_echo_v1 "0123456789abcdef"
#define TENON_FINGERPRINT_test_echo_v1 UINT64_C(0x0123456789abcdef)
#endif

/* The indirection expands KIND_VERSION before it is pasted. */
#define DECLARE(P, version) P(test_echo, version, PLUGIN, &echo)
#define PLUGINS(P) DECLARE(P, KIND_VERSION)

#ifndef BY_HAND

#ifdef FAULT_THREAD_STAYS
TENON_MODULE_WITH(PACKAGE, PACKAGE_VERSION, start, stop, PLUGINS,
                  {"summary": "Says what it is told"});
#else
TENON_MODULE_WITH(PACKAGE, PACKAGE_VERSION, start, stop, PLUGINS,
                  {"summary": "Says what it is told", "threads": "joined"});
#endif

#else

/* -- Declaration by hand, with a note that differs from the object ---------------------- */

#ifdef FAULT_BROKEN_MANIFEST
#define MANIFEST "{\"manifest\":1,\"abi\":\"1.0\",\"name\":\"" PACKAGE "\""
#elif defined FAULT_MANIFEST_TOO_NEW
#define MANIFEST "{\"manifest\":2,\"abi\":\"2.7\",\"plugins\":{}}"
#elif defined FAULT_ABI_UNKNOWN
#define MANIFEST "{\"manifest\":2,\"abi\":\"wasm/1.0\",\"imports\":{}}"
#else
#define MANIFEST TENON_MANIFEST_TEXT_(PACKAGE, PACKAGE_VERSION, PLUGINS(TENON_MANIFEST_ROW_), )
#endif

#define NOTE(variable)                                                  \
  TENON_NOTE_SECTION_ static const TENON_NOTE_STRUCT_(sizeof(MANIFEST)) \
      variable = {6, sizeof(variable.text), TENON_NOTE_TYPE, "tenon", MANIFEST}

#ifdef FAULT_NO_MANIFEST
static const struct { char text[sizeof(MANIFEST)]; } note = {MANIFEST};
#else
NOTE(note);
#endif
#ifdef FAULT_TWO_MANIFESTS
NOTE(second_note);
#endif

/* The registration, which differs from the note if a macro is defined. */
#ifdef FAULT_REGISTERED_NAME
#define REGISTERED_NAME "test.example/other"
#else
#define REGISTERED_NAME PLUGIN
#endif
#ifdef FAULT_REGISTERED_VERSION
#define REGISTERED_VERSION 2
#else
#define REGISTERED_VERSION KIND_VERSION
#endif
#ifdef FAULT_REGISTERED_KIND
#define REGISTERED_KIND "test.example/other"
#else
#define REGISTERED_KIND TENON_KIND_test_echo_v1
#endif
#ifdef FAULT_REGISTERED_FINGERPRINT
#define REGISTERED_FINGERPRINT UINT64_C(0x0123456789abcdef)
#else
#define REGISTERED_FINGERPRINT TENON_FINGERPRINT_test_echo_v1
#endif
#define REGISTRATION                                                            \
  {                                                                             \
    TENON_TEXT(REGISTERED_KIND), REGISTERED_VERSION, 0, REGISTERED_FINGERPRINT, \
        TENON_TEXT(REGISTERED_NAME), &echo                                      \
  }

static const tenon_registration registrations[] = {
    REGISTRATION,
#ifdef FAULT_REGISTERED_COUNT
    REGISTRATION,
#endif
};

#ifndef MAGIC
#define MAGIC TENON_MAGIC
#endif
#ifndef STRUCT_SIZE
#define STRUCT_SIZE sizeof(tenon_module)
#endif
#ifndef ABI_MAJOR
#define ABI_MAJOR TENON_ABI_MAJOR
#endif
#ifndef ABI_MINOR
#define ABI_MINOR TENON_ABI
#endif
#ifndef MANIFEST_SIZE
#define MANIFEST_SIZE (sizeof(note.text) - 1)
#endif

#ifndef STRIDE
#define STRIDE sizeof(tenon_registration)
#endif

#ifdef FAULT_NO_MODULE_OBJECT
#define OBJECT tenon_module_v0
#else
#define OBJECT tenon_module_v1
#endif

extern TENON_EXPORT const tenon_module OBJECT;
const tenon_module OBJECT = {
    MAGIC,
    (uint32_t)(STRUCT_SIZE),
    ABI_MAJOR,
    ABI_MINOR,
    note.text,
    MANIFEST_SIZE,
    {registrations, sizeof registrations / sizeof registrations[0], STRIDE},
    start,
    stop,
};

#endif
