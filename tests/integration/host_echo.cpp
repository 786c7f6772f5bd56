// SPDX-License-Identifier: BSL-1.0
#include "integration/host_echo.hpp"

#include <test/echo/v1.h>

#include <atomic>

namespace {

std::atomic<int> count{0};
std::atomic<const char*> file{""};

tenon_status create(tenon_call*, const tenon_create_request* in, void** self) {
  ++count;
  file = in->host->module_file.data;
  *self = &count;
  return TENON_OK;
}

void destroy(void*) {
  --count;
}

tenon_status say(tenon_call* call, void*, const test_echo_v1_say_request* in,
                 const test_echo_v1_say_response** out) {
  const std::string text = tenon::tests::host_echo_says({in->text.data, in->text.size});
  auto* response = static_cast<test_echo_v1_say_response*>(
      tenon_allocate_zeroed(call, sizeof(test_echo_v1_say_response)));
  response->struct_size = sizeof *response;
  response->text = {static_cast<const char*>(tenon_allocate_copy(call, text.data(), text.size())),
                    text.size()};
  *out = response;
  return TENON_OK;
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

#define PLUGINS(P) P(test_echo, 1, "test.example/host-echo", &table)
TENON_MODULE("test.example/host", "1.0.0", PLUGINS, {"summary": "What the host offers"});

namespace tenon::tests {

const tenon_module* host_echo() {
  return &tenon_module_v1;
}

int host_echo_count() {
  return count;
}

const char* host_echo_file() {
  return file;
}

}  // namespace tenon::tests
