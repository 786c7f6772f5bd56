/* SPDX-License-Identifier: BSL-1.0
 *
 * A library that a module needs. */
int tests_e2e_library(void);
int tests_e2e_library(void) {
  return 1;
}
