/* SPDX-License-Identifier: BSL-1.0
 *
 * A library beside a module. */
__declspec(dllexport) int tests_beside(void);

int tests_beside(void) {
  return 1;
}
