// SPDX-License-Identifier: BSL-1.0
#include "called_plugin.hpp"

#include <tenon/call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <string_view>

#include "call/message_check.hpp"
#include "conformance/child.hpp"
#include "gen/model/layout.hpp"
#include "message.hpp"

namespace tenon::command {
namespace {

using sdk::conformance::fail;
using sdk::conformance::NamedFunction;

using Function = tenon_status (*)(tenon_call*, void*, const void*);
using FunctionWithResponse = tenon_status (*)(tenon_call*, void*, const void*, const void**);

/// Calls the function of a method. Fails the case if an exception leaves it.
tenon_status run(const void* function, const gen::Method& method, Call& call, void* self,
                 const void* request, const void** response, const std::string& words) {
  const NamedFunction running(method.name + words);
  try {
    if (method.response.empty()) {
      return reinterpret_cast<Function>(const_cast<void*>(function))(call.raw(), self, request);
    }
    return reinterpret_cast<FunctionWithResponse>(const_cast<void*>(function))(call.raw(), self,
                                                                               request, response);
  } catch (const std::exception& error) {
    fail(method.name + ": an exception left the method: " + error.what());
  } catch (...) {
    fail(method.name + ": an exception left the method");
  }
}

/// Fails the case if a status has bits that are not defined, or is a success with flags.
void check_status(tenon_status status, const gen::Method& method) {
  const bool defined = (status & ~0xffff) == 0 && (status == TENON_OK || TENON_CODE(status) != 0);
  if (!defined) fail(method.name + " returned the undefined status " + std::to_string(status));
}

}  // namespace

CalledPlugin::CalledPlugin(const sdk::conformance::RawModule& module, const PluginSpec& spec)
    : spec_(spec), module_(module), instance_(module_.create(module_.find(spec_.plugin))) {}

Result<std::string> CalledPlugin::call(const gen::Method& method, const void* request,
                                       std::chrono::milliseconds deadline,
                                       const std::string& words) {
  const auto failure = [&](tenon_status status, std::string_view message) {
    return Error({.status = status,
                  .message = std::string(message),
                  .plugin = spec_.plugin.name(),
                  .method = method.name});
  };
  const void* const function = function_of(method);
  if (function == nullptr) return failure(TENON_UNIMPLEMENTED, "the plugin has no such method");
  Call call;
  call.set_timeout(deadline);
  const void* response = nullptr;
  const tenon_status status =
      run(function, method, call, instance_.self, request, &response, words);
  check_status(status, method);
  if (status != TENON_OK) return failure(status, call.message());
  return result(method, request, call, response);
}

Result<std::string> CalledPlugin::result(const gen::Method& method, const void* request, Call& call,
                                         const void* response) {
  if (!method.response.empty()) {
    MethodInfo info{method.name, 0, false, nullptr};
    info.request = described_fields(method.request, pool_);
    info.response = described_fields(method.response, pool_);
    const std::string problem =
        detail::problem_of_response({info, nullptr, call, request}, response);
    if (!problem.empty()) fail(method.name + " returned a wrong response: " + problem);
  }
  auto written = write_result(method, request, response);
  if (written) return written;
  fail(method.name + " returned a wrong response: " + std::string(written.error().where()) + " " +
       std::string(written.error().message()));
}

const void* CalledPlugin::function_of(const gen::Method& method) const {
  const auto index = static_cast<std::size_t>(&method - spec_.kind->methods.data());
  const std::size_t offset = gen::layout_of_vtable(*spec_.kind).offsets[index];
  const auto size = static_cast<const tenon_table*>(instance_.table)->struct_size;
  const void* function = nullptr;
  if (offset + sizeof function > size) return nullptr;
  std::memcpy(&function, static_cast<const std::byte*>(instance_.table) + offset, sizeof function);
  return function;
}

}  // namespace tenon::command
