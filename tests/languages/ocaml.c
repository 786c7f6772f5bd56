/* SPDX-License-Identifier: BSL-1.0
 *
 * Starts the runtime of OCaml, and calls sum.ml. */
#include <caml/callback.h>
#include <caml/mlvalues.h>
#include <stdint.h>

void tests_start_ocaml(void);
int64_t tests_sum(int64_t n);

void tests_start_ocaml(void) {
  char name[] = "sums";
  char* arguments[] = {name, NULL};
  caml_startup(arguments);
}

int64_t tests_sum(int64_t n) {
  static const value* sum = NULL;
  if (sum == NULL) sum = caml_named_value("tests_sum");
  return Long_val(caml_callback(*sum, Val_long(n)));
}
