// SPDX-License-Identifier: BSL-1.0
#include "config/manifest_parameters.hpp"

#include <tenon/detail/json.hpp>
#include <tenon/parameter_json.hpp>

namespace tenon::config {
namespace {

Error wrong_property(std::string where, const Error& why) {
  if (!why.where().empty()) where.append(": ").append(why.where());
  return Error(
      {.code = std::string(why.code()),
       .status = why.status(),
       .message = "the parameters in the manifest cannot be read: " + std::string(why.message()),
       .where = std::move(where),
       .found = std::string(why.found()),
       .needed = std::string(why.needed()),
       .fix = "correct the manifest; `tenon verify` prints the correct property"});
}

/// Returns a parameter of the manifest as a stored document, with its type and version.
std::string document(const json::Reader& version, const json::Reader& value) {
  json::Writer out;
  out.begin_object();
  out.key("type");
  out.text("tenon.dev/parameter");
  out.key("version");
  out.value(version);
  out.key("value");
  out.value(value);
  out.end_object();
  return std::string(out.view());
}

}  // namespace

Result<std::optional<Parameters>> stated_parameters(const PluginInfo& plugin,
                                                    std::string_view property) {
  const std::string text = plugin.property(property);
  if (text.empty()) return std::optional<Parameters>();
  const std::string where = plugin.name() + ": " + std::string(property);
  json::Parser parser;
  const auto object = parser.parse(text);
  if (!object) return wrong_property(where, object.error());
  std::optional<json::Reader> version;
  std::optional<json::Reader> value;
  for (const auto& [key, member] : object->members()) {
    if (key == "version") version = member;
    if (key == "value") value = member;
  }
  if (!version || !value || value->form() != json::Form::object) {
    return wrong_property(where, Error({.code = "wrong-value",
                                        .message = "a version or the parameters are missing",
                                        .found = text.substr(0, 40),
                                        .needed = R"({"version": 2, "value": {...}})"}));
  }
  Parameters parameters;
  for (const auto& [name, stored] : value->members()) {
    auto parameter = read_parameter(document(*version, stored));
    if (!parameter) return wrong_property(where + "." + std::string(name), parameter.error());
    parameters.insert_or_assign(std::string(name), *std::move(parameter));
  }
  return std::optional(std::move(parameters));
}

std::string manifest_text(const Parameters& parameters) {
  json::Writer out;
  out.begin_object();
  out.key("version");
  out.number(std::int64_t{2});
  out.key("value");
  out.begin_object();
  for (const auto& [name, parameter] : parameters) {
    out.key(name);
    out.json(to_json(parameter).value());
  }
  out.end_object();
  out.end_object();
  return std::string(out.view());
}

}  // namespace tenon::config
