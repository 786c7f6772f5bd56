// SPDX-License-Identifier: BSL-1.0
//
// A counter and a vault whose functions throw. The configuration of an instance names the function
// under "throw". A method or reader that gets a text first sends it to the echo of the host, which
// may block; then it throws for "throw ...", and fails fatally for "fail ...". meson.build lists
// variants in which every configuration fails.
#include <test/counter/v1.h>
#include <test/vault/v1.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "framework/test_plugin.h"

namespace {

#ifdef CRASH_IN_CONFIGURE
int* volatile nowhere = nullptr;
#endif

struct Object {
  const tenon_host* host;
  std::string throws;
  std::int64_t total = 0;

  static Object& of(void* self) { return *static_cast<Object*>(self); }
  void pass(std::string_view function) const {
    if (throws == function) throw std::runtime_error("no more coffee");
  }
};

std::string_view view(tenon_string text) {
  return {text.data, text.size};
}

template <class Response>
Response* new_response(tenon_call* call) {
  auto* response = static_cast<Response*>(tenon_allocate_zeroed(call, sizeof(Response)));
  response->struct_size = sizeof(Response);
  return response;
}

/// Sends the text to the echo, then fails as the text says.
tenon_status ask_and_fail(tenon_call* call, const tenon_host* host, std::string_view text) {
  const tenon_status status = ask_host_echo(call, host, {text.data(), text.size()}, nullptr);
  if (status != TENON_OK) return status;
  if (text.substr(0, 5) == "throw") throw std::runtime_error("no more coffee");
  if (text.substr(0, 4) != "fail") return TENON_OK;
  return tenon_fail(call, TENON_DATA_LOSS | TENON_FATAL, "the cups are broken");
}

// -- Life ---------------------------------------------------------------------

tenon_status create(tenon_call*, const tenon_create_request* in, void** self) {
  *self = new Object{in->host, {}};
  return TENON_OK;
}

void destroy(void* self) {
  delete &Object::of(self);
}

tenon_status save_state(tenon_call* call, void* self, const tenon_state_request*,
                        const tenon_state_response** out) {
  Object::of(self).pass("save_state");
  auto* response = new_response<tenon_state_response>(call);
  response->state = {static_cast<const std::uint8_t*>(
                         tenon_allocate_copy(call, &Object::of(self).total, sizeof(std::int64_t))),
                     sizeof(std::int64_t)};
  *out = response;
  return TENON_OK;
}

tenon_status restore_state(tenon_call*, void* self, const tenon_state_request* in) {
  Object::of(self).pass("restore_state");
  std::memcpy(&Object::of(self).total, in->state.data, sizeof(std::int64_t));
  return TENON_OK;
}

tenon_status take_settings(void* self, tenon_map config) {
  Object::of(self).throws = view(tenon_get(config, "throw"));
#ifdef FAULT_CONFIGURE
  Object::of(self).throws = "configure";
#endif
#ifdef CRASH_IN_CONFIGURE
  *nowhere = 1;
#endif
  Object::of(self).pass("configure");
  return TENON_OK;
}

// -- The counter --------------------------------------------------------------

tenon_status configure_counter(tenon_call*, void* self,
                               const test_counter_v1_configure_request* in) {
  return take_settings(self, in->config);
}

tenon_status add(tenon_call* call, void* self, const test_counter_v1_add_request* in,
                 const test_counter_v1_add_response** out) {
  auto* response = new_response<test_counter_v1_add_response>(call);
  response->total = Object::of(self).total += in->number;
  *out = response;
  return TENON_OK;
}

tenon_status call_back(tenon_call* call, void* self, const test_counter_v1_call_back_request* in,
                       const test_counter_v1_call_back_response** out) {
  const tenon_status status = ask_and_fail(call, Object::of(self).host, view(in->text));
  *out = new_response<test_counter_v1_call_back_response>(call);
  return status;
}

// -- The vault ----------------------------------------------------------------

struct Reader : tenon_reader {
  Reader(const Object& object, std::string_view key)
      : tenon_reader{sizeof(tenon_reader), read, release}, object(object), key(key) {}

  static Reader& of(tenon_reader* self) { return *static_cast<Reader*>(self); }
  static tenon_status read(tenon_call* call, tenon_reader* self, tenon_buffer, size_t* got) {
    of(self).object.pass("read");
    *got = 0;
    return ask_and_fail(call, of(self).object.host, of(self).key);
  }
  static void release(tenon_reader* self) {
    const std::string throws = of(self).object.throws;
    delete &of(self);
    if (throws == "release") throw std::runtime_error("no more coffee");
  }

  const Object& object;
  const std::string key;
};

struct Writer : tenon_writer {
  explicit Writer(const Object& object)
      : tenon_writer{sizeof(tenon_writer), write, commit, release}, object(object) {}

  static const Object& of(tenon_writer* self) { return static_cast<Writer*>(self)->object; }
  static tenon_status write(tenon_call*, tenon_writer* self, tenon_bytes) {
    of(self).pass("write");
    return TENON_OK;
  }
  static tenon_status commit(tenon_call*, tenon_writer* self) {
    of(self).pass("commit");
    return TENON_OK;
  }
  static void release(tenon_writer* self) { delete static_cast<Writer*>(self); }

  const Object& object;
};

tenon_status configure_vault(tenon_call*, void* self, const test_vault_v1_configure_request* in) {
  return take_settings(self, in->config);
}

tenon_status get(tenon_call* call, void* self, const test_vault_v1_get_request* in,
                 const test_vault_v1_get_response** out) {
  auto* response = new_response<test_vault_v1_get_response>(call);
  response->body = new Reader(Object::of(self), view(in->key));
  if (view(in->key) == "trailer") response->trailer = new Reader(Object::of(self), "");
  *out = response;
  return TENON_OK;
}

tenon_status open(tenon_call* call, void* self, const test_vault_v1_open_request*,
                  const test_vault_v1_open_response** out) {
  auto* response = new_response<test_vault_v1_open_response>(call);
  response->sink = new Writer(Object::of(self));
  *out = response;
  return TENON_OK;
}

const tenon_base saving = {.struct_size = sizeof saving,
                           .create = create,
                           .destroy = destroy,
                           .save_state = save_state,
                           .restore_state = restore_state,
                           .suspend = nullptr,
                           .resume = nullptr};
const tenon_base stateless = {.struct_size = sizeof stateless,
                              .create = create,
                              .destroy = destroy,
                              .save_state = nullptr,
                              .restore_state = nullptr,
                              .suspend = nullptr,
                              .resume = nullptr};
const test_counter_v1 counter = {.struct_size = sizeof counter,
                                 .version = 1,
                                 .reserved = 0,
                                 .base = &saving,
                                 .configure = configure_counter,
                                 .add = add,
                                 .total = nullptr,
                                 .block = nullptr,
                                 .call_back = call_back,
                                 .refuse = nullptr,
                                 .edition = nullptr,
                                 .life = nullptr};
const test_vault_v1 vault = {.struct_size = sizeof vault,
                             .version = 1,
                             .reserved = 0,
                             .base = &stateless,
                             .configure = configure_vault,
                             .get = get,
                             .put = nullptr,
                             .open = open,
                             .keep = nullptr,
                             .kept = nullptr,
                             .relay = nullptr,
                             .push = nullptr,
                             .count = nullptr};

}  // namespace

#define PLUGINS(P)                                     \
  P(test_counter, 1, "test.example/thrower", &counter) \
  P(test_vault, 1, "test.example/thrower", &vault)
TENON_MODULE("test.example/thrower", "1.0.0", PLUGINS,
             {"summary": "Throws what it is told to", "threads": "joined"});
