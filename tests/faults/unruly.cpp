// SPDX-License-Identifier: BSL-1.0
//
// A plugin that breaks the rules as it is told: the text of `say` names what it does wrong. A
// FAULT_ macro lets it go wrong in another of its functions. The list of the variants stands in
// meson.build.
#include <test/echo/v1.h>

#include <pthread.h>

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

void misbehave(std::string_view how) {
  if (how == "throw an exception") throw std::runtime_error("no more coffee");
  if (how == "throw a number") throw 42;
  if (how == "end the thread") pthread_exit(nullptr);
}

tenon_status create(tenon_call*, const tenon_create_request*, void** self) {
#ifdef FAULT_CREATE
  misbehave(FAULT_CREATE);
#endif
  *self = nullptr;
  return TENON_OK;
}

void destroy(void*) {
#ifdef FAULT_DESTROY
  misbehave(FAULT_DESTROY);
#endif
}

tenon_status say(tenon_call* call, void*, const test_echo_v1_say_request* in,
                 const test_echo_v1_say_response** out) {
  const std::string_view text(in->text.data, in->text.size);
  if (text == "fail for good") {
    return tenon_fail(call, TENON_DATA_LOSS | TENON_FATAL, "the cups are broken");
  }
  misbehave(text);
  auto* answer = static_cast<test_echo_v1_say_response*>(
      tenon_allocate_zeroed(call, sizeof(test_echo_v1_say_response)));
  answer->struct_size = sizeof *answer;
  answer->text = {static_cast<const char*>(tenon_allocate_copy(call, text.data(), text.size())),
                  text.size()};
  *out = answer;
  return TENON_OK;
}

tenon_status start(tenon_call*, const tenon_host*) {
#ifdef FAULT_START
  misbehave(FAULT_START);
#endif
  return TENON_OK;
}

void stop() {
#ifdef FAULT_STOP
  misbehave(FAULT_STOP);
#endif
}

const tenon_base base = {.struct_size = sizeof base,
                         .create = create,
                         .destroy = destroy,
                         .save_state = nullptr,
                         .restore_state = nullptr,
                         .suspend = nullptr,
                         .resume = nullptr};
const test_echo_v1 table = {.struct_size = sizeof table,
                            .version = 1,
                            .reserved = 0,
                            .base = &base,
                            .say = say,
                            .count = nullptr};

}  // namespace

#define PLUGINS(P) P(test_echo, 1, "test.example/unruly", &table)
TENON_MODULE_WITH("test.example/unruly", "1.0.0", start, stop, PLUGINS,
                  {"summary": "Breaks the rules as it is told", "threads": "joined"});
