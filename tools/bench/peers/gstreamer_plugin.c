/* SPDX-License-Identifier: BSL-1.0
 *
 * A plugin of GStreamer with one element. Copies of it get other names of the same length, so it is
 * described by the variable that does not have its name. */
#include <gmodule.h>
#include <gst/gst.h>

#define NAME "bench-example-000000"

static gboolean add_elements(GstPlugin* plugin) {
  return gst_element_register(plugin, NAME, GST_RANK_NONE, GST_TYPE_BIN);
}

G_MODULE_EXPORT const GstPluginDesc gst_plugin_desc = {
    .major_version = GST_VERSION_MAJOR,
    .minor_version = GST_VERSION_MINOR,
    .name = NAME,
    .description = "For a benchmark",
    .plugin_init = add_elements,
    .version = "1.0.0",
    .license = "LGPL",
    .source = "tenon",
    .package = "tenon",
    .origin = "https://tenon.dev",
};
