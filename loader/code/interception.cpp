// SPDX-License-Identifier: BSL-1.0
#include "code/interception.hpp"

#include <tenon/detail/steps.hpp>
#include <tenon/detail/streams.hpp>

#include <cstring>

#include "binary/byte_source.hpp"
#include "binary/function_at.hpp"
#include "call/message_check.hpp"
#include "code/generation.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns eg "SIGSEGV at blur_row+0x1f in blur.so". The function is read from the private copy,
/// because the file may have changed.
std::string describe(const platform::Crash& crash, const std::string& file) {
  std::string text = crash.stack_overflow ? "ran out of stack: " : "";
  text.append(crash.signal).append(" at ");
  const std::uint64_t offset = platform::offset_at(crash.code);
  std::string function;
  if (auto copy = platform::File::open(platform::image_at(crash.code)); copy) {
    FileSource source(*copy);
    function = function_at(source, offset);
  }
  if (!function.empty()) return text + function + " in " + file;
  return text + file + "+" + hexadecimal(offset);
}

}  // namespace

Interception::Interception(Generation& generation, const platform::ImageMap* image,
                           const InterceptionOptions& options)
    : generation_(generation), image_(image), options_(options) {}

void Interception::prepare(ValidatedPlugin& plugin) const {
  if (!contains_crashes()) return;
  for (const MethodInfo& method : plugin.version->methods) {
    plugin.contained.push_back({plugin.name, method.name, image_});
  }
}

std::unique_ptr<PluginInterceptor> Interception::of(const ValidatedPlugin& plugin, void* self) {
  const bool asked = checks_calls() || contains_crashes();
  if (!asked || plugin.version->intercepted == nullptr) return nullptr;
  return std::make_unique<PluginInterceptor>(*this, plugin, self);
}

tenon_status Interception::check_response(const MethodInfo& method, tenon_call* call,
                                          const void* request, const void* response) const {
  const std::string problem = problem_of_response(
      {.method = method, .image = image_, .call = Call::of(call), .request = request}, response);
  if (problem.empty()) return TENON_OK;
  return fail(call, TENON_INTERNAL, "the response breaks the ABI: " + problem) | streams_taken;
}

bool Interception::broken() const noexcept {
  return generation_.broken();
}

tenon_status Interception::refuse(tenon_call* call) const noexcept {
  if (process_.inherited()) {
    return tenon_fail(call, TENON_FAILED_PRECONDITION,
                      "the plugin has crashed, and a forked process restarts nothing");
  }
  return tenon_fail(call, TENON_UNAVAILABLE | TENON_RETRYABLE,
                    "the plugin has crashed and is being replaced");
}

tenon_status Interception::crashed(const platform::ContainedCall& called, tenon_call* call,
                                   const platform::Crash& crash, tenon_status status) {
  fail(call, status, describe(crash, options_.file));
  report(RestartReason::crash, status, called.plugin, called.function, call);
  return status;
}

tenon_status Interception::thrown(std::string_view plugin, std::string_view function,
                                  tenon_call* call, std::string_view text) {
  const tenon_status status = fail(call, TENON_INTERNAL, text);
  report(RestartReason::exception, status, plugin, function, call);
  return status;
}

void Interception::report(RestartReason why, tenon_status status, std::string_view plugin,
                          std::string_view function, tenon_call* call) {
  generation_.report(why, Error({.status = status,
                                 .message = std::string(Call::of(call).message()),
                                 .plugin = std::string(plugin),
                                 .method = std::string(function)}));
}

inline tenon_status PluginInterceptor::pass_on(std::uint32_t index, Passed& passed) {
  const platform::ContainedCall* contained = contained_ != nullptr ? contained_ + index : nullptr;
  const tenon_status status =
      interception_.run(contained, passed.call, passed.pass, &passed, crashed_in_call);
  return status == TENON_OK ? status_of_plugin(passed.call, passed.status) : status;
}

tenon_status PluginInterceptor::call(std::uint32_t index, Passed& passed) {
  return interception_.checks_calls() ? check_and_pass_on(index, passed) : pass_on(index, passed);
}

tenon_status PluginInterceptor::check_and_pass_on(std::uint32_t index, Passed& passed) {
  const MethodInfo& method = plugin_.version->methods[index];
  if (const std::string problem = problem_of_request(method, passed.in); !problem.empty()) {
    return fail(passed.call, TENON_INVALID_ARGUMENT, "the request breaks the ABI: " + problem);
  }
  CallRules::Turn turn(rules_, method);
  if (!turn.problem().empty()) {
    return fail(passed.call, TENON_FAILED_PRECONDITION,
                "the call breaks the ABI: " + turn.problem());
  }
  const tenon_status status = pass_on(index, passed);
  turn.ended(status == TENON_OK);
  if (status != TENON_OK || passed.out == nullptr) return status;
  const void* response = nullptr;
  std::memcpy(&response, passed.out, sizeof response);
  return interception_.check_response(method, passed.call, passed.in, response);
}

tenon_status Interceptor::count(std::uint32_t index, Passed& passed) {
  CountedCall counted(counters_[index]);
  passed.pass(&passed);
  counted.ended(passed.status);
  return passed.status;
}

tenon_status Interceptor::call(std::uint32_t index, Passed& passed) {
  return static_cast<PluginInterceptor*>(this)->call(index, passed);
}

}}}  // namespace tenon::v0_1::detail
