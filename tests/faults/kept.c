/* SPDX-License-Identifier: BSL-1.0
 *
 * A library that modules find through an absolute run path. Its function returns 1000 times its
 * edition plus the number of its calls, and 500 more if it uses the function of the module. */
#ifndef EDITION
#define EDITION 1
#endif

#ifndef NEEDS_MODULE
__attribute__((weak))
#endif
int tests_answer_of_module(void);

static int use(void) {
  static int calls;
  int result = 1000 * EDITION + ++calls;
#ifdef NEEDS_MODULE
  result += tests_answer_of_module();
#else
  if (tests_answer_of_module) result += tests_answer_of_module();
#endif
  return result;
}

int tests_kept(void);
int tests_kept(void) {
  return use();
}

#if EDITION > 1
int tests_kept_2(void);
int tests_kept_2(void) {
  return use();
}
#endif
