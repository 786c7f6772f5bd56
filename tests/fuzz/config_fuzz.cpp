// SPDX-License-Identifier: BSL-1.0
//
// Feeds text to the parsers and checks of values of configs. The first line is a key, the second
// selects the validations of a parameter and is also a pattern, the rest is the value. The value
// must round-trip as each type, and each problem must have a location. Patterns are also matched
// with the longest value that consists of copies of the value.
#include <tenon/sdk/config.hpp>

#include <array>
#include <cstdlib>
#include <string>

#include "fuzz/fuzzing.hpp"
#include "pipeline/parameters.hpp"

namespace {

using namespace pipeline;
using tenon::fuzzing::require;
using Type = tenon::Parameter::Type;
using Rule = tenon::Parameter::Rule;

template <class T>
void round_trip(std::string_view text) {
  using Parameter = tenon::sdk::Parameter<T>;
  const auto value = Parameter::parse(text);
  if (!value) return;
  const std::string written = tenon::sdk::text(*value);
  const auto again = Parameter::parse(written);
  require(again && tenon::sdk::text(*again) == written);  // texts, because NaN != NaN
}

void read_duration(std::string_view text) {
  using Parameter = tenon::sdk::Parameter<tenon::Duration>;
  const auto value = Parameter::parse(text);
  if (!value) return;
  const auto again = Parameter::parse(std::to_string(value->count()) + "ns");
  // Durations are parsed as doubles.
  const auto exact = std::abs(value->count()) < (std::int64_t{1} << 53);
  require(again && (!exact || *again == *value));
}

void read_as_all_types(std::string_view text) {
  round_trip<bool>(text);
  round_trip<std::int8_t>(text);
  round_trip<std::int64_t>(text);
  round_trip<std::uint64_t>(text);
  round_trip<float>(text);
  round_trip<double>(text);
  read_duration(text);
}

/// A rule, and a value that a plugin could specify for it.
struct Validation {
  Rule rule;
  const char* value;
};
constexpr std::array<Validation, 9> validations = {{{Rule::Required, ""},
                                                    {Rule::GreaterThan, "-1.5"},
                                                    {Rule::LessThan, "1h"},
                                                    {Rule::Inclusion, R"(["a", "b"])"},
                                                    {Rule::Exclusion, R"(["c", 1])"},
                                                    {Rule::Inclusion, "no list"},
                                                    {Rule::Regex, "^[a-z]+(\\.[a-z]+)*$"},
                                                    {Rule::Regex, ".*x.*"},
                                                    {Rule::Regex, "("}}};

/// The types, in the order of the ABI.
constexpr std::array<Type, 6> types = {Type::String, Type::Int,  Type::Float,
                                       Type::Bool,   Type::File, Type::Duration};

/// Each character selects a validation; the first also selects the type.
tenon::Parameter parameter_of(std::string_view how) {
  tenon::Parameter parameter;
  for (const char c : how.substr(0, 4)) {
    const auto number = static_cast<unsigned char>(c);
    if (parameter.validations.empty()) parameter.type = types[number % types.size()];
    const Validation& validation = validations[number % validations.size()];
    parameter.validations.push_back({validation.rule, validation.value});
  }
  return parameter;
}

void check(const std::string& key, const tenon::Parameter& parameter, const std::string& value) {
  PluginUse use;
  use.reference = "fuzz.example/plugin";
  use.location = use.config_location = {"fuzz", 1, 1};
  use.config.emplace(key, value);
  use.key_locations.emplace(key, SourceLocation{"fuzz", 2, 1});
  use.value_locations.emplace(key, SourceLocation{"fuzz", 2, 9});
  Diagnostics findings;
  check_config({{"path", {}}, {"*.size", parameter}, {"a.*.c", parameter}, {"name", parameter}},
               use, findings);
  // One problem for the key, one for a missing parameter, and one for each validation. If one of
  // the validations cannot be checked, one problem for each of the three parameters with it.
  require(findings.all().size() <= 2 + parameter.validations.size());
  for (const auto& finding : findings.all()) {
    require(finding.code == "unknown-parameter" || finding.code == "wrong-parameter" ||
            finding.code == "missing-parameter" || finding.code == "wrong-specification");
    require(finding.location.file == "fuzz" && finding.location.line > 0 && !finding.fix.empty());
  }
}

void match(std::string_view pattern, std::string_view value) {
  tenon::Parameter parameter;
  parameter.validations = {{Rule::Regex, std::string(pattern)}};
  if (tenon::config::fault_of(parameter)) return;
  std::string longest(value);
  while (!value.empty() && longest.size() + value.size() <= 4096) longest += value;
  const auto needs = tenon::config::unmet_needs(parameter, longest);
  require(needs.size() <= 1);
  if (longest.size() > 4096) require(needs.size() == 1);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzzing::text_of(data, size);
  const auto key = tenon::fuzzing::take_line(text);
  const auto how = tenon::fuzzing::take_line(text);
  read_as_all_types(text);
  // The reader of pipeline files trims keys and values.
  match(how, text);
  check(std::string(trimmed_lines(key)), parameter_of(how), std::string(trimmed_lines(text)));
  return 0;
}
