// SPDX-License-Identifier: BSL-1.0
#include <tenon/destination.hpp>
#include <tenon/processor.hpp>
#include <tenon/sdk/config.hpp>
#include <tenon/source.hpp>
#include <tenon/specifier.hpp>

#include <algorithm>
#include <regex>
#include <utility>

#include "config/config_check.hpp"
#include "config/manifest_parameters.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

Specification specify(Subject& subject) {
  return value_of(subject.create<Specifier>()->specify());
}

void is_the_same_each_time(Subject& subject) {
  auto specifier = subject.create<Specifier>();
  const Specification first = value_of(specifier->specify());
  require(value_of(specifier->specify()) == first, "the second specification differs");
  require(specify(subject) == first, "the specification of a second instance differs");
}

/// Fails the case if a text is empty or has blanks at its ends: lists and forms show it unchanged.
void require_neat(std::string_view what, std::string_view text) {
  const std::string name(what);
  const std::string_view trimmed = detail::without_blanks(text);
  require(!trimmed.empty(), name + " is empty");
  require(trimmed == text, name + " begins or ends with blanks");
}

void has_neat_texts(Subject& subject) {
  const Specification specification = specify(subject);
  require_neat("name", specification.name);
  require_neat("summary", specification.summary);
  require_neat("description", specification.description);
  require_neat("version", specification.version);
  require_neat("author", specification.author);
}

std::string package_version(Subject& subject) {
  const auto plugins = subject.host().plugins<Specifier>();
  const auto found = std::ranges::find(plugins, subject.plugin(), &PluginInfo::name);
  return found == plugins.end() ? "" : found->package_version();
}

void has_a_version(Subject& subject) {
  // The regular expression that semver.org recommends.
  static const std::regex semver(
      R"((0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))"
      R"((\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?)");
  const std::string version = specify(subject).version;
  require(std::regex_match(version, semver), "\"" + version + "\" is not a semantic version");
  const std::string package = package_version(subject);
  const auto major = [](const std::string& text) { return text.substr(0, text.find('.')); };
  require(major(version) == major(package), "version " + version + " does not have the major " +
                                                "version of its package, which is " + package);
}

template <class Check>
void for_each_parameter(const Specification& specification, Check check) {
  for (const auto* parameters :
       {&specification.source_parameters, &specification.processor_parameters,
        &specification.destination_parameters}) {
    for (const auto& [name, parameter] : *parameters) {
      check("parameter \"" + name + "\"", name, parameter);
    }
  }
}

void has_valid_parameters(Subject& subject) {
  for_each_parameter(specify(subject), [](const std::string& what, const std::string& name,
                                          const tenon::Parameter& parameter) {
    require_neat("the name of a parameter", name);
    require_neat("the description of " + what, parameter.description);
    const auto fault = config::fault_of(parameter);
    if (fault) fail(what + " has " + fault->found + ", needed: " + fault->needed);
  });
}

void has_valid_defaults(Subject& subject) {
  for_each_parameter(specify(subject), [](const std::string& what, const std::string&,
                                          tenon::Parameter parameter) {
    const std::string value(config::default_of(parameter));
    if (value.empty() || config::fault_of(parameter)) return;
    // A file has to exist only on the machine of the user.
    if (parameter.type == tenon::Parameter::Type::File) {
      parameter.type = tenon::Parameter::Type::String;
    }
    const auto needs = config::unmet_needs(parameter, value);
    if (needs.empty()) return;
    fail("the default of " + what + " is \"" + value + "\", needed: " + needs.front());
  });
}

/// Compares the parameters in the manifest with the specification. Passes if the manifest has none.
template <class K>
void require_as_stated(Subject& subject, const config::Parameters& specified) {
  const std::string_view property = config::property_of(static_cast<const K*>(nullptr));
  const auto plugins = subject.host().plugins<K>();
  const auto found = std::ranges::find(plugins, subject.plugin(), &PluginInfo::name);
  if (found == plugins.end()) return;
  const auto stated = config::stated_parameters(*found, property);
  if (!stated) fail(stated.error().to_string());
  if (!*stated || **stated == specified) return;
  fail("the property \"" + std::string(property) +
       "\" of the manifest differs from the specification, needed: " +
       config::manifest_text(specified));
}

void agrees_with_the_manifest(Subject& subject) {
  const Specification specification = specify(subject);
  require_as_stated<Source>(subject, specification.source_parameters);
  require_as_stated<Processor>(subject, specification.processor_parameters);
  require_as_stated<Destination>(subject, specification.destination_parameters);
}

constexpr Definition all[] = {
    {"gives the same specification each time", is_the_same_each_time},
    {"has texts that are not empty and have no blanks at their ends", has_neat_texts},
    {"has a semantic version that matches its package", has_a_version},
    {"has valid parameters", has_valid_parameters},
    {"has defaults that their own parameters accept", has_valid_defaults},
    {"has the parameters that the manifest states", agrees_with_the_manifest},
};

}  // namespace

Definitions specifier_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
