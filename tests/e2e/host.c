/* SPDX-License-Identifier: BSL-1.0
 *
 * The program of an app, which exports a function that a module needs. */
int tests_e2e_nobody_has_this(void);

int tests_e2e_nobody_has_this(void) {
  return 0;
}

int main(void) {
  return 0;
}
