/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin that calls a function in another language. EDITION is the number of the build, STARTS a
 * function that starts the runtime of the language. With LOCKED, one thread at a time calls the
 * function. DETAILS is an object with further members of the manifest. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <test/echo/v1.h>

#ifndef DETAILS
#define DETAILS \
  {}
#endif

/* Returns the sum of the numbers from 1 to n. */
int64_t tests_sum(int64_t n);

static int64_t sum(int64_t n) {
#ifdef LOCKED
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  int64_t total;
  pthread_mutex_lock(&mutex);
  total = tests_sum(n);
  pthread_mutex_unlock(&mutex);
  return total;
#else
  return tests_sum(n);
#endif
}

static tenon_status say(tenon_call* call, void* self, const test_echo_v1_say_request* in,
                        const test_echo_v1_say_response** out) {
  test_echo_v1_say_response* response = tenon_allocate_zeroed(call, sizeof *response);
  char text[64];
  const int size =
      snprintf(text, sizeof text, "%d: %lld", EDITION, (long long)sum((int64_t)in->text.size));
  (void)self;
  response->struct_size = sizeof *response;
  response->text.data = tenon_allocate_copy(call, text, (size_t)size);
  response->text.size = (size_t)size;
  *out = response;
  return TENON_OK;
}

static const test_echo_v1 echo = {TEST_ECHO_V1_BASE, .say = say};

#ifdef STARTS
void STARTS(void);

/* Signals belong to the host: the runtime's handlers, and its alternate stack in memory of the
 * module, are removed again. */
static tenon_status start(tenon_call* call, const tenon_host* host) {
  struct sigaction handlers[32];
  stack_t stack;
  int signal;
  (void)call;
  (void)host;
  for (signal = 1; signal < 32; signal++) sigaction(signal, NULL, &handlers[signal]);
  sigaltstack(NULL, &stack);
  STARTS();
  sigaltstack(&stack, NULL);
  for (signal = 1; signal < 32; signal++) sigaction(signal, &handlers[signal], NULL);
  return TENON_OK;
}
#else
#define start NULL
#endif

#define PLUGINS(P) P(test_echo, 1, "test.example/sums", &echo)
TENON_MODULE_WITH("test.example/sums", TENON_QUOTE_VALUE_(EDITION) ".0.0", start, NULL, PLUGINS,
                  DETAILS);
