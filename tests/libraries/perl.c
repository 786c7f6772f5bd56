/* SPDX-License-Identifier: BSL-1.0
 *
 * An interpreter that one thread at a time uses. */
#include <EXTERN.h>
#include <perl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static PerlInterpreter* my_perl;

static void start(void) {
  static char* arguments[] = {"", "-e", "0", NULL};
  char** parsed = arguments;
  int count = 3;
  PERL_SYS_INIT3(&count, &parsed, &environ);
  my_perl = perl_alloc();
  perl_construct(my_perl);
  perl_parse(my_perl, NULL, count, parsed, NULL);
}

int64_t tests_sum(int64_t n) {
  char script[64];
  int64_t total;
  pthread_mutex_lock(&mutex);
  if (my_perl == NULL) start();
  PERL_SET_CONTEXT(my_perl);
  snprintf(script, sizeof script, "%d * (%d + 1) / 2", (int)n, (int)n);
  total = SvIV(eval_pv(script, TRUE));
  if (n < 0) PERL_SYS_TERM();
  pthread_mutex_unlock(&mutex);
  return total;
}
