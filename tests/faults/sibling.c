/* SPDX-License-Identifier: BSL-1.0
 *
 * A library beside a module. Its function returns 1000 times its edition plus the number of its
 * calls. NEEDS is the function of another such library, whose result is added. */
#ifndef EDITION
#define EDITION 1
#endif

#ifdef NEEDS
int NEEDS(void);
#else
#define NEEDS() 0
#endif

int NAME(void);
int NAME(void) {
  static int calls;
  return 1000 * EDITION + ++calls + NEEDS();
}
