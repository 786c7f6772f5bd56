// SPDX-License-Identifier: BSL-1.0
//
// tenon call
#include <tenon/call.hpp>
#include <tenon/inspect.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"
#include "call_steps.hpp"
#include "called_plugin.hpp"
#include "commands.hpp"
#include "common/command_line.hpp"
#include "common/hidden_values.hpp"
#include "common/json_reader.hpp"
#include "common/setting_value.hpp"
#include "conformance/child.hpp"
#include "kind_specs.hpp"
#include "message.hpp"
#include "platform/machine.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace conformance = sdk::conformance;
using conformance::Ending;
using conformance::Verdict;
using gen::Method;
using tools::Diagnostics;

/// For loading, `create`, `destroy` and unloading, and for calls to end after their deadline.
constexpr std::chrono::milliseconds time_for_the_rest = std::chrono::seconds(5);

/// Why the arguments cannot be used.
struct Refusal {
  std::string reason;
};

[[noreturn]] void refuse(std::string reason) {
  throw Refusal{std::move(reason)};
}

// -- Configuration ------------------------------------------------------------

void add_setting(std::string key, std::string value, TextMap& config) {
  if (!config.emplace(key, std::move(value)).second) {
    refuse("--config: '" + key + "' is configured twice");
  }
}

void read_object(const std::string& text, TextMap& config, Diagnostics& problems) {
  const auto root = tools::read_json(text, "--config", problems);
  if (!root) return;
  for (const tools::JsonMember& member : *root->object()) {
    add_setting(member.key, tools::read_setting_value(member.value, member.key, problems).value,
                config);
  }
}

/// Returns the configuration of the plugin.
TextMap read_config(const std::vector<std::string>& texts, Diagnostics& problems) {
  TextMap config;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (text.starts_with('{')) {
      read_object(text, config, problems);
    } else if (equals == 0 || equals == std::string::npos) {
      refuse("--config: found '" + text + "', needed KEY=VALUE or a JSON object");
    } else {
      add_setting(text.substr(0, equals), text.substr(equals + 1), config);
    }
  }
  return config;
}

// -- The plugin ---------------------------------------------------------------

const Method* find_method(const PluginSpec& spec, const std::string& name) {
  const auto& methods = spec.kind->methods;
  const auto found = std::ranges::find(methods, name, &Method::name);
  return found == methods.end() ? nullptr : &*found;
}

/// Returns the plugins that the arguments may mean.
std::vector<PluginInfo> named_plugins(const ModuleReport& report, const CallArguments& arguments) {
  std::vector<PluginInfo> named;
  std::vector<std::string> names;
  std::vector<std::string> kinds;
  for (const PluginInfo& plugin : report.plugins) {
    names.push_back(plugin.name());
    kinds.push_back(plugin.kind());
    const bool matches = (arguments.plugin.empty() || plugin.name() == arguments.plugin) &&
                         (arguments.kind.empty() || plugin.kind() == arguments.kind);
    if (matches) named.push_back(plugin);
  }
  if (!named.empty()) return named;
  if (names.empty()) refuse("the module has no plugins");
  const std::string has = "the module has " + tools::enumerate(names);
  if (std::ranges::find(names, arguments.plugin) == names.end() && !arguments.plugin.empty()) {
    refuse("the module has no plugin '" + arguments.plugin + "'; " +
           tools::did_you_mean(arguments.plugin, names, has));
  }
  refuse("the module has no such plugin of kind '" + arguments.kind + "'; " +
         tools::did_you_mean(arguments.kind, kinds, "its kinds are " + tools::enumerate(kinds)));
}

/// Keeps the newest of the versions of a kind that a plugin implements.
void keep_newest(std::vector<PluginSpec>& specs) {
  const auto is_older = [&specs](const PluginSpec& one) {
    return std::ranges::any_of(specs, [&one](const PluginSpec& other) {
      return other.plugin.name() == one.plugin.name() && other.plugin.kind() == one.plugin.kind() &&
             other.plugin.version() > one.plugin.version();
    });
  };
  std::vector<PluginSpec> newest;
  std::ranges::remove_copy_if(specs, std::back_inserter(newest), is_older);
  specs = std::move(newest);
}

/// Returns the only one of the plugins that has the method.
PluginSpec choose(std::vector<PluginSpec> specs, const CallArguments& arguments) {
  std::vector<std::string> methods;
  for (const PluginSpec& spec : specs) {
    for (const Method& method : spec.kind->methods) methods.push_back(method.name);
  }
  std::erase_if(specs, [&](const PluginSpec& spec) {
    return find_method(spec, arguments.method) == nullptr;
  });
  keep_newest(specs);
  if (specs.empty()) {
    refuse("there is no method '" + arguments.method + "'; " +
           tools::did_you_mean(arguments.method, methods,
                               "the methods are " + tools::enumerate(methods)));
  }
  if (specs.size() == 1) return specs.front();
  std::vector<std::string> words;
  for (const PluginSpec& spec : specs) {
    words.push_back(spec.plugin.name() + " (" + spec.plugin.kind() + ")");
  }
  refuse("several plugins have a method '" + arguments.method + "': " + tools::enumerate(words) +
         "; name one as [PLUGIN], and its kind with --kind");
}

/// Returns an error if no spec of the plugins is known.
Result<std::vector<PluginSpec>> known_specs(const std::vector<PluginInfo>& plugins,
                                            KindSpecs& specs) {
  std::vector<PluginSpec> known;
  std::optional<Error> problem;
  for (const PluginInfo& plugin : plugins) {
    auto kind = specs.find(plugin);
    if (kind) {
      known.push_back({plugin, *kind});
    } else if (!problem) {
      problem = std::move(kind).error();
    }
  }
  if (known.empty()) return std::move(*problem);
  return known;
}

// -- The calls ----------------------------------------------------------------

void refuse_streams(const std::vector<gen::Field>& fields, bool optional_too) {
  const gen::Field* field = find_stream(fields);
  if (field == nullptr || (!optional_too && field->type.shape == gen::Shape::optional)) return;
  refuse("the method has the stream '" + field->name + "', and streams cannot be called from here");
}

/// The calls to make.
struct Calls {
  std::vector<CallStep> before;
  const Method& method;
  const void* request;
};

/// Returns the calls, with requests in the arena of `call`.
Calls calls_of(const PluginSpec& spec, const CallArguments& arguments, const TextMap& config,
               tenon_call* call) {
  const Method& method = *find_method(spec, arguments.method);
  refuse_streams(method.request, false);
  refuse_streams(method.response, true);
  auto before = steps_before(*spec.kind, method, config, call);
  if (!before) refuse("no sequence of methods leads to a state in which it may be called");
  const bool configures =
      std::ranges::any_of(*before, [](const CallStep& step) { return step.method->configures; });
  if (!config.empty() && !configures) {
    refuse("--config: '" + method.name + "' is called before or without a configuration");
  }
  const auto request = read_request(call, method.request, arguments.request);
  if (request) return {std::move(*before), method, *request};
  const std::string where(request.error().where());
  refuse("the request: " + where + (where.empty() ? "" : ": ") +
         std::string(request.error().message()));
}

/// Makes the calls in this process. Returns the result of the last one, or why a call failed.
Ending run(const conformance::Options& options, const PluginSpec& spec, const Calls& calls) {
  conformance::RawModule module(options);
  CalledPlugin plugin(module, spec);
  if (auto done = make_calls(plugin, calls.before, options.timeout); !done) {
    return {Verdict::failed, done.error().to_string()};
  }
  auto result = plugin.call(calls.method, calls.request, options.timeout);
  if (!result) return {Verdict::failed, result.error().to_string()};
  plugin.destroy();
  module.unload();
  return {Verdict::passed, std::move(*result)};
}

Exit run_in_child(const CallArguments& arguments, const PluginSpec& spec, const Calls& calls) {
  const conformance::Options options{.module = std::filesystem::absolute(arguments.file),
                                     .timeout = arguments.timeout};
  const auto count = static_cast<int>(calls.before.size() + 1);
  const auto limit = count * arguments.timeout + time_for_the_rest;
  const Ending ending = conformance::run_in_child({.timeout = limit}, [&]() -> Ending {
    try {
      return run(options, spec, calls);
    } catch (Ending& broken) {
      return std::move(broken);
    } catch (const std::exception& error) {
      return {Verdict::failed, error.what()};
    }
  });
  if (ending.verdict == Verdict::passed) {
    std::cout << ending.reason << "\n";
    return success;
  }
  const std::string reason = tools::without_hidden_values(ending.reason);
  std::cerr << "tenon call: " << escaped_for_display(reason) << "\n";
  return problems_found;
}

Exit call_plugin(const Options& options, const CallArguments& arguments,
                 const ModuleReport& report) {
  if (!arguments.request.starts_with('{')) {
    refuse("found '" + arguments.request + "' as the request, needed a JSON object such as {}");
  }
  Diagnostics problems;
  const TextMap config = read_config(arguments.configs, problems);
  if (!problems.empty()) {
    tools::print(problems);
    return usage_error;
  }
  KindSpecs specs(options);
  auto known = known_specs(named_plugins(report, arguments), specs);
  if (!known) {
    print_problems({known.error()});
    return problems_found;
  }
  const PluginSpec spec = choose(std::move(*known), arguments);
  Call requests;
  return run_in_child(arguments, spec, calls_of(spec, arguments, config, requests.raw()));
}

}  // namespace

Exit call(const Options& options, const CallArguments& arguments) {
  const ModuleReport report = tenon::inspect(arguments.file);
  const bool is_foreign = (report.format == "PE") != platform::loads_dlls;
  if (!report.manifest || is_foreign) {
    print_problems(report.errors);
    return std::ranges::any_of(report.errors, is_unreadable) ? io_error : problems_found;
  }
  try {
    return call_plugin(options, arguments, report);
  } catch (const Refusal& refusal) {
    std::cerr << "tenon call: " << escaped_for_display(refusal.reason) << "\n";
    return usage_error;
  }
}

}  // namespace tenon::command
