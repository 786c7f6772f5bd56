// SPDX-License-Identifier: BSL-1.0
#include "manifest/manifest.hpp"

#include <tenon/abi.h>
#include <tenon/detail/arena.hpp>
#include <tenon/manifest_steps.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <tuple>

#include "base/quote.hpp"
#include "manifest/json_path.hpp"
#include "package/name.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// The type of ABI of native modules; this host offers no other.
constexpr std::string_view native_abi = "native";

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

/// Reads a manifest of any version. The first error is kept, and the result of later reads is
/// ignored.
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
  std::string_view text(const tenon_string* value, const JsonPath& where);
  std::string_view needed_text(const tenon_string* value, const JsonPath& where);
  std::string_view name(const tenon_string* value, const JsonPath& where);
  std::int32_t number(const std::int32_t* value, const JsonPath& where);
  Texts properties(const StoredMap<StoredJson>& map, const JsonPath& where);
  std::string property(std::string_view json, const JsonPath& where);

  void read_format(const json::Reader& document);
  void read_abi(const json::Reader& value);
  void refuse_type(std::string_view type);
  bool read_document(const json::Reader& document, ManifestV2Storage& stored);
  bool upgrade(const json::Reader& document, ManifestV2Storage& stored);
  void refuse_other_than_object(std::string_view json, const JsonPath& where);

  void take(const ManifestV2Storage& stored);
  void take_version(const tenon_string& value);
  void take_provides(const StoredList<ManifestV2PluginStorage>& plugins);
  Provided provided(const ManifestV2PluginStorage& stored, const JsonPath& where);
  void refuse_duplicates(const JsonPath& where);
  void take_details(const ManifestV2Storage& stored, const JsonPath& where);
  void take_requirements(const StoredMap<tenon_string>& requirements, const JsonPath& where);
  void take_properties(const StoredMap<StoredMap<StoredJson>>& plugins, const JsonPath& where);
  void take_state(const ManifestV2StateStorage& state, const JsonPath& where);

  const std::string_view path_;
  const JsonPath root_;
  json::Parser& parser_;
  Arena arena_;
  Conversion conversion_{arena_.raw(), Keep::nothing};
  std::int64_t format_ = 0;
  std::size_t author_ = 0;  // in version 1, the index of the author's object in the details
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
    return fail(where, message, "a manifest of version " + std::to_string(format_));
  }
  fail(where, message.substr(middle + found.size()),
       message.substr(expected.size(), middle - expected.size()));
}

std::string_view ManifestReader::text(const tenon_string* value, const JsonPath& where) {
  if (value == nullptr) return {};
  const std::string_view text = text_of(*value);
  if (has_control_characters(text)) {
    fail(where, in_quotes(text), "a text without control characters");
  }
  return text;
}

std::string_view ManifestReader::needed_text(const tenon_string* value, const JsonPath& where) {
  if (value == nullptr) fail(where, "nothing", "this key");
  return text(value, where);
}

std::string_view ManifestReader::name(const tenon_string* value, const JsonPath& where) {
  const auto name = needed_text(value, where);
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

Texts ManifestReader::properties(const StoredMap<StoredJson>& map, const JsonPath& where) {
  Texts result;
  for (std::size_t i = 0; i < map.size(); ++i) {
    const std::string_view key = text_of(map.key(i));
    result.emplace(key, property(text_of(map[i].text), JsonPath(where, key)));
  }
  return result;
}

/// Returns a property: the value of a text, or an object as JSON.
std::string ManifestReader::property(std::string_view json, const JsonPath& where) {
  if (json.starts_with('{')) return std::string(json);
  json::Parser parser;  // the other parser still holds the manifest
  std::string_view decoded;
  if (const auto value = parser.parse(json); !value || !value->read(decoded)) {
    fail(where, json.starts_with('[') ? "array" : std::string(json.substr(0, 40)),
         "a text or an object");
  }
  const tenon_string raw{decoded.data(), decoded.size()};
  return std::string(text(&raw, where));
}

Result<Manifest> ManifestReader::read(std::string text) {
  const Result<json::Reader> document = parser_.parse(text);
  if (!document) {
    fail(document.error().where(), document.error().message(), "one JSON object");
    return std::move(*failure_);
  }
  read_format(*document);
  ManifestV2Storage stored;
  if (!failure_ && read_document(*document, stored)) take(stored);
  if (failure_) return std::move(*failure_);
  manifest_.text = std::move(text);
  return std::move(manifest_);
}

// Reads format and ABI version first, because the rest of a newer manifest is unknown to this host.
void ManifestReader::read_format(const json::Reader& document) {
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  json::Fields fields(document);
  std::size_t count = 0;
  if (!document.read_object(count)) return fail(parser_.take_error());
  const json::Reader* format = fields.take("manifest");
  if (format == nullptr) return fail(JsonPath(root_, "manifest"), "nothing", "this key");
  if (!format->read_integer(format_, 1, largest, "a whole number from 1")) {
    return fail(parser_.take_error());
  }
  if (const json::Reader* abi = fields.take("abi")) read_abi(*abi);
  auto least = manifest_.abi;
  if (format_ > 2) least.major = std::max(least.major, static_cast<std::uint16_t>(2));
  if (failure_) return;
  if (auto good = check_abi(least, "manifest: abi", path_); !good) {
    failure_ = good.error();
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

bool ManifestReader::read_document(const json::Reader& document, ManifestV2Storage& stored) {
  if (format_ == 1) return upgrade(document, stored);
  if (read_stored(conversion_, document, stored)) return true;
  fail(parser_.take_error());
  return false;
}

bool ManifestReader::upgrade(const json::Reader& document, ManifestV2Storage& stored) {
  ManifestV1Storage old;
  if (!read_stored(conversion_, document, old)) {
    fail(parser_.take_error());
    return false;
  }
  std::size_t objects = 0;
  for (std::size_t i = 0; old.details != nullptr && i < old.details->size(); ++i) {
    const std::string_view details = text_of((*old.details)[i].text);
    if (details == "null") continue;
    const JsonPath list(root_, "details");
    const JsonPath where(list, i);
    if (objects++ > 0) {
      fail(where, "a second object", "at most one");
    } else {
      refuse_other_than_object(details, where);
    }
    author_ = i;
  }
  if (failure_) return false;
  if (convert(conversion_, old, stored)) return true;
  fail(conversion_.where(), conversion_.message());
  return false;
}

void ManifestReader::refuse_other_than_object(std::string_view json, const JsonPath& where) {
  if (json.starts_with('{')) return;
  fail(where, json.starts_with('[') ? "array" : json.substr(0, 40), "an object");
}

void ManifestReader::take(const ManifestV2Storage& stored) {
  manifest_.name = std::string(name(stored.name, JsonPath(root_, "name")));
  if (stored.version != nullptr) take_version(*stored.version);
  const StoredList<ManifestV2PluginStorage> none{};
  take_provides(stored.provides != nullptr ? *stored.provides : none);
  if (format_ == 1) {
    const JsonPath list(root_, "details");
    take_details(stored, JsonPath(list, author_));
  } else {
    take_details(stored, root_);
  }
}

void ManifestReader::take_version(const tenon_string& value) {
  const JsonPath where(root_, "version");
  if (value.size > max_version_length) {
    fail(where, std::to_string(value.size) + " characters",
         "at most " + std::to_string(max_version_length));
    return;
  }
  auto version = Version::parse(text(&value, where));
  if (!version) {
    fail(where, in_quotes(text_of(value)) + ": " + std::string(version.error().found()),
         version.error().needed());
    return;
  }
  manifest_.version = std::move(*version);
}

void ManifestReader::take_provides(const StoredList<ManifestV2PluginStorage>& plugins) {
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

Provided ManifestReader::provided(const ManifestV2PluginStorage& stored, const JsonPath& where) {
  Provided plugin;
  plugin.kind = std::string(name(stored.kind, JsonPath(where, "kind")));
  plugin.version = number(stored.version, JsonPath(where, "version"));
  plugin.name = std::string(name(stored.name, JsonPath(where, "name")));

  const JsonPath digits_path(where, format_ == 1 ? "spec" : "fingerprint");
  const auto digits = needed_text(stored.fingerprint, digits_path);
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

void ManifestReader::take_details(const ManifestV2Storage& stored, const JsonPath& where) {
  manifest_.summary = text(stored.summary, JsonPath(where, "summary"));
  manifest_.description = text(stored.description, JsonPath(where, "description"));
  manifest_.author = text(stored.author, JsonPath(where, "author"));
  manifest_.license = text(stored.license, JsonPath(where, "license"));
  manifest_.homepage = text(stored.homepage, JsonPath(where, "homepage"));
  if (stored.requirements != nullptr) {
    const std::string_view key = format_ == 1 ? "requires" : "requirements";
    take_requirements(*stored.requirements, JsonPath(where, key));
  }
  if (stored.properties != nullptr) {
    take_properties(*stored.properties, JsonPath(where, "properties"));
  }
  if (stored.state != nullptr) take_state(*stored.state, JsonPath(where, "state"));
  if (stored.threads != nullptr) {
    manifest_.unload.joins_threads = text_of(*stored.threads) == "joined";
    if (!manifest_.unload.joins_threads) {
      fail(JsonPath(where, "threads"), in_quotes(text_of(*stored.threads)),
           "\"joined\", or no such key");
    }
  }
  if (stored.handled != nullptr) {
    for (std::size_t i = 0; i < stored.handled->size(); ++i) {
      manifest_.unload.handled.emplace_back(text_of((*stored.handled)[i]));
    }
  }
  if (stored.details == nullptr) return;
  manifest_.details = text_of(stored.details->text);
  if (format_ != 1) refuse_other_than_object(manifest_.details, JsonPath(where, "details"));
}

void ManifestReader::take_requirements(const StoredMap<tenon_string>& requirements,
                                       const JsonPath& where) {
  for (std::size_t i = 0; i < requirements.size(); ++i) {
    const std::string_view key = text_of(requirements.key(i));
    const JsonPath entry(where, key);
    if (const auto flaw = name_problem(key); !flaw.empty()) {
      fail(entry, "a package whose name " + std::string(flaw), "domain/name");
    }
    const auto spec = text(&requirements[i], entry);
    auto versions = Requirement::parse(spec);
    if (!versions) {
      return fail(entry, in_quotes(spec) + ": " + std::string(versions.error().found()),
                  versions.error().needed());
    }
    manifest_.requirements.emplace(key, std::move(*versions));
  }
}

void ManifestReader::take_properties(const StoredMap<StoredMap<StoredJson>>& plugins,
                                     const JsonPath& where) {
  std::set<std::string_view> names;
  for (const Provided& plugin : manifest_.provides) names.insert(plugin.name);
  for (std::size_t i = 0; i < plugins.size(); ++i) {
    const std::string_view key = text_of(plugins.key(i));
    const JsonPath entry(where, key);
    if (!names.contains(key)) {
      fail(entry, "properties of a plugin that is not provided", "a name from provides");
    }
    manifest_.properties.emplace(key, properties(plugins[i], entry));
  }
}

void ManifestReader::take_state(const ManifestV2StateStorage& state, const JsonPath& where) {
  StateVersions versions;
  versions.type = text(state.type, JsonPath(where, "type"));
  versions.writes = number(state.writes, JsonPath(where, "writes"));
  const JsonPath reads(where, "reads");
  if (state.reads == nullptr) return fail(reads, "nothing", "this key");
  for (std::size_t i = 0; i < state.reads->size(); ++i) {
    versions.reads.push_back(number(&(*state.reads)[i], JsonPath(reads, i)));
  }
  manifest_.state = std::move(versions);
}

}  // namespace

bool same_manifest(const Manifest& a, const Manifest& b) {
  const auto parts = [](const Manifest& manifest) {
    return std::tie(manifest.abi, manifest.name, manifest.provides, manifest.summary,
                    manifest.description, manifest.author, manifest.license, manifest.homepage,
                    manifest.requirements, manifest.properties, manifest.state, manifest.unload,
                    manifest.details, manifest.in_development);
  };
  return total_order(a.version, b.version) == 0 && parts(a) == parts(b);
}

Package package_of(const Manifest& manifest) {
  Package package{.name = manifest.name, .version = manifest.version};
  for (const auto& [name, versions] : manifest.requirements) {
    package.dependencies.push_back({.name = name, .versions = versions});
  }
  package.dev = manifest.in_development;
  return package;
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
