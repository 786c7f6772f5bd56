/* SPDX-License-Identifier: BSL-1.0
 *
 * A module that starts the runtime of another language: USES_R, USES_JAVA, USES_HASKELL,
 * USES_ECL, USES_CHICKEN or USES_MONO names it. */
#if defined USES_R
#include <Rembedded.h>
#include <Rinternals.h>
#elif defined USES_JAVA
#include <jni.h>
#elif defined USES_HASKELL
#include <HsFFI.h>
#elif defined USES_ECL
#include <ecl/ecl.h>
#elif defined USES_CHICKEN
#include <chicken.h>
#elif defined USES_MONO
#include <mono/jit/jit.h>
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int step;

static void start(void) {
#if defined USES_R
  static char* arguments[] = {"R", "--vanilla", "--no-echo"};
  setenv("R_HOME", R_HOME, 0);
  Rf_initEmbeddedR(3, arguments);
  step = Rf_asInteger(Rf_ScalarInteger(1));
#elif defined USES_JAVA
  JavaVM* vm;
  JNIEnv* env;
  JavaVMInitArgs arguments = {.version = JNI_VERSION_10};
  if (JNI_CreateJavaVM(&vm, (void**)&env, &arguments) == JNI_OK) {
    jclass math = (*env)->FindClass(env, "java/lang/Math");
    jmethodID sign = (*env)->GetStaticMethodID(env, math, "abs", "(I)I");
    step = (*env)->CallStaticIntMethod(env, math, sign, -1);
  }
#elif defined USES_HASKELL
  hs_init(NULL, NULL);
  hs_perform_gc();
  step = 1;
#elif defined USES_ECL
  static char* arguments[] = {"tests"};
  ecl_set_option(ECL_OPT_TRAP_SIGSEGV, 0);
  step = cl_boot(1, arguments) ? (int)ecl_fixnum(cl_eval(ecl_read_from_cstring("(- 3 2)"))) : 0;
#elif defined USES_CHICKEN
  step = CHICKEN_initialize(0, 0, 0, (void*)CHICKEN_default_toplevel);
#elif defined USES_MONO
  step = mono_jit_init("tests") != NULL;
#endif
}

int64_t tests_sum(int64_t n) {
  pthread_once(&once, start);
  return step * n * (n + 1) / 2;
}
