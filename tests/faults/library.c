/* SPDX-License-Identifier: BSL-1.0
 *
 * A shared library that is not a module. */
int tests_library_answer(void);
int tests_library_answer(void) {
  return 42;
}
