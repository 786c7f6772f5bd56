// SPDX-License-Identifier: BSL-1.0
#include "manifest/manifest.hpp"

#include <tenon/abi.h>
#include <tenon/detail/arena.hpp>
#include <tenon/detail/json.hpp>
#include <tenon/detail/storage_json.hpp>
#include <tenon/manifest_storage.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "base/quote.hpp"
#include "manifest/json_path.hpp"
#include "package/name.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The type of ABI of native modules; this host offers no other.
constexpr std::string_view native_abi = "native";

// The version of the manifest.
constexpr std::int64_t format = 1;
constexpr auto largest = std::numeric_limits<std::int32_t>::max();

/// Removes one number of an ABI version from the front.
std::optional<std::uint16_t> take_number(std::string_view& text) {
  const auto dot = text.find('.');
  const auto digits = text.substr(0, dot);
  text = dot == std::string_view::npos ? std::string_view() : text.substr(dot);
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  const bool leading_zero = digits.size() > 1 && digits.front() == '0';
  if (error != std::errc() || end != digits.data() + digits.size() || leading_zero) {
    return std::nullopt;
  }
  return number;
}

/// Removes the type of an ABI from the front; "native" if there is none. Returns nothing if the
/// type is not well-formed.
std::optional<std::string_view> take_type(std::string_view& text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return native_abi;
  const auto type = text.substr(0, slash);
  text.remove_prefix(slash + 1);
  const auto is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_';
  };
  if (type.empty() || !std::ranges::all_of(type, is_allowed)) return std::nullopt;
  return type;
}

/// Parses an ABI version: "1", "1.2" or "1.2.0".
std::optional<AbiVersion> abi_version_from(std::string_view text) {
  std::uint16_t numbers[3] = {};
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    if (count == 3) return std::nullopt;
    const auto number = take_number(text);
    if (!number) return std::nullopt;
    numbers[count] = *number;
    more = text.starts_with('.');
    if (more) text.remove_prefix(1);
  }
  if (numbers[0] == 0 || numbers[2] != 0) return std::nullopt;
  return AbiVersion{.major = numbers[0], .minor = numbers[1]};
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
}

/// Returns a value as JSON text without spaces.
std::string json_of(const json::Reader& value) {
  json::Writer writer;
  writer.value(value);
  return writer.take();
}

/// Reads a manifest. The first error is kept, and the result of later reads is ignored.
class ManifestReader {
 public:
  ManifestReader(std::string_view path, json::Parser& parser) : path_(path), parser_(parser) {}

  Result<Manifest> read(std::string text);

 private:
  void fail(std::string_view where, std::string_view found, std::string_view needed);
  void fail(const JsonPath& where, std::string_view found, std::string_view needed) {
    if (!failure_) fail(where.to_string(), found, needed);
  }
  void fail(std::string_view where, std::string_view message);
  /// Reports an error of the parser.
  void fail(const Error& error) { fail(error.where(), error.message()); }

  // Returned texts are parts of the document.
  std::string_view text(std::string_view text, const JsonPath& where);
  std::string_view name(const tenon_string* value, const JsonPath& where);
  std::int32_t number(const std::int32_t* value, const JsonPath& where);

  void read_abi(const json::Reader& value);
  void refuse_type(std::string_view type);
  void read_format(const json::Reader& document);

  void take(const ManifestV1Storage& stored);
  void take_version(const tenon_string& value);
  void take_provides(const StoredList<ManifestV1PluginStorage>& plugins);
  Provided provided(const ManifestV1PluginStorage& stored, const JsonPath& where);
  void refuse_duplicates(const JsonPath& where);

  void read_details(const json::Reader& document);
  void read_details(json::Fields details, const JsonPath& where);
  /// Returns the value of a detail, valid until the next one; nullptr if it is absent or null.
  static const json::Reader* detail(json::Fields& details, std::string_view key);
  std::string_view text(json::Fields& details, std::string_view key, const JsonPath& where);
  void read_requirements(const json::Reader& requirements, const JsonPath& where);
  void read_properties(const json::Reader& plugins, const JsonPath& where);
  Texts properties(const json::Reader& map, const JsonPath& where);
  std::string property(const json::Reader& value, const JsonPath& where);
  void read_state(const json::Reader& object, const JsonPath& where);
  void read_handled(const json::Reader& libraries);
  template <class Visit>
  void for_each_member(const json::Reader& object, const JsonPath& where, const Visit& visit);
  std::int32_t version(const json::Reader& value);

  const std::string_view path_;
  const JsonPath root_;
  json::Parser& parser_;
  Arena arena_;
  Conversion conversion_{arena_.raw(), Keep::nothing};
  Manifest manifest_;
  std::optional<Error> failure_;
};

void ManifestReader::fail(std::string_view where, std::string_view found, std::string_view needed) {
  if (failure_) return;
  failure_ = Error({.code = "broken-manifest",
                    .where = std::string(path_),
                    .found = escaped_for_display(found) + "  (manifest: " +
                             (where.empty() ? "the document" : escaped_for_display(where)) + ")",
                    .needed = std::string(needed),
                    .fix = "correct the declaration of the module and build it again"});
}

// Splits messages of the parser, eg: "expected text, found number 7".
void ManifestReader::fail(std::string_view where, std::string_view message) {
  constexpr std::string_view expected = "expected ";
  constexpr std::string_view found = ", found ";
  const std::size_t middle = message.find(found);
  if (!message.starts_with(expected) || middle == std::string_view::npos) {
    return fail(where, message, "a manifest of version " + std::to_string(format));
  }
  fail(where, message.substr(middle + found.size()),
       message.substr(expected.size(), middle - expected.size()));
}

std::string_view ManifestReader::text(std::string_view text, const JsonPath& where) {
  if (has_control_characters(text)) {
    fail(where, in_quotes(text), "a text without control characters");
  }
  return text;
}

std::string_view ManifestReader::name(const tenon_string* value, const JsonPath& where) {
  if (value == nullptr) {
    fail(where, "nothing", "this key");
    return {};
  }
  const auto name = text(text_of(*value), where);
  if (const auto flaw = name_problem(name); !flaw.empty()) {
    fail(where, in_quotes(name) + ", which " + std::string(flaw), "domain/name");
  }
  return name;
}

std::int32_t ManifestReader::number(const std::int32_t* value, const JsonPath& where) {
  if (value == nullptr) {
    fail(where, "nothing", "this key");
    return 0;
  }
  if (*value < 1) fail(where, std::to_string(*value), "a whole number from 1");
  return *value;
}

Result<Manifest> ManifestReader::read(std::string text) {
  const Result<json::Reader> document = parser_.parse(text);
  if (!document) {
    fail(document.error().where(), document.error().message(), "one JSON object");
    return std::move(*failure_);
  }
  read_format(*document);
  ManifestV1Storage stored;
  if (!failure_) {
    if (read_stored(conversion_, *document, stored)) {
      take(stored);
      read_details(*document);
    } else {
      fail(parser_.take_error());
    }
  }
  if (failure_) return std::move(*failure_);
  manifest_.text = std::move(text);
  return std::move(manifest_);
}

// Reads format and ABI version first, because the rest of a newer manifest is unknown to this host.
void ManifestReader::read_format(const json::Reader& document) {
  json::Fields fields(document);
  std::size_t count = 0;
  if (!document.read_object(count)) return fail(parser_.take_error());
  const json::Reader* member = fields.take("manifest");
  if (member == nullptr) return fail(JsonPath(root_, "manifest"), "nothing", "this key");
  std::int64_t version = 0;
  if (!member->read_integer(version, 1, largest, "a whole number from 1")) {
    return fail(parser_.take_error());
  }
  if (const json::Reader* abi = fields.take("abi")) read_abi(*abi);
  if (failure_) return;
  if (auto good = check_abi(manifest_.abi, "manifest: abi", path_); !good) {
    failure_ = good.error();
  } else if (version != format) {
    failure_ = Error(
        {.code = "version-too-new",
         .where = std::string(path_),
         .found = "a manifest of version " + std::to_string(version) + "  (manifest: manifest)",
         .needed = "version " + std::to_string(format),
         .fix = "use a newer host, or build the module with the headers of this one"});
  }
}

void ManifestReader::read_abi(const json::Reader& value) {
  if (value.form() == json::Form::null) return;
  std::string_view text;
  if (!value.read(text)) return fail(parser_.take_error());
  std::string_view version = text;
  const auto type = take_type(version);
  if (type && *type != native_abi) return refuse_type(*type);
  const auto abi = type ? abi_version_from(version) : std::nullopt;
  if (abi) {
    manifest_.abi = *abi;
  } else {
    fail(JsonPath(root_, "abi"), in_quotes(text), "an ABI version, eg: \"1.0\" or \"native/1.0\"");
  }
}

// The rest of a manifest for another type of ABI is unknown to this host.
void ManifestReader::refuse_type(std::string_view type) {
  if (failure_) return;
  failure_ = Error({.code = "abi-unknown",
                    .where = std::string(path_),
                    .found = "a module for the ABI " + in_quotes(type) + "  (manifest: abi)",
                    .needed = in_quotes(native_abi) + ", the only type that this host offers",
                    .fix = "use a host that offers " + in_quotes(type) +
                           ", or remove the type in front of the ABI version"});
}

void ManifestReader::take(const ManifestV1Storage& stored) {
  manifest_.name = std::string(name(stored.name, JsonPath(root_, "name")));
  if (stored.version != nullptr) take_version(*stored.version);
  const StoredList<ManifestV1PluginStorage> none{};
  take_provides(stored.provides != nullptr ? *stored.provides : none);
}

void ManifestReader::take_version(const tenon_string& value) {
  const JsonPath where(root_, "version");
  if (value.size > max_version_length) {
    fail(where, std::to_string(value.size) + " characters",
         "at most " + std::to_string(max_version_length));
    return;
  }
  auto version = Version::parse(text(text_of(value), where));
  if (!version) {
    fail(where, in_quotes(text_of(value)) + ": " + std::string(version.error().found()),
         version.error().needed());
    return;
  }
  manifest_.version = std::move(*version);
}

void ManifestReader::take_provides(const StoredList<ManifestV1PluginStorage>& plugins) {
  const JsonPath where(root_, "provides");
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    if (is_empty(plugins[i])) continue;
    manifest_.provides.push_back(provided(plugins[i], JsonPath(where, i)));
  }
  if (manifest_.provides.empty()) fail(where, "no plugin", "at least one");
  if (manifest_.provides.size() > max_plugins) {
    fail(where, std::to_string(manifest_.provides.size()) + " plugins",
         "at most " + std::to_string(max_plugins));
  }
  if (manifest_.provides.size() > 1) refuse_duplicates(where);
}

Provided ManifestReader::provided(const ManifestV1PluginStorage& stored, const JsonPath& where) {
  Provided plugin;
  plugin.kind = std::string(name(stored.kind, JsonPath(where, "kind")));
  plugin.version = number(stored.version, JsonPath(where, "version"));
  plugin.name = std::string(name(stored.name, JsonPath(where, "name")));

  const JsonPath digits_path(where, "spec");
  if (stored.spec == nullptr) {
    fail(digits_path, "nothing", "this key");
    return plugin;
  }
  const auto digits = text_of(*stored.spec);
  const auto* end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, plugin.fingerprint, 16);
  if (digits.size() != 16 || read.ec != std::errc() || read.ptr != end) {
    fail(digits_path, in_quotes(digits),
         "the fingerprint of the kind's spec, 16 hexadecimal digits");
  }
  return plugin;
}

void ManifestReader::refuse_duplicates(const JsonPath& where) {
  const auto identity = [](const Provided* plugin) {
    return std::tie(plugin->kind, plugin->version, plugin->name);
  };
  std::vector<const Provided*> sorted;
  for (const auto& plugin : manifest_.provides) sorted.push_back(&plugin);
  std::ranges::sort(sorted, {}, identity);
  const auto twice = std::ranges::adjacent_find(sorted, {}, identity);
  if (twice == sorted.end()) return;
  fail(where,
       in_quotes((*twice)->name) + " twice for version " + std::to_string((*twice)->version) +
           " of " + in_quotes((*twice)->kind),
       "each plugin once for each version of its kind");
}

void ManifestReader::read_details(const json::Reader& document) {
  json::Fields fields(document);
  const json::Reader* list = detail(fields, "details");
  if (list == nullptr) return;
  const JsonPath where(root_, "details");
  std::size_t i = 0;
  bool has_object = false;
  for (const json::Reader object : list->elements()) {
    const JsonPath element(where, i++);
    if (object.form() == json::Form::null) continue;
    if (std::exchange(has_object, true)) return fail(element, "a second object", "at most one");
    std::size_t count = 0;
    if (!object.read_object(count)) return fail(parser_.take_error());
    read_details(json::Fields(object), element);
  }
}

void ManifestReader::read_details(json::Fields details, const JsonPath& where) {
  manifest_.summary = text(details, "summary", where);
  manifest_.description = text(details, "description", where);
  manifest_.author = text(details, "author", where);
  manifest_.license = text(details, "license", where);
  manifest_.homepage = text(details, "homepage", where);
  if (const json::Reader* value = detail(details, "requires")) {
    read_requirements(*value, JsonPath(where, "requires"));
  }
  if (const json::Reader* value = detail(details, "properties")) {
    read_properties(*value, JsonPath(where, "properties"));
  }
  if (const json::Reader* value = detail(details, "state")) {
    read_state(*value, JsonPath(where, "state"));
  }
  if (const auto threads = text(details, "threads", where); threads.data() != nullptr) {
    manifest_.unload.joins_threads = threads == "joined";
    if (!manifest_.unload.joins_threads) {
      fail(JsonPath(where, "threads"), in_quotes(threads), "\"joined\", or no such key");
    }
  }
  if (const json::Reader* value = detail(details, "handled")) read_handled(*value);
}

const json::Reader* ManifestReader::detail(json::Fields& details, std::string_view key) {
  const json::Reader* value = details.take(key);
  return value == nullptr || value->form() == json::Form::null ? nullptr : value;
}

std::string_view ManifestReader::text(json::Fields& details, std::string_view key,
                                      const JsonPath& where) {
  const json::Reader* value = detail(details, key);
  if (value == nullptr) return {};
  std::string_view read;
  if (!value->read(read)) fail(parser_.take_error());
  return text(read, JsonPath(where, key));
}

/// Calls `visit(key, value, path of the value)` for each member until there is an error.
template <class Visit>
void ManifestReader::for_each_member(const json::Reader& object, const JsonPath& where,
                                     const Visit& visit) {
  std::size_t count = 0;
  if (!object.read_object(count)) return fail(parser_.take_error());
  for (const auto& [key, value] : object.members()) {
    visit(key, value, JsonPath(where, key));
    if (failure_) return;
  }
}

void ManifestReader::read_requirements(const json::Reader& requirements, const JsonPath& where) {
  std::size_t count = 0;
  if (requirements.read_object(count)) manifest_.requirements.reserve(count);
  for_each_member(requirements, where, [this](auto key, const auto& value, const auto& entry) {
    if (const auto flaw = name_problem(key); !flaw.empty()) {
      fail(entry, "a package whose name " + std::string(flaw), "domain/name");
    }
    std::string_view spec;  // null accepts what an empty text accepts
    if (value.form() != json::Form::null && !value.read(spec)) return fail(parser_.take_error());
    auto versions = Requirement::parse(text(spec, entry));
    if (!versions) {
      return fail(entry, in_quotes(spec) + ": " + std::string(versions.error().found()),
                  versions.error().needed());
    }
    manifest_.requirements.push_back({.name = std::string(key), .versions = std::move(*versions)});
  });
  manifest_.requirements.sort();
}

void ManifestReader::read_properties(const json::Reader& plugins, const JsonPath& where) {
  std::set<std::string_view> names;
  for (const Provided& plugin : manifest_.provides) names.insert(plugin.name);
  for_each_member(plugins, where, [&](auto key, const auto& value, const auto& entry) {
    if (!names.contains(key)) {
      return fail(entry, "properties of a plugin that is not provided", "a name from provides");
    }
    manifest_.properties.emplace(key, properties(value, entry));
  });
}

Texts ManifestReader::properties(const json::Reader& map, const JsonPath& where) {
  Texts result;
  for_each_member(map, where, [&](auto key, const auto& value, const auto& entry) {
    result.emplace(key, property(value, entry));
  });
  return result;
}

/// Returns a property: the value of a text, or an object as JSON.
std::string ManifestReader::property(const json::Reader& value, const JsonPath& where) {
  if (value.form() == json::Form::object) return json_of(value);
  std::string_view read;
  if (!value.read(read)) {
    value.fail("a text or an object");
    fail(parser_.take_error());
  }
  return std::string(text(read, where));
}

/// Reads the state. Unknown keys are ignored.
void ManifestReader::read_state(const json::Reader& object, const JsonPath& where) {
  std::size_t count = 0;
  if (!object.read_object(count)) return fail(parser_.take_error());
  json::Fields fields(object);
  StateVersions versions;
  versions.type = text(fields, "type", where);
  const json::Reader* writes = detail(fields, "writes");
  if (writes == nullptr) return fail(JsonPath(where, "writes"), "nothing", "this key");
  versions.writes = version(*writes);
  const json::Reader* reads = detail(fields, "reads");
  if (reads == nullptr) return fail(JsonPath(where, "reads"), "nothing", "this key");
  if (!reads->read_array(count)) return fail(parser_.take_error());
  for (const json::Reader element : reads->elements()) versions.reads.push_back(version(element));
  manifest_.state = std::move(versions);
}

std::int32_t ManifestReader::version(const json::Reader& value) {
  std::int64_t number = 0;
  if (!value.read_integer(number, 1, largest, "a whole number from 1")) fail(parser_.take_error());
  return static_cast<std::int32_t>(number);
}

void ManifestReader::read_handled(const json::Reader& libraries) {
  std::size_t count = 0;
  if (!libraries.read_array(count)) return fail(parser_.take_error());
  for (const json::Reader element : libraries.elements()) {
    std::string_view library;
    if (!element.read(library)) return fail(parser_.take_error());
    manifest_.unload.handled.emplace_back(library);
  }
}

}  // namespace

bool same_manifest(const Manifest& a, const Manifest& b) {
  const auto parts = [](const Manifest& manifest) {
    return std::tie(manifest.abi, manifest.name, manifest.provides, manifest.summary,
                    manifest.description, manifest.author, manifest.license, manifest.homepage,
                    manifest.requirements, manifest.properties, manifest.state, manifest.unload,
                    manifest.in_development);
  };
  return total_order(a.version, b.version) == 0 && parts(a) == parts(b);
}

std::string details_of(const Manifest& manifest) {
  json::Parser parser;
  const Result<json::Reader> document = parser.parse(manifest.text);
  if (!document) return {};
  json::Fields fields(*document);
  const json::Reader* list = fields.take("details");
  if (list == nullptr || list->form() == json::Form::null) return {};
  for (const json::Reader object : list->elements()) {
    if (object.form() != json::Form::null) return json_of(object);
  }
  return {};
}

Package package_of(const Manifest& manifest) {
  return {.name = manifest.name,
          .version = manifest.version,
          .dependencies = manifest.requirements,
          .dev = manifest.in_development};
}

const AbiVersion host_abi = {TENON_ABI_MAJOR, TENON_ABI_MINOR};

std::string AbiVersion::to_string() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

Result<Manifest> parse_manifest(std::string text, std::string_view path) {
  json::Parser parser;
  return ManifestReader(path, parser).read(std::move(text));
}

Result<void> check_abi(AbiVersion needed, std::string_view where, std::string_view path) {
  if (needed <= host_abi) return {};
  return Error(
      {.code = "abi-too-new",
       .where = std::string(path),
       .found = "a module for ABI " + needed.to_string() + "  (" + std::string(where) + ")",
       .needed = "at most " + host_abi.to_string() + ", which this host offers",
       .fix = "use a newer host, or build the module for ABI " + host_abi.to_string() +
              " (with TENON_ABI defined as " + std::to_string(host_abi.minor) + ")"});
}

}}}  // namespace tenon::v0_1::detail
