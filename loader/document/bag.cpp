// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/bag.hpp>
#include <tenon/detail/conversion.hpp>

#include <algorithm>
#include <string>

namespace tenon { inline namespace v0_1 {
namespace {

/// The order of entries, so that equal bags have equal text.
bool is_before(const BagEntry& a, const BagEntry& b) noexcept {
  return a.name != b.name ? a.name < b.name : a.version < b.version;
}

/// Splits a key into the name, which may be empty for an unknown field, and the version. Returns
/// false if the key is not well-formed.
bool split(std::string_view key, BagEntry& entry) noexcept {
  const std::size_t at = key.rfind('@');
  if (at == std::string_view::npos || at + 1 == key.size()) return false;
  entry.name = key.substr(0, at);
  entry.version = key.substr(at + 1);
  return true;
}

std::string_view in_arena(Conversion& conversion, std::string_view text) {
  const tenon_string copy = conversion.copy(text);
  return {copy.data, copy.size};
}

bool read_entry(Conversion& conversion, const json::Reader& object, std::string_view key,
                const json::Reader& in, BagEntry& entry) {
  if (!split(in_arena(conversion, key), entry)) {
    return object.fail_member(key, "not the name and version of a field, as in size@1");
  }
  json::Fields fields(in);
  std::string_view text;
  tenon_string json;
  const json::Reader* type = fields.take("type");
  if (type == nullptr) return in.fail_member("type", "missing");
  if (!type->read(text)) return false;
  const json::Reader* value = fields.take("value");
  if (value == nullptr) return in.fail_member("value", "missing");
  if (!value->read_json(conversion.call(), json)) return false;
  if (!fields.finish("not a key of an entry of a bag")) return false;
  entry.type = in_arena(conversion, text);
  entry.value = {json.data, json.size};
  return true;
}

}  // namespace

const BagEntry* Bag::find(std::string_view name,
                          std::span<const std::string_view> versions) const noexcept {
  for (const BagEntry& entry : entries()) {
    if (entry.name != name) continue;
    if (std::find(versions.begin(), versions.end(), entry.version) != versions.end()) return &entry;
  }
  return nullptr;
}

const BagEntry* Bag::find_unknown(std::string_view name) const noexcept {
  for (const BagEntry& entry : entries()) {
    if (entry.name == name && entry.type == "json") return &entry;
  }
  return nullptr;
}

void Bag::put(Conversion& conversion, std::span<const BagEntry> entries) {
  if (!conversion.keeps() || entries.empty()) return;
  auto* all = conversion.make_array<BagEntry>(count_ + entries.size());
  BagEntry* end = std::copy_n(entries_, count_, all);
  end = std::copy(entries.begin(), entries.end(), end);
  std::stable_sort(all, end, is_before);
  BagEntry* kept = all;
  for (const BagEntry* next = all; next != end; ++next) {
    const bool replaced = next + 1 != end && !is_before(*next, next[1]);
    if (!replaced) *kept++ = *next;
  }
  entries_ = all;
  count_ = static_cast<std::size_t>(kept - all);
}

void Bag::remove(Conversion& conversion, const BagEntry& entry) {
  auto* copy = conversion.make_array<BagEntry>(count_);
  std::copy_if(entries_, entries_ + count_, copy,
               [&entry](const BagEntry& kept) { return &kept != &entry; });
  entries_ = copy;
  --count_;
}

bool Bag::read(Conversion& conversion, const json::Reader& in) {
  std::size_t count = 0;
  if (!in.read_object(count)) return false;
  auto* entries = conversion.make_array<BagEntry>(count);
  BagEntry* next = entries;
  for (const auto& [key, value] : in.members()) {
    if (!read_entry(conversion, in, key, value, *next++)) return false;
  }
  std::sort(entries, next, is_before);
  entries_ = entries;
  count_ = count;
  return true;
}

bool Bag::read(Conversion& conversion, const tenon_bytes& text) {
  if (text.size == 0) return true;
  if (text.data == nullptr) return conversion.fail("bag", "a size without data");
  json::Parser parser;
  const Result<json::Reader> root =
      parser.parse({reinterpret_cast<const char*>(text.data), text.size});
  if (!root) return conversion.fail("bag", root.error());
  return read(conversion, *root) || conversion.fail("bag", parser.take_error());
}

void Bag::write(json::Writer& out) const {
  std::string key;
  out.begin_object();
  for (const BagEntry& entry : entries()) {
    if (entry.stored != nullptr) {
      // Names from specs need no escapes.
      out.begin_raw(
          {"\"", entry.name, "@", entry.version, R"(":{"type":")", entry.type, R"(","value":)"});
      entry.write(out, entry.stored);
    } else {
      key.assign(entry.name).append("@").append(entry.version);
      out.key(key);
      out.begin_object();
      out.key("type");
      out.text(entry.type);
      out.key("value");
      out.json(entry.value);
    }
    out.end_object();
  }
  out.end_object();
}

bool Bag::text(Conversion& conversion, tenon_bytes& text) const {
  text = {nullptr, 0};
  if (empty()) return true;
  char buffer[512];  // large enough for most bags
  json::Writer out(buffer);
  write(out);
  if (!out.problem().empty()) return conversion.fail("bag", out.problem());
  const tenon_string copy = conversion.copy(out.view());
  text = {reinterpret_cast<const std::uint8_t*>(copy.data), copy.size};
  return true;
}

}}  // namespace tenon::v0_1
