/* SPDX-License-Identifier: BSL-1.0
 *
 * A function of the module that the process calls when it ends, set with at_quick_exit if QUICK is
 * defined, otherwise with on_exit. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static volatile int64_t ended;

#ifdef QUICK
static void end(void) {
  ended = 1;
}
static void set(void) {
  at_quick_exit(end);
}
#else
static void end(int status, void* argument) {
  ended = status + (argument != NULL);
}
static void set(void) {
  on_exit(end, NULL);
}
#endif

int64_t tests_sum(int64_t n) {
  pthread_once(&once, set);
  return n * (n + 1) / 2;
}
