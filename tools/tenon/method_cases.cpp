// SPDX-License-Identifier: BSL-1.0
#include "method_cases.hpp"

#include <tenon/call.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "call_steps.hpp"
#include "conformance/child.hpp"
#include "conformance/footprint.hpp"
#include "conformance/raw_module.hpp"
#include "example_requests.hpp"
#include "message.hpp"
#include "method_plan.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;
using conformance::Ending;
using conformance::Verdict;
using gen::Method;

constexpr std::size_t most_requests = 48;
constexpr std::size_t longest_shown = 200;

/// Kinds whose methods write or delete what their configuration names.
constexpr std::string_view changing_kinds[] = {
    "tenon.dev/backup_item_action", "tenon.dev/delete_item_action",  "tenon.dev/destination",
    "tenon.dev/object_store",       "tenon.dev/restore_item_action", "tenon.dev/volume_snapshotter",
};

// -- Cases --------------------------------------------------------------------

/// Returns the reason why a method cannot be called; empty if it can.
std::string obstacle(const gen::KindVersion& kind, const Method& method, bool may_change_data) {
  const gen::Field* stream = find_stream(method.response);
  if (stream == nullptr) {
    const gen::Field* field = find_stream(method.request);
    if (field != nullptr && field->type.shape != gen::Shape::optional) stream = field;
  }
  if (stream != nullptr) return "it has the stream '" + stream->name + "'";
  if (!methods_before(kind, method)) {
    return "no sequence of methods leads to a state in which it may be called";
  }
  const bool changes = std::ranges::find(changing_kinds, kind.kind->id) != std::end(changing_kinds);
  if (changes && !may_change_data) return "it may change data; allow that with --yes";
  return {};
}

MethodCase ended(MethodCase one, Verdict verdict, std::string reason) {
  one.result = {one.of, verdict, std::move(reason)};
  return one;
}

/// `version`: words that tell the version of the kind from others; or empty.
void add_cases(const PluginInfo& plugin, const std::string& version, KindSpecs& specs,
               bool may_change_data, std::vector<MethodCase>& cases) {
  MethodCase one{
      .of = {plugin.kind(), plugin.name(), "its methods" + version + " handle valid requests"},
      .plugin = plugin};
  const auto kind = specs.find(plugin);
  if (!kind) {
    if (kind.error().code() == "unknown-kind") {
      return cases.push_back(
          ended(std::move(one), Verdict::not_run,
                "no spec of the kind is known; " + std::string(kind.error().fix())));
    }
    return cases.push_back(ended(std::move(one), Verdict::failed, kind.error().to_string()));
  }
  for (const Method& method : (*kind)->methods) {
    one.of.name = method.name + version + " handles valid requests";
    std::string reason = obstacle(**kind, method, may_change_data);
    if (!reason.empty()) {
      cases.push_back(ended(one, Verdict::not_run, std::move(reason)));
      continue;
    }
    MethodCase& callable = cases.emplace_back(one);
    callable.kind = *kind;
    callable.method = &method;
  }
}

// -- Calls --------------------------------------------------------------------

/// Returns a request for a message.
std::string shortened(const std::string& request) {
  if (request.size() <= longest_shown) return request;
  std::size_t end = longest_shown;
  while ((request[end] & 0xc0) == 0x80) --end;  // not in the middle of a character
  return request.substr(0, end) + "...";
}

/// Calls one method of one plugin. The functions throw Ending.
class Caller {
 public:
  Caller(const conformance::Options& options, const MethodCase& one, std::uint64_t seed)
      : options_(options), case_(one), seed_(seed) {
    const auto found =
        std::ranges::find_if(options.setups, [&](const conformance::PluginSetup& setup) {
          return setup.kind == one.of.kind && setup.plugin == one.of.plugin;
        });
    if (found != options.setups.end()) config_ = found->config;
  }

  void run() const {
    const auto end = std::chrono::steady_clock::now() + options_.timeout / 3;
    conformance::use_library();
    const conformance::Footprint before;
    conformance::RawModule module(options_);
    for (const std::string& request : requests()) {
      call_once(module, request);
      if (std::chrono::steady_clock::now() > end) break;
    }
    module.unload();
    before.require_nothing_more(options_.timeout / 3);
  }

 private:
  /// A configuration is not generated.
  std::vector<std::string> requests() const {
    if (case_.method->configures) return {configure_request(config())};
    return generated_requests(case_.method->request, seed_, most_requests);
  }

  void call_once(const conformance::RawModule& module, const std::string& request) const {
    const conformance::Settings before;
    CalledPlugin plugin(module, {case_.plugin, case_.kind});
    try {
      call(plugin, request);
    } catch (const Ending& ending) {
      if (ending.verdict == Verdict::not_run) plugin.destroy();
      throw;
    }
    plugin.destroy();
    before.require_unchanged();
  }

  void call(CalledPlugin& plugin, const std::string& request) const {
    const Method& method = *case_.method;
    Call arena;
    if (!plugin.supports(method)) conformance::skip("the plugin does not implement it");
    make_calls_before(plugin, arena);
    const void* const in = read_request(arena.raw(), method.request, request).value();
    try {
      const auto called = plugin.call(method, in, deadline(), " with " + shortened(request));
      if (!called && method.configures) end_unconfigured(called.error());
    } catch (Ending& ending) {
      if (ending.verdict == Verdict::failed) ending.reason += "; called with " + shortened(request);
      throw;
    }
  }

  void make_calls_before(CalledPlugin& plugin, Call& arena) const {
    const auto steps = steps_before(*case_.kind, *case_.method, config(), arena.raw());
    for (const CallStep& step : *steps) {
      const auto done = make_calls(plugin, {step}, deadline());
      if (done) continue;
      if (step.method->configures) end_unconfigured(done.error());
      conformance::skip(done.error().to_string());
    }
  }

  /// Ends the case: the plugin has refused the given configuration, or needs one.
  [[noreturn]] void end_unconfigured(const Error& error) const {
    if (config_) conformance::fail(error.to_string());
    conformance::skip("no configuration is given");
  }

  const TextMap& config() const {
    static const TextMap none;
    return config_ ? *config_ : none;
  }
  std::chrono::milliseconds deadline() const {
    return std::max(options_.timeout / 20, std::chrono::milliseconds(1));
  }

  const conformance::Options& options_;
  const MethodCase& case_;
  const std::uint64_t seed_;
  std::optional<TextMap> config_;
};

Ending run_here(const conformance::Options& options, const MethodCase& one, std::uint64_t seed) {
  try {
    Caller(options, one, seed).run();
    return {Verdict::passed, {}};
  } catch (Ending& ending) {
    return std::move(ending);
  } catch (const std::exception& error) {
    return {Verdict::failed, error.what()};
  }
}

}  // namespace

std::vector<MethodCase> method_cases(const ModuleReport& report, KindSpecs& specs,
                                     bool may_change_data) {
  std::vector<MethodCase> cases;
  for (const PluginInfo& plugin : report.plugins) {
    const auto versions = std::ranges::count_if(report.plugins, [&](const PluginInfo& other) {
      return other.name() == plugin.name() && other.kind() == plugin.kind();
    });
    const std::string version =
        versions > 1 ? " of version " + std::to_string(plugin.version()) : "";
    add_cases(plugin, version, specs, may_change_data, cases);
  }
  return cases;
}

conformance::Result run(const conformance::Options& options, const MethodCase& one,
                        std::uint64_t seed) {
  if (one.method == nullptr) return one.result;
  conformance::Options absolute = options;
  absolute.module = std::filesystem::absolute(options.module);
  const auto body = [&] { return run_here(absolute, one, seed); };
  const conformance::Limits limits{
      .timeout = options.timeout, .processes = false, .much_output = false, .network = false};
  Ending ending = options.in_process ? body() : conformance::run_in_child(limits, body);
  return {one.of, ending.verdict, std::move(ending.reason)};
}

}  // namespace tenon::command
