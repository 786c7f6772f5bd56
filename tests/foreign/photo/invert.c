/* SPDX-License-Identifier: BSL-1.0
 *
 * A filter in C. */
#include <photo/filter/v1.h>

static tenon_status apply(tenon_call* call, void* self, const photo_filter_v1_apply_request* in) {
  size_t i;
  (void)self;
  if (in->pixels.size != (size_t)in->width * (size_t)in->height * 4) {
    return tenon_fail(call, TENON_INVALID_ARGUMENT, "wrong buffer size");
  }
  for (i = 0; i < in->pixels.size; i++) in->pixels.data[i] ^= 0xff;
  return TENON_OK;
}

static const photo_filter_v1 filter = {PHOTO_FILTER_V1_BASE, .apply = apply};

#define PLUGINS(P) P(photo_filter, 1, "me.example/invert", &filter)
TENON_MODULE(
    "me.example/invert", "1.0.0", PLUGINS,
    {"summary": "Inverts colours", "properties": {"me.example/invert": {"menu": "Invert"}}});
