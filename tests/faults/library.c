/* SPDX-License-Identifier: BSL-1.0
 *
 * A shared library that has nothing to do with plugins. */
int tests_library_answer(void);
int tests_library_answer(void) {
  return 42;
}
