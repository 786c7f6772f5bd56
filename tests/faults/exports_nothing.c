/* SPDX-License-Identifier: BSL-1.0
 *
 * A library that imports functions and exports none. It is loaded for the work of its
 * constructor. */
#include <pthread.h>
#include <stdlib.h>

static void* run(void* unused) {
  return unused;
}

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, NULL) != 0) abort();
  pthread_join(thread, NULL);
}
