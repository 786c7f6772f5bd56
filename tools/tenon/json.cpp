// SPDX-License-Identifier: BSL-1.0
#include "json.hpp"

#include <cstdio>
#include <iostream>
#include <string>

#include "base/plain_text.hpp"
#include "document/json_parser.hpp"
#include "text.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

constexpr int schema = 1;

/// Returns a text, or null if it is empty.
json::value text(std::string_view text) {
  return text.empty() ? json::value(nullptr) : json::value(json::string(text));
}

json::object texts(const TextMap& map) {
  json::object object;
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

std::string hexadecimal(std::uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(number));
  return digits;
}

void write(std::string& out, const json::value& value, const std::string& indent);

template <class Container, class WriteOne>
void write_all(std::string& out, const Container& all, const char* brackets,
               const std::string& indent, WriteOne write_one) {
  out += brackets[0];
  bool first = true;
  for (const auto& one : all) {
    out += (first ? "\n" : ",\n") + indent + "  ";
    write_one(one);
    first = false;
  }
  if (!first) out += "\n" + indent;
  out += brackets[1];
}

void write(std::string& out, const json::value& value, const std::string& indent) {
  if (const json::object* object = value.if_object()) {
    write_all(out, *object, "{}", indent, [&](const auto& member) {
      out += json::serialize(valid_utf8(member.key())) + ": ";
      write(out, member.value(), indent + "  ");
    });
  } else if (const json::array* array = value.if_array()) {
    write_all(out, *array, "[]", indent,
              [&](const json::value& element) { write(out, element, indent + "  "); });
  } else if (const json::string* text = value.if_string()) {
    out += json::serialize(valid_utf8(*text));
  } else {
    out += json::serialize(value);
  }
}

}  // namespace

json::object make_output(std::string_view command) {
  json::object output;
  output["tenon"] = {{"schema", schema}, {"command", command}};
  return output;
}

json::object to_json(const PluginInfo& plugin) {
  json::object object;
  object["name"] = plugin.name();
  object["kind"] = plugin.kind();
  object["version"] = plugin.version();
  object["fingerprint"] = hexadecimal(plugin.fingerprint());
  const Compatibility& compatibility = plugin.compatibility();
  object["fits"] = to_string(compatibility.grade);
  object["reason"] = text(compatibility.reason);
  object["host_version"] = compatibility.host_version != 0 ? json::value(compatibility.host_version)
                                                           : json::value(nullptr);
  object["missing"] = json::array(compatibility.missing.begin(), compatibility.missing.end());
  object["package"] = plugin.package();
  object["package_version"] = plugin.package_version();
  object["origin"] = plugin.builtin() ? "builtin" : "file";
  object["file"] = text(plugin.file().string());
  object["summary"] = text(plugin.summary());
  object["properties"] = texts(plugin.properties());
  return object;
}

json::object details_of(const ManifestInfo& manifest) {
  json::parse_options options;
  options.max_depth = tenon::json::detail::max_levels;  // of a manifest
  boost::system::error_code failed;
  json::value details = json::parse(manifest.details, failed, {}, options);
  return failed || !details.is_object() ? json::object() : std::move(details.get_object());
}

json::object to_json(const ManifestInfo& manifest) {
  json::object object;
  object["abi"] = manifest.abi;
  object["package"] = manifest.package;
  object["package_version"] = manifest.package_version;
  object["summary"] = text(manifest.summary);
  object["description"] = text(manifest.description);
  object["author"] = text(manifest.author);
  object["license"] = text(manifest.license);
  object["homepage"] = text(manifest.homepage);
  object["requires"] = texts(manifest.requirements);
  if (manifest.state) {
    object["state"] = {
        {"type", manifest.state->type.empty() ? json::value() : json::value(manifest.state->type)},
        {"writes", manifest.state->writes},
        {"reads", json::array(manifest.state->reads.begin(), manifest.state->reads.end())}};
  } else {
    object["state"] = nullptr;
  }
  object["joins_threads"] = manifest.joins_threads;
  object["handled"] = json::array(manifest.handled.begin(), manifest.handled.end());
  object["details"] = details_of(manifest);
  return object;
}

json::object to_json(const ReloadSafety& reload) {
  json::object object;
  object["grade"] = to_string(reload.grade);
  object["symbol"] = text(reload.symbol);
  object["file"] = text(reload.file.string());
  object["library"] = text(reload.library);
  object["reason"] = text(reload.reason);
  object["fix"] = text(reload.fix);
  object["stays_mapped"] = reload.stays_mapped;
  object["stays_loaded"] = reload.stays_loaded;
  return object;
}

json::object to_json(const Error& error) {
  json::object object;
  object["code"] = error.code();
  object["severity"] = to_string(error.severity());
  object["where"] = text(error.where());
  object["message"] = text(error.message());
  object["found"] = text(error.found());
  object["needed"] = text(error.needed());
  object["fix"] = text(error.fix());
  return object;
}

json::array to_json(const std::vector<Error>& errors) {
  json::array array;
  for (const Error& error : errors) array.push_back(to_json(error));
  return array;
}

json::array to_json(const std::vector<LockChange>& changes) {
  const auto hash = [](const std::string& sha256) {
    return sha256.empty() ? json::value(nullptr) : json::value(sha256);
  };
  json::array array;
  for (const LockChange& change : changes) {
    json::array files;
    for (const FileChange& file : change.files) {
      files.push_back(
          {{"path", file.path}, {"before", hash(file.before)}, {"after", hash(file.after)}});
    }
    array.push_back({{"change", change.change},
                     {"package", change.package},
                     {"version", change.version},
                     {"files", std::move(files)}});
  }
  return array;
}

void add_owner(const std::optional<FileOwner>& owner, json::object& object) {
  object["owner"] = owner ? json::value(owner->user) : json::value(nullptr);
  object["mode"] = owner ? json::value(mode_text(*owner)) : json::value(nullptr);
}

json::array to_json(const std::vector<LibraryInfo>& libraries) {
  json::array array;
  for (const LibraryInfo& library : libraries) {
    json::object object{{"name", library.name},
                        {"path", text(library.path.string())},
                        {"stays_mapped", library.stays_mapped}};
    add_owner(library.owner, object);
    array.push_back(std::move(object));
  }
  return array;
}

json::array to_json(const std::vector<SystemVersion>& versions) {
  json::array array;
  for (const SystemVersion& one : versions) {
    array.push_back({{"library", one.library}, {"version", to_string(one.numbers)}});
  }
  return array;
}

json::array to_json(const std::vector<RequirementInfo>& requirements) {
  json::array array;
  for (const RequirementInfo& one : requirements) {
    array.push_back({{"package", one.package},
                     {"versions", one.versions},
                     {"gets", text(one.resolved)},
                     {"met", one.met}});
  }
  return array;
}

json::object to_json(const PackageInfo& package) {
  json::object object;
  object["name"] = package.name;
  object["version"] = package.version;
  object["origin"] = package.builtin() ? "builtin" : "file";
  object["file"] = text(package.file.string());
  object["in_development"] = package.in_development;
  object["locked"] = package.locked;
  object["used"] = package.used;
  object["requirements"] = to_json(package.requirements);
  object["refused"] = package.refused ? json::value(to_json(*package.refused)) : json::value();
  return object;
}

json::object to_json(const ResolvedPackage& resolved) {
  json::object object = to_json(resolved.package);
  json::array required_by;
  for (const RequirerInfo& one : resolved.required_by) {
    required_by.push_back({{"name", one.name}, {"versions", text(one.versions)}});
  }
  object["required_by"] = std::move(required_by);
  json::array newer;
  for (const SkippedVersion& one : resolved.newer) {
    newer.push_back({{"version", one.version}, {"reason", one.reason}});
  }
  object["newer"] = std::move(newer);
  return object;
}

void print(const json::object& output) {
  std::string out;
  write(out, output, "");
  std::cout << out << '\n';
}

}  // namespace tenon::command
