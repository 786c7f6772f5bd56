/* SPDX-License-Identifier: BSL-1.0
 *
 * Builds of one package that are compared: each differs from the first one in one thing. No code of
 * them runs. builds/meson.build lists them. */
#include <tenon/source/v1.h>

#include <stdlib.h>

#ifdef NEEDS_LIBRARY
int tests_e2e_library(void);
#endif

__attribute__((constructor)) static void loaded(void) {
#ifdef NEEDS_LIBRARY
  tests_e2e_library();
#endif
  abort();
}

#ifdef OTHER_CODE
__attribute__((used)) static const char other_code[] = "other code";
#endif

static tenon_status next(tenon_call *call, void *self, const tenon_source_v1_read_request *in,
                         const tenon_source_v1_read_response **out) {
  (void)call, (void)self, (void)in, (void)out;
  abort();
}

static const tenon_source_v1 table = {TENON_SOURCE_V1_BASE, .read = next};

#define TENON_KIND_photo_filter_v1 "photo.example/filter"
#define TENON_FINGERPRINT_photo_filter_v1 UINT64_C(0x0123456789abcdef)
#define TENON_KIND_photo_filter_v2 "photo.example/filter"
#define TENON_SPEC_photo_filter_v2 "0123456789abcde2"
#define TENON_FINGERPRINT_photo_filter_v2 UINT64_C(0x0123456789abcde2)
#ifdef OTHER_SPEC
#define TENON_SPEC_photo_filter_v1 "0123456789abcde1"
#else
#define TENON_SPEC_photo_filter_v1 "0123456789abcdef"
#endif

#ifndef PACKAGE
#define PACKAGE "me.example/clocks"
#endif
#ifndef VERSION
#define VERSION "1.2.1"
#endif
#ifndef PLUGINS
#define PLUGINS(P)                               \
  P(tenon_source, 1, "me.example/clock", &table) \
  P(photo_filter, 1, "me.example/blur", &table) P(photo_filter, 1, "me.example/edges", &table)
#endif
#ifndef EVERY
#define EVERY \
  { "type" : "duration", "description" : "Between two records" }
#endif
#ifndef ZONE
#define ZONE \
  { "type" : "string", "validations" : [{"type": "required", "value": ""}] }
#endif
#ifndef PARAMETERS
#define PARAMETERS \
  { "every" : EVERY, "zone" : ZONE }
#endif
#ifndef MENU
#define MENU \
  { "menu" : "Blur" }
#endif
#ifndef REQUIRES
#define REQUIRES \
  { "example.io/colour" : "^1.4" }
#endif
#ifndef STATE
#define STATE \
  { "writes" : 2, "reads" : [1, 2] }
#endif
#ifndef PROPERTIES
#define PROPERTIES                                                                   \
  {                                                                                  \
    "me.example/clock" : {"source_parameters": {"version": 2, "value": PARAMETERS}}, \
                         "me.example/blur" : MENU                                    \
  }
#endif
#ifndef SUMMARY
#define SUMMARY "Tells the time"
#endif

TENON_MODULE(PACKAGE, VERSION, PLUGINS,
             {"summary": SUMMARY, "requires": REQUIRES, "properties": PROPERTIES, "state": STATE});
