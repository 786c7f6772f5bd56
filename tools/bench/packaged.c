/* SPDX-License-Identifier: BSL-1.0
 *
 * The template of the modules in a large repository, see directory.cpp. Its names and versions have
 * the maximum length. */
#include <bench/counter/v2.h>

static const bench_counter_v2 counter = {BENCH_COUNTER_V2_BASE};

#define PLUGINS(P) P(bench_counter, 2, "bench.example/package-000", &counter)
TENON_MODULE("bench.example/package-000", "9.9.0", PLUGINS, {
  "requires": {
    "bench.example/package-001": ">=9.9.0,<9.9.0",
    "bench.example/package-002": ">=9.9.0,<9.9.0",
    "bench.example/package-003": ">=9.9.0,<9.9.0"
  }
});
