/* SPDX-License-Identifier: BSL-1.0
 *
 * Modules that the command `tenon` inspects: a source with only the required methods. None of its
 * code may ever run, so every function ends the process. meson.build lists the builds. */
#include <tenon/source/v1.h>

#include <stdlib.h>

#ifdef NEEDS_LIBRARY
int tests_e2e_library(void);
#endif

#ifdef UNDEFINED
int tests_e2e_nobody_has_this(void);
int tests_e2e_somebody_may_have_this(void) __attribute__((weak));
#endif

#ifdef MISSING
#define MISSING_FUNCTIONS(P) P(1) P(2) P(3) P(4) P(5)
#define DECLARE(number) int tests_e2e_missing_##number(void);
#define ADDRESS(number) tests_e2e_missing_##number,
MISSING_FUNCTIONS(DECLARE)
DECLARE(6)
__attribute__((used)) static int (*const missing[])(void) = {MISSING_FUNCTIONS(ADDRESS)
#if MISSING == 6
                                                                 ADDRESS(6)
#endif
};
#endif

#ifdef BORROWS
int sodium_init(void);
#endif

static void never(void) {
#ifdef BORROWS
  sodium_init();
#endif
#ifdef NEEDS_LIBRARY
  tests_e2e_library();
#endif
#ifdef UNDEFINED
  tests_e2e_nobody_has_this();
  if (tests_e2e_somebody_may_have_this != NULL) tests_e2e_somebody_may_have_this();
#endif
  abort();
}

__attribute__((constructor)) static void loaded(void) {
  never();
}

#ifdef NO_METHODS
static const tenon_table table = {sizeof table, 1, 0, NULL};
#elif defined NULL_METHOD
static const tenon_source_v1 table = {TENON_SOURCE_V1_BASE, .read = NULL};
#else
static tenon_status next(tenon_call *call, void *self, const tenon_source_v1_read_request *in,
                         const tenon_source_v1_read_response **out) {
  (void)call, (void)self, (void)in, (void)out;
  abort();
}

static const tenon_source_v1 table = {TENON_SOURCE_V1_BASE, .read = next};
#endif

#define TENON_KIND_tenon_source_v9 TENON_KIND_tenon_source_v1
#define TENON_SPEC_tenon_source_v9 TENON_SPEC_tenon_source_v1
#define TENON_FINGERPRINT_tenon_source_v9 TENON_FINGERPRINT_tenon_source_v1
#define TENON_KIND_photo_filter_v4 TENON_KIND_photo_filter_v1
#define TENON_SPEC_photo_filter_v4 TENON_SPEC_photo_filter_v1
#define TENON_FINGERPRINT_photo_filter_v4 TENON_FINGERPRINT_photo_filter_v1
#define TENON_KIND_photo_filter_v1 "photo.example/filter"
#define TENON_SPEC_photo_filter_v1 "0123456789abcdef"
#define TENON_FINGERPRINT_photo_filter_v1 UINT64_C(0x0123456789abcdef)

#ifdef OTHER_SPEC
#undef TENON_SPEC_tenon_source_v1
#undef TENON_FINGERPRINT_tenon_source_v1
#define TENON_SPEC_tenon_source_v1 "0123456789abcdef"
#define TENON_FINGERPRINT_tenon_source_v1 UINT64_C(0x0123456789abcdef)
#endif

#if defined TOO_NEW
#define PLUGINS(P) P(tenon_source, 9, "me.example/clock", &table)
#elif defined SHARPEN
#define PLUGINS(P) P(photo_filter, 4, "me.example/sharpen", &table)
#elif defined FOREIGN
#define PLUGINS(P) P(photo_filter, 1, "me.example/blur", &table)
#elif defined MIXED
#define PLUGINS(P)                               \
  P(tenon_source, 1, "me.example/clock", &table) \
  P(tenon_source, 9, "me.example/newer", &table) P(photo_filter, 1, "me.example/blur", &table)
#elif defined PACKAGE
#define PLUGINS(P) P(tenon_source, 1, PACKAGE, &table)
#else
#define PLUGINS(P) P(tenon_source, 1, "me.example/clock", &table)
#endif

#if defined MISSPELT && defined FOREIGN
TENON_MODULE("me.example/clocks", "1.2.0", PLUGINS,
             {"properties": {"me.example/blur": {"manu": "Blur", "own": ""}}});
#elif defined MISSPELT
TENON_MODULE("me.example/clocks", "1.2.0", PLUGINS, {
  "sumary": "Tells the time",
  "requries": {"example.io/nobody": "^1"},
  "properties": {"me.example/clock": {"source_paramters": "", "menu": "Time"}},
  "x-own": "kept"
});
#elif defined PACKAGE
TENON_MODULE(PACKAGE, VERSION, PLUGINS, {"requires": REQUIRES});
#elif defined DEEP
/* The manifest has as many levels as it may have: 3 of its own, and 61 arrays. */
#define LEVELS_10(...) [[[[[[[[[[__VA_ARGS__]]]]]]]]]]
#define LEVELS_30(...) LEVELS_10(LEVELS_10(LEVELS_10(__VA_ARGS__)))
TENON_MODULE("me.example/clocks", "1.2.0", PLUGINS, {"x-deep": [LEVELS_30(LEVELS_30(0))]});
#elif defined SHARPEN
TENON_MODULE("me.example/sharpen", "0.9.0", PLUGINS);
#elif defined RICH
TENON_MODULE("me.example/clocks", "1.2.0", PLUGINS, {
  "summary": "Tells the time",
  "description": "One record a second.",
  "author": "Me",
  "license": "BSL-1.0",
  "homepage": "https://me.example/clocks",
  "requires": {"example.io/colour": "^1.4"},
  "properties": {
    "me.example/clock": {
      "menu": "Time",
      "order": "3",
      "source_parameters": {
        "version": 1,
        "value": {
          "every":
              {"type": "duration", "default_value": "1s", "description": "Between two records"},
          "zone": {"type": "string", "required": true, "description": "eg: CET"}
        }
      }
    }
  },
  "state": {"writes": 2, "reads": [1, 2]},
  "threads": "joined",
  "x-own": "kept"
});
#else
TENON_MODULE("me.example/clocks", "1.2.0", PLUGINS);
#endif
