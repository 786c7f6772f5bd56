// SPDX-License-Identifier: BSL-1.0
//
// The cases that sources, processors and destinations share: configuration, and teardown without
// open.
#pragma once

#include <tenon/destination.hpp>
#include <tenon/processor.hpp>
#include <tenon/source.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "config/config_check.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {

using config::Parameters;

template <class K>
const Parameters& parameters_in(const Specification& specification) {
  if constexpr (std::is_same_v<K, Source>) {
    return specification.source_parameters;
  } else if constexpr (std::is_same_v<K, Processor>) {
    return specification.processor_parameters;
  } else {
    return specification.destination_parameters;
  }
}

/// Returns the parameters of a source, processor or destination. The case is not run if it has no
/// specifier.
template <class K>
Parameters parameters_of(Subject& subject) {
  const auto specification = subject.specification();
  if (!specification) skip("the plugin has no specifier");
  return parameters_in<K>(*specification);
}

/// Returns the config of the setup with the defaults that a host adds.
template <class K>
TextMap config_of(Subject& subject) {
  TextMap config = subject.setup().config;
  const auto specification = subject.specification();
  if (!specification) return config;
  for (const auto& [name, parameter] : parameters_in<K>(*specification)) {
    const std::string_view value = config::default_of(parameter);
    if (!value.empty() && !config::has_star(name)) config.emplace(name, value);
  }
  return config;
}

/// An instance that the destructor tears down.
template <class K>
class Instance {
 public:
  explicit Instance(Subject& subject) : plugin_(subject.create<K>()) {}
  Instance(Subject& subject, const TextMap& config) : Instance(subject) {
    require_done(plugin_->configure(config));
  }
  ~Instance() {
    if (!torn_down_) static_cast<void>(plugin_->teardown());
  }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  K* operator->() noexcept { return &*plugin_; }

  void teardown() {
    torn_down_ = true;
    require_done(plugin_->teardown());
  }

 private:
  Handle<K> plugin_;
  bool torn_down_ = false;
};

/// Returns the error of configuring a config, which `what` describes. Fails the case if the config
/// is accepted or if the teardown after that fails.
template <class K>
Error refusal(Subject& subject, const TextMap& config, const std::string& what) {
  Instance<K> plugin(subject);
  const auto configured = plugin->configure(config);
  require(!configured, what + " is accepted");
  require(is(configured.error(), TENON_INVALID_ARGUMENT),
          what + ": needed invalid-argument, found " + configured.error().to_string());
  plugin.teardown();
  return configured.error();
}

inline bool names(const Error& error, std::string_view parameter) {
  return error.message().find(parameter) != std::string_view::npos;
}

template <class K>
void is_described(Subject& subject) {
  require(subject.specification().has_value(), "the module has no specifier of this name");
}

template <class K>
void accepts_its_config(Subject& subject) {
  Instance<K>(subject, config_of<K>(subject)).teardown();
}

template <class K>
void refuses_missing_parameters(Subject& subject) {
  const PluginSetup* setup = subject.find_setup();
  bool any = false;
  for (const auto& [name, parameter] : parameters_of<K>(subject)) {
    if (!config::must_be_given(parameter) || config::has_star(name)) continue;
    TextMap config = setup != nullptr ? setup->config : TextMap();
    config.erase(name);
    const Error error = refusal<K>(subject, config, "a config without \"" + name + "\"");
    // Without a setup all parameters are missing, and the message may name another one.
    require(setup == nullptr || names(error, name),
            "the message does not name \"" + name + "\": " + error.to_string());
    any = true;
  }
  if (!any) skip("no parameter is required");
}

template <class K>
void refuses_wrong_types(Subject& subject) {
  bool any = false;
  for (const auto& [name, parameter] : parameters_of<K>(subject)) {
    const bool typed = parameter.type != tenon::Parameter::Type::String &&
                       parameter.type != tenon::Parameter::Type::File;
    if (!typed || config::has_star(name)) continue;
    TextMap config = subject.setup().config;
    config[name] = "neither number nor word";
    const std::string what =
        "a value of \"" + name + "\" that is not of type " + std::string(to_text(parameter.type));
    const Error error = refusal<K>(subject, config, what);
    require(names(error, name), "the message does not name \"" + name + "\": " + error.to_string());
    any = true;
  }
  if (!any) skip("all parameters are texts");
}

template <class K>
void reports_unknown_parameters(Subject& subject) {
  constexpr std::string_view unknown = "no-parameter-of-any-plugin";
  TextMap config = config_of<K>(subject);
  config.emplace(unknown, "value");
  Instance<K> plugin(subject);
  const auto configured = plugin->configure(config);
  require(configured ? subject.has_warned_of(unknown) : names(configured.error(), unknown),
          "neither an error nor a warning names the parameter that does not exist");
  plugin.teardown();
}

/// Tears down an instance that is not configured and, if there is a setup, a configured one.
template <class K>
void is_torn_down_without_open(Subject& subject) {
  Instance<K>(subject).teardown();
  if (subject.find_setup() != nullptr) accepts_its_config<K>(subject);
}

template <class K>
inline constexpr Definition lifecycle_cases[] = {
    {"is described by a specifier", is_described<K>},
    {"accepts its configuration", accepts_its_config<K>},
    {"refuses a configuration without a required parameter", refuses_missing_parameters<K>},
    {"refuses a value of the wrong type", refuses_wrong_types<K>},
    {"reports a parameter that does not exist", reports_unknown_parameters<K>},
    {"can be torn down without open", is_torn_down_without_open<K>},
};

/// Returns the shared cases followed by the cases of the kind.
template <class K, std::size_t count>
constexpr auto with_lifecycle_cases(const Definition (&own)[count]) {
  std::array<Definition, std::size(lifecycle_cases<K>) + count> all;
  std::copy(own, own + count,
            std::copy(std::begin(lifecycle_cases<K>), std::end(lifecycle_cases<K>), all.begin()));
  return all;
}

}  // namespace tenon::sdk::conformance
