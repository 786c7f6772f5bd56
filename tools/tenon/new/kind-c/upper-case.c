/* Changes the letters a to z to capitals. */
#include <me/sample/v1.h>

/* Results are allocated in the arena of the call, which the host frees. */
static tenon_status apply(tenon_call *call, void *self, const me_sample_v1_apply_request *in,
                          const me_sample_v1_apply_response **out) {
  me_sample_v1_apply_response *response = tenon_allocate_zeroed(call, sizeof *response);
  char *text = tenon_allocate_copy(call, in->text.data, in->text.size);
  size_t i;
  (void)self;
  for (i = 0; i < in->text.size; i++) {
    if (text[i] >= 'a' && text[i] <= 'z') text[i] = (char)(text[i] - 'a' + 'A');
  }
  response->struct_size = sizeof *response;
  response->text.data = text;
  response->text.size = in->text.size;
  *out = response;
  return TENON_OK;
}

static const me_sample_v1 upper_case = {ME_SAMPLE_V1_BASE, .apply = apply};

#define PLUGINS(P) P(me_sample, 1, "me.example/upper-case", &upper_case)
TENON_MODULE("me.example/upper-case", "0.1.0", PLUGINS, {"summary": "Capital letters"});
