/* SPDX-License-Identifier: BSL-1.0
 *
 * With TYPE, the sum is computed by an object of a type of the module. */
#include <glib-object.h>

#ifdef TYPE
typedef struct {
  GObject parent;
} TestsAdder;
typedef struct {
  GObjectClass parent;
} TestsAdderClass;
GType tests_adder_get_type(void);
G_DEFINE_TYPE(TestsAdder, tests_adder, G_TYPE_OBJECT)
static void tests_adder_init(TestsAdder* adder) {
  (void)adder;
}
static void tests_adder_class_init(TestsAdderClass* type) {
  (void)type;
}

static gboolean ready(void) {
  GObject* adder = g_object_new(tests_adder_get_type(), NULL);
  const gboolean made = adder != NULL;
  g_object_unref(adder);
  return made;
}
#else
GQuark tests_sum_quark(void);
G_DEFINE_QUARK(tests_sum, tests_sum)

static gboolean ready(void) {
  return g_quark_from_string("tests_sum") == tests_sum_quark();
}
#endif

int64_t tests_sum(int64_t n);
int64_t tests_sum(int64_t n) {
  return ready() ? n * (n + 1) / 2 : 0;
}
