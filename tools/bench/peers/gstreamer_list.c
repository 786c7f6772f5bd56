/* SPDX-License-Identifier: BSL-1.0
 *
 * Lists the elements of GStreamer with their files. */
#include <gst/gst.h>
#include <stdio.h>

int main(void) {
  GList* features;
  GList* one;
  gst_init(NULL, NULL);
  features = gst_registry_get_feature_list(gst_registry_get(), GST_TYPE_ELEMENT_FACTORY);
  for (one = features; one != NULL; one = one->next) {
    GstPlugin* plugin = gst_plugin_feature_get_plugin(GST_PLUGIN_FEATURE(one->data));
    const gchar* file = plugin != NULL ? gst_plugin_get_filename(plugin) : NULL;
    printf("%s %s\n", gst_plugin_feature_get_name(one->data), file != NULL ? file : "builtin");
    if (plugin != NULL) gst_object_unref(plugin);
  }
  gst_plugin_feature_list_free(features);
  return 0;
}
