/* SPDX-License-Identifier: BSL-1.0
 *
 * A library that lies beside a module: one function, which answers 1000 times its edition plus how
 * often it was called. NEEDS is the function of another such library, whose answer is added. */
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
