/* SPDX-License-Identifier: BSL-1.0
 *
 * The functions of DLLs that another one imports. meson.build lists the exports of each. */
int tests_by_name(void);
int tests_by_number(void);
int tests_later(void);

int tests_by_name(void) {
  return 1;
}
int tests_by_number(void) {
  return 2;
}
int tests_later(void) {
  return 3;
}
