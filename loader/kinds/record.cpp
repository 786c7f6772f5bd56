// SPDX-License-Identifier: BSL-1.0
//
// Records of version 1 and 2. created_at is the metadata opencdc.createdAt, in nanoseconds as text;
// the payload is payload.after. Where the metadata holds a text that is not written as a number of
// nanoseconds is, it stays there, so that version 2 gets it back as it was.
#include <tenon/record_steps.hpp>

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

namespace tenon {
namespace {

constexpr std::string_view created_at_key = "opencdc.createdAt";

tenon_string raw(std::string_view text) {
  return {text.data(), text.size()};
}

const tenon_string& key_at(const tenon_map& map, std::size_t i) {
  return TENON_AT(tenon_string, map.keys, i);
}
const tenon_string& value_at(const tenon_map& map, std::size_t i) {
  return TENON_AT(tenon_string, map.values, i);
}

/// A map of texts with room for `count` entries, of which it has none yet.
class NewMap {
 public:
  NewMap(tenon_call* call, std::size_t count) {
    void* keys;
    void* values;
    map_.keys = tenon_new_list(call, count, sizeof(tenon_string), &keys);
    map_.values = tenon_new_list(call, count, sizeof(tenon_string), &values);
    map_.keys.count = map_.values.count = 0;
    keys_ = static_cast<tenon_string*>(keys);
    values_ = static_cast<tenon_string*>(values);
  }
  void add(const tenon_string& key, const tenon_string& value) {
    const std::size_t at = map_.keys.count++;
    map_.values.count++;
    keys_[at] = key;
    values_[at] = value;
  }
  /// All entries but that of created_at.
  void add_others(const tenon_map& map) {
    for (std::size_t i = 0; i < map.keys.count; i++) {
      if (tenon_equal(key_at(map, i), raw(created_at_key)) == 0) {
        add(key_at(map, i), value_at(map, i));
      }
    }
  }
  const tenon_map& map() const noexcept { return map_; }

 private:
  tenon_map map_;
  tenon_string* keys_;
  tenon_string* values_;
};

constexpr std::size_t most_digits = std::numeric_limits<tenon_timestamp>::digits10 + 2;

std::string_view text_of(tenon_timestamp time, char (&digits)[most_digits]) {
  const char* end = std::to_chars(digits, digits + sizeof digits, time).ptr;
  return {digits, static_cast<std::size_t>(end - digits)};
}

/// The time that a text is, if that time is written so.
std::optional<tenon_timestamp> time_of(const tenon_string& text) {
  tenon_timestamp time = 0;
  const char* end = text.data + text.size;
  if (std::from_chars(text.data, end, time).ec != std::errc()) return std::nullopt;
  char digits[most_digits];
  if (text_of(time, digits) != std::string_view(text.data, text.size)) return std::nullopt;
  return time;
}

}  // namespace

tenon_status finish_record_1_to_2(tenon_call* call, const tenon_record_v1& from,
                                  tenon_record_v2& to) {
  to.payload.after = from.payload;
  to.metadata = from.metadata;
  if (from.created_at == nullptr) return TENON_OK;
  char digits[most_digits];
  const std::string_view time = text_of(*from.created_at, digits);
  const void* copy = tenon_allocate_copy(call, time.data(), time.size());
  NewMap metadata(call, from.metadata.keys.count + 1);
  metadata.add_others(from.metadata);
  metadata.add(raw(created_at_key), {static_cast<const char*>(copy), time.size()});
  to.metadata = metadata.map();
  return TENON_OK;
}

tenon_status finish_record_2_to_1(tenon_call* call, const tenon_record_v2& from,
                                  tenon_record_v1& to) {
  to.payload = from.payload.after;
  to.metadata = from.metadata;
  to.created_at = nullptr;
  for (std::size_t i = 0; i < from.metadata.keys.count; i++) {
    if (tenon_equal(key_at(from.metadata, i), raw(created_at_key)) == 0) continue;
    const std::optional<tenon_timestamp> time = time_of(value_at(from.metadata, i));
    if (!time) break;
    to.created_at =
        static_cast<const tenon_timestamp*>(tenon_allocate_copy(call, &*time, sizeof *time));
    NewMap metadata(call, from.metadata.keys.count);
    metadata.add_others(from.metadata);
    to.metadata = metadata.map();
    break;
  }
  return TENON_OK;
}

}  // namespace tenon
