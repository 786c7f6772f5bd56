/* SPDX-License-Identifier: BSL-1.0
 *
 * With CLEANS_UP, the module imports the end of Ruby; it never calls it. */
#include <pthread.h>
#include <ruby.h>
#include <stdint.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
  ruby_setup();
}

int64_t tests_sum(int64_t n) {
  pthread_once(&once, start);
#ifdef CLEANS_UP
  if (n < 0) ruby_cleanup(0);
#endif
  return NUM2LL(LL2NUM(n * (n + 1) / 2));
}
