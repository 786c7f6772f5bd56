/* SPDX-License-Identifier: BSL-1.0 */
#include <stdint.h>
#include <stdio.h>
#include <tcl.h>

int64_t tests_sum(int64_t n) {
  Tcl_Interp* interpreter = Tcl_CreateInterp();
  char script[64];
  int total = 0;
  snprintf(script, sizeof script, "expr {%d * (%d + 1) / 2}", (int)n, (int)n);
  if (Tcl_Eval(interpreter, script) == TCL_OK)
    Tcl_GetIntFromObj(interpreter, Tcl_GetObjResult(interpreter), &total);
  Tcl_DeleteInterp(interpreter);
#ifdef FINALIZES
  if (n < 0) Tcl_Finalize();
#endif
  return total;
}
