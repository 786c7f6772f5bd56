/* SPDX-License-Identifier: BSL-1.0
 *
 * A library that uses a symbol of a module. */
extern const int tests_lent;

const void *tests_borrowed(void);
const void *tests_borrowed(void) {
  return &tests_lent;
}
