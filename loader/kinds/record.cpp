// SPDX-License-Identifier: BSL-1.0
//
// Converts records between version 1 and 2. `created_at` is the metadata `opencdc.createdAt`,
// nanoseconds as text; `payload` is `payload.after`; the operation of version 1 is always `create`.
//
// The bag holds what the other version cannot express: of version 2, another operation, and other
// parts of the payload; of version 1, that a metadata value that looks like a time is not one, and
// a metadata value that the time replaced.
#include <tenon/record_steps.hpp>

#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace tenon {
namespace {

using Metadata = StoredMap<tenon_string>;

constexpr std::string_view time_key = "opencdc.createdAt";
constexpr std::string_view create = RecordV2OperationStorage::literals[0];

constexpr std::string_view version_1[] = {"1"};
constexpr std::string_view version_2[] = {"2"};
constexpr BagField operation_2{"operation", "2", "operation"};
constexpr BagField payload_2{"payload", "2", "change"};
constexpr BagField hidden_metadata_1{"metadata.opencdc.createdAt", "1", "string"};

constexpr BagField metadata_1{"metadata", "1", "map<string>"};
constexpr BagField created_at_1{"created_at", "1", "timestamp"};

constexpr std::size_t max_digits = std::numeric_limits<tenon_timestamp>::digits10 + 2;

std::string_view digits_of(tenon_timestamp time, char (&digits)[max_digits]) {
  const char* end = std::to_chars(digits, digits + sizeof digits, time).ptr;
  return {digits, static_cast<std::size_t>(end - digits)};
}

/// Parses a time, if the text is exactly what digits_of writes: without leading zeros.
std::optional<tenon_timestamp> time_of(std::string_view text) {
  tenon_timestamp time = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, time);
  if (error != std::errc() || stop != end) return std::nullopt;
  const char first = text[text.front() == '-' ? 1 : 0];
  return first != '0' || text == "0" ? std::optional(time) : std::nullopt;
}

/// Returns the value of the key of the time; nullptr if there is none.
const tenon_string* time_text(const Metadata* metadata) {
  if (metadata == nullptr) return nullptr;
  for (std::size_t i = 0; i < metadata->size(); ++i) {
    if (text_of(metadata->key(i)) == time_key) return &(*metadata)[i];
  }
  return nullptr;
}

/// Returns the metadata, sorted by key, with this text as the time; nullptr removes the time.
const Metadata* with_time(Conversion& conversion, const Metadata* metadata,
                          const tenon_string* text) {
  const std::size_t size = metadata != nullptr ? metadata->size() : 0;
  auto* keys = conversion.make_array<tenon_string>(size + 1);
  auto* values = conversion.make_array<tenon_string>(size + 1);
  std::size_t count = 0;
  const auto add = [&](const tenon_string& key, const tenon_string& value) {
    keys[count] = key;
    values[count++] = value;
  };
  for (std::size_t i = 0; i < size; ++i) {
    const std::string_view key = text_of(metadata->key(i));
    if (text != nullptr && time_key < key) {
      add({time_key.data(), time_key.size()}, *text);
      text = nullptr;
    }
    if (key != time_key) add(metadata->key(i), (*metadata)[i]);
  }
  if (text != nullptr) add({time_key.data(), time_key.size()}, *text);
  return conversion.make<Metadata>(
      {{{keys, count, sizeof(tenon_string)}, {values, count, sizeof(tenon_string)}}});
}

void time_to_metadata(Conversion& conversion, const RecordV1Storage& from, RecordV2Storage& to) {
  to.metadata = from.metadata;
  const tenon_string* hidden = time_text(from.metadata);
  if (from.created_at == nullptr) {
    if (hidden != nullptr && time_of(text_of(*hidden))) {
      push_absence(conversion, to.bag, created_at_1);
    }
    return;
  }
  if (from.metadata == nullptr) push_absence(conversion, to.bag, metadata_1);
  push(conversion, to.bag, hidden_metadata_1, version_1, hidden);
  char digits[max_digits];
  const tenon_string text = conversion.copy(digits_of(*from.created_at, digits));
  to.metadata = with_time(conversion, from.metadata, &text);
}

bool time_from_metadata(Conversion& conversion, const RecordV2Storage& from, RecordV1Storage& to) {
  const tenon_string* hidden = nullptr;
  const bool had_metadata = !pull_absence(conversion, to.bag, metadata_1.name, version_1);
  const bool had_time = !pull_absence(conversion, to.bag, created_at_1.name, version_1);
  if (!pull(conversion, to.bag, hidden_metadata_1.name, hidden_metadata_1.type, version_1,
            hidden)) {
    return false;
  }
  to.metadata = from.metadata;
  const tenon_string* text = time_text(from.metadata);
  const auto time = text != nullptr && had_time ? time_of(text_of(*text)) : std::nullopt;
  if (!time) return true;
  to.created_at = conversion.make<tenon_timestamp>(*time);
  const Metadata* others = with_time(conversion, from.metadata, hidden);
  to.metadata = others->size() == 0 && !had_metadata ? nullptr : others;
  return true;
}

}  // namespace

bool RecordStep1To2::up(Conversion& conversion, const RecordV1Storage& from, RecordV2Storage& to) {
  time_to_metadata(conversion, from, to);

  if (!pull_absence(conversion, to.bag, operation_2.name, version_2)) {
    if (!pull(conversion, to.bag, operation_2.name, operation_2.type, version_2, to.operation)) {
      return false;
    }
    if (to.operation == nullptr) {
      const tenon_string literal{create.data(), create.size()};
      to.operation = conversion.make<RecordV2OperationStorage>({.literal = literal});
    }
  }

  if (!pull(conversion, to.bag, payload_2.name, payload_2.type, version_2, to.payload)) {
    return false;
  }
  if (from.payload == nullptr) return true;
  const RecordV2ChangeStorage known = to.payload != nullptr ? *to.payload : RecordV2ChangeStorage{};
  auto* change = conversion.make(known);
  change->after = from.payload;
  to.payload = change;
  return true;
}

bool RecordStep1To2::down(Conversion& conversion, const RecordV2Storage& from,
                          RecordV1Storage& to) {
  if (!time_from_metadata(conversion, from, to)) return false;

  if (from.operation == nullptr) {
    push_absence(conversion, to.bag, operation_2);
  } else {
    const bool fits = text_of(from.operation->literal) == create;
    push(conversion, to.bag, operation_2, version_2, fits ? nullptr : from.operation);
  }

  RecordV2ChangeStorage rest = from.payload != nullptr ? *from.payload : RecordV2ChangeStorage{};
  to.payload = std::exchange(rest.after, nullptr);
  const bool fits = from.payload == nullptr ||
                    (to.payload != nullptr && rest.before == nullptr && rest.bag.empty());
  push(conversion, to.bag, payload_2, version_2, fits ? nullptr : &rest);
  return true;
}

}  // namespace tenon
