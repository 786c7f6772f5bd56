// SPDX-License-Identifier: BSL-1.0
#include "manifest/manifest.hpp"

#include "manifest/place.hpp"
#include "manifest/strict_json.hpp"
#include "package/name.hpp"
#include "package/quote.hpp"

#include <tenon/abi.h>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <limits>
#include <tuple>

namespace tenon {
namespace {

namespace json = boost::json;

std::string_view view(json::string_view text) {
  return {text.data(), text.size()};
}

/// A value as it stands in a message.
std::string shown(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return in_quotes(view(value.get_string()));
  return json::serialize(value);
}

/// Takes one number of a contract's version off the front.
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

/// "1", "1.2" or "1.2.0", and "native/" before it or not.
std::optional<Contract> contract_from(std::string_view text) {
  constexpr std::string_view native = "native/";
  if (text.starts_with(native)) text.remove_prefix(native.size());
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
  return Contract{.major = numbers[0], .minor = numbers[1]};
}

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7f;
  });
}

/// Reads a document into a Manifest. The first thing that is wrong is kept, and what is read after
/// it has no meaning.
class Reader {
 public:
  explicit Reader(std::string_view path) : path_(path) {}

  Result<Manifest> read(std::string_view text);

 private:
  void fail(const Place& place, std::string_view found, std::string_view needed);
  void refuse(const json::value& value, const Place& place, std::string_view needed) {
    fail(place, shown(value), needed);
  }

  const json::object& object(const json::value& value, const Place& place);
  const json::array& array(const json::value& value, const Place& place);
  std::string text(const json::value& value, const Place& place);
  std::string name(const json::value& value, const Place& place);
  std::int32_t number(const json::value& value, const Place& place);
  Texts texts(const json::value& value, const Place& place);
  const json::value& member(const json::object& object, std::string_view key, const Place& place);
  void refuse_unknown(const json::object& object, const Place& place,
                      std::initializer_list<std::string_view> known);

  void read_format(const json::object& document);
  void read_version(const json::value& value, const Place& place);
  void read_provides(const json::value& value, const Place& place);
  void refuse_duplicates(const Place& place);
  Provided provided(const json::value& value, const Place& place);
  void read_details(const json::value& value, const Place& place);
  void read_detail(std::string_view key, const json::value& value, const Place& place);
  void read_requirements(const json::value& value, const Place& place);
  void read_properties(const json::value& value, const Place& place);
  void read_state(const json::value& value, const Place& place);

  const std::string_view path_;
  const Place root_;
  Manifest manifest_;
  std::optional<Error> failure_;
};

void Reader::fail(const Place& place, std::string_view found, std::string_view needed) {
  if (failure_) return;
  const auto where = place.to_string();
  failure_ = Error({.code = "broken-manifest",
                    .where = std::string(path_),
                    .found = std::string(found) +
                             "  (manifest: " + (where.empty() ? "the document" : where) + ")",
                    .needed = std::string(needed),
                    .fix = "correct the declaration of the module and build it again"});
}

const json::object& Reader::object(const json::value& value, const Place& place) {
  static const json::object none;
  if (value.is_object()) return value.get_object();
  refuse(value, place, "an object");
  return none;
}

const json::array& Reader::array(const json::value& value, const Place& place) {
  static const json::array none;
  if (value.is_array()) return value.get_array();
  refuse(value, place, "a list");
  return none;
}

std::string Reader::text(const json::value& value, const Place& place) {
  if (!value.is_string()) {
    refuse(value, place, "a text");
    return {};
  }
  const auto text = view(value.get_string());
  if (has_control_characters(text)) refuse(value, place, "a text without control characters");
  return std::string(text);
}

std::string Reader::name(const json::value& value, const Place& place) {
  auto name = text(value, place);
  if (const auto flaw = flaw_of_name(name); !flaw.empty()) {
    fail(place, shown(value) + ", which " + std::string(flaw), "domain/name");
  }
  return name;
}

std::int32_t Reader::number(const json::value& value, const Place& place) {
  constexpr auto largest = std::numeric_limits<std::int32_t>::max();
  if (value.is_int64() && value.get_int64() >= 1 && value.get_int64() <= largest) {
    return static_cast<std::int32_t>(value.get_int64());
  }
  refuse(value, place, "a whole number from 1 to " + std::to_string(largest));
  return 0;
}

Texts Reader::texts(const json::value& value, const Place& place) {
  Texts result;
  for (const auto& [key, element] : object(value, place)) {
    result.emplace(view(key), text(element, Place(place, view(key))));
  }
  return result;
}

const json::value& Reader::member(const json::object& object, std::string_view key,
                                  const Place& place) {
  static const json::value none;
  const auto* value = object.if_contains({key.data(), key.size()});
  if (value != nullptr) return *value;
  fail(Place(place, key), "nothing", "this key");
  return none;
}

void Reader::refuse_unknown(const json::object& object, const Place& place,
                            std::initializer_list<std::string_view> known) {
  for (const auto& [key, value] : object) {
    if (std::find(known.begin(), known.end(), view(key)) != known.end()) continue;
    std::string needed = "only";
    for (const auto name : known) needed.append(" ").append(name);
    fail(place, "the unknown key " + in_quotes(view(key)), needed);
  }
}

Result<Manifest> Reader::read(std::string_view text) {
  unsigned char memory[8192];
  json::monotonic_resource storage(memory, sizeof memory);
  const auto document = parse_strict_json(text, &storage);
  if (!document) {
    fail(root_, document.error().found(), "one JSON object");
    return std::move(*failure_);
  }
  const auto& top = object(*document, root_);
  if (!failure_) read_format(top);
  if (failure_) return std::move(*failure_);

  refuse_unknown(top, root_, {"manifest", "contract", "name", "version", "provides", "details"});
  manifest_.name = name(member(top, "name", root_), Place(root_, "name"));
  if (const auto* value = top.if_contains("version")) read_version(*value, Place(root_, "version"));
  read_provides(member(top, "provides", root_), Place(root_, "provides"));
  if (const auto* value = top.if_contains("details")) read_details(*value, Place(root_, "details"));
  if (failure_) return std::move(*failure_);
  return std::move(manifest_);
}

// The number of the format and the contract come first: what a newer manifest holds besides
// cannot be judged here.
void Reader::read_format(const json::object& document) {
  const auto format = number(member(document, "manifest", root_), Place(root_, "manifest"));
  const auto* value = document.if_contains("contract");
  if (value != nullptr && !value->is_null()) {
    const Place place(root_, "contract");
    const auto contract = contract_from(text(*value, place));
    if (contract) {
      manifest_.contract = *contract;
    } else {
      refuse(*value, place, "a version of the contract, eg: \"1.0\" or \"native/1.0\"");
    }
  }
  auto least = manifest_.contract;
  if (format > 1) least.major = std::max(least.major, static_cast<std::uint16_t>(2));
  if (failure_) return;
  if (auto good = check_contract(least, "manifest: contract", path_); !good) {
    failure_ = good.error();
  }
}

void Reader::read_version(const json::value& value, const Place& place) {
  if (value.is_null()) return;
  auto version = Version::parse(text(value, place));
  if (!version) {
    fail(place, shown(value) + ": " + std::string(version.error().found()),
         version.error().needed());
    return;
  }
  manifest_.version = std::move(*version);
}

void Reader::read_provides(const json::value& value, const Place& place) {
  const auto& entries = array(value, place);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].is_null()) continue;
    manifest_.provides.push_back(provided(entries[i], Place(place, i)));
  }
  if (manifest_.provides.empty()) fail(place, "no plugin", "at least one");
  refuse_duplicates(place);
}

void Reader::refuse_duplicates(const Place& place) {
  const auto identity = [](const Provided* plugin) {
    return std::tie(plugin->kind, plugin->version, plugin->name);
  };
  std::vector<const Provided*> sorted;
  for (const auto& plugin : manifest_.provides) sorted.push_back(&plugin);
  std::ranges::sort(sorted, {}, identity);
  const auto twice = std::ranges::adjacent_find(sorted, {}, identity);
  if (twice == sorted.end()) return;
  fail(place,
       in_quotes((*twice)->name) + " twice for version " + std::to_string((*twice)->version) +
           " of " + in_quotes((*twice)->kind),
       "each plugin once for each version of its kind");
}

Provided Reader::provided(const json::value& value, const Place& place) {
  const auto& entry = object(value, place);
  Provided plugin;
  plugin.kind = name(member(entry, "kind", place), Place(place, "kind"));
  plugin.version = number(member(entry, "version", place), Place(place, "version"));
  plugin.name = name(member(entry, "name", place), Place(place, "name"));

  const Place spec_place(place, "spec");
  const auto spec = text(member(entry, "spec", place), spec_place);
  const auto* end = spec.data() + spec.size();
  const auto read = std::from_chars(spec.data(), end, plugin.fingerprint, 16);
  if (spec.size() != 16 || read.ec != std::errc() || read.ptr != end) {
    fail(spec_place, in_quotes(spec), "the fingerprint of the kind's spec, 16 hexadecimal digits");
  }
  refuse_unknown(entry, place, {"kind", "version", "spec", "name"});
  return plugin;
}

void Reader::read_details(const json::value& value, const Place& place) {
  const auto& entries = array(value, place);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].is_null()) continue;
    const Place entry_place(place, i);
    if (!manifest_.details.empty()) fail(entry_place, "a second object", "at most one");
    for (const auto& [key, element] : object(entries[i], entry_place)) {
      read_detail(view(key), element, Place(entry_place, view(key)));
    }
    manifest_.details = json::serialize(entries[i]);
  }
}

void Reader::read_detail(std::string_view key, const json::value& value, const Place& place) {
  constexpr std::pair<std::string_view, std::string Manifest::*> plain[] = {
      {"summary", &Manifest::summary},
      {"description", &Manifest::description},
      {"author", &Manifest::author},
      {"license", &Manifest::license},
      {"homepage", &Manifest::homepage}};
  for (const auto& [known, member] : plain) {
    if (key == known) manifest_.*member = text(value, place);
  }
  if (key == "requires") read_requirements(value, place);
  if (key == "properties") read_properties(value, place);
  if (key == "state") read_state(value, place);
  if (key == "threads") {
    manifest_.joins_threads = value == "joined";
    if (!manifest_.joins_threads) refuse(value, place, "\"joined\", or no such key");
  }
}

void Reader::read_requirements(const json::value& value, const Place& place) {
  for (const auto& [key, spec] : object(value, place)) {
    const Place entry(place, view(key));
    if (const auto flaw = flaw_of_name(view(key)); !flaw.empty()) {
      fail(entry, "a package whose name " + std::string(flaw), "domain/name");
    }
    manifest_.requirements.emplace(view(key), spec.is_null() ? std::string() : text(spec, entry));
  }
}

void Reader::read_properties(const json::value& value, const Place& place) {
  for (const auto& [key, properties] : object(value, place)) {
    const Place entry(place, view(key));
    const auto is_this = [name = view(key)](const Provided& plugin) { return plugin.name == name; };
    if (std::ranges::none_of(manifest_.provides, is_this)) {
      fail(entry, "properties of a plugin that is not provided", "a name from provides");
    }
    manifest_.properties.emplace(view(key), texts(properties, entry));
  }
}

void Reader::read_state(const json::value& value, const Place& place) {
  const auto& state = object(value, place);
  StateVersions versions;
  if (const json::value* type = state.if_contains("type")) {
    versions.type = text(*type, Place(place, "type"));
  }
  versions.writes = number(member(state, "writes", place), Place(place, "writes"));
  const Place reads_place(place, "reads");
  const auto& reads = array(member(state, "reads", place), reads_place);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    versions.reads.push_back(number(reads[i], Place(reads_place, i)));
  }
  manifest_.state = std::move(versions);
}

}  // namespace

const Contract host_contract = {TENON_CONTRACT_MAJOR, TENON_CONTRACT_MINOR};

std::string Contract::to_string() const {
  return std::to_string(major) + "." + std::to_string(minor);
}

Result<Manifest> parse_manifest(std::string_view text, std::string_view path) {
  return Reader(path).read(text);
}

Result<void> check_contract(Contract needed, std::string_view place, std::string_view path) {
  if (needed <= host_contract) return {};
  return Error(
      {.code = "contract-too-new",
       .where = std::string(path),
       .found = "a module for contract " + needed.to_string() + "  (" + std::string(place) + ")",
       .needed = "at most " + host_contract.to_string() + ", which this host offers",
       .fix = "a newer host, or a build of the module for contract " + host_contract.to_string() +
              " (define TENON_CONTRACT)"});
}

}  // namespace tenon
