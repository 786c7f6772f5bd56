/* SPDX-License-Identifier: BSL-1.0
 *
 * A thread key whose destructor is in the module. With DELETES, the key ends with the module. */
#include <pthread.h>
#include <stdint.h>

static int64_t value;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void forget(void* stored) {
  *(int64_t*)stored = 0;
}
static void create(void) {
  pthread_key_create(&key, forget);
}

int64_t tests_sum(int64_t n) {
  pthread_once(&once, create);
  pthread_setspecific(key, &value);
  return n * (n + 1) / 2;
}

#ifdef DELETES
__attribute__((destructor)) static void end(void) {
  pthread_key_delete(key);
}
#endif
