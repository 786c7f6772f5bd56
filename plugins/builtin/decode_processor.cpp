// SPDX-License-Identifier: BSL-1.0
#include "decode_processor.hpp"

#include <cstddef>

#include "json_text.hpp"
#include "trimmed.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

/// Returns the bytes of a text in base64 (RFC 4648) with or without padding; nothing if it is not
/// base64.
std::optional<std::string> from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 == 0) {
    for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  }
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U | static_cast<std::uint32_t>(digit)) & 0xfffU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> static_cast<unsigned>(count) & 0xffU));
  }
  return bytes;
}

std::string decoded_base64(std::string_view text) {
  auto bytes = from_base64(text);
  if (!bytes) throw sdk::Refusal("wrong-base64", "the text is not base64");
  return *std::move(bytes);
}

bool is_json_string(std::string_view json) {
  return !json.empty() && json.front() == '"' && !check_json(json).error;
}

/// Returns the JSON in a JSON string.
std::string decoded_json(std::string_view string) {
  std::string text = text_of_json(string);
  if (check_json(text).error) throw sdk::Refusal("wrong-json", "the text is not JSON");
  return text;
}

}  // namespace

void DecodeProcessor::configure(const sdk::Config& config) {
  settings_ = decode_parameters.read(config);
  field_.reset();
  if (!settings_.field.empty()) field_.emplace(settings_.field);
}

void DecodeProcessor::process_record(RecordV2View record, Records& into) {
  tenon_record_v2 changed = record.raw();
  decode(changed.payload.before, into);
  decode(changed.payload.after, into);
  into.pass(RecordV2View(changed));
}

void DecodeProcessor::decode(tenon_bytes& image, Records& into) const {
  if (image.data == nullptr) return;
  const std::string_view payload = BytesView(image.data, image.size).text();
  if (field_) {
    if (!check_json(payload).is_object) {
      throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
    }
    const auto value = find_field(payload, *field_);
    if (!value) return;
    std::string text(payload);
    set_field(text, *field_, decoded_field(*value));
    image = into.keep(text);
  } else if (settings_.format == DecodeSettings::Format::base64) {
    image = into.keep(decoded_base64(trimmed(payload)));
  } else {
    const std::string_view string = trimmed(payload);
    if (!is_json_string(string)) {
      throw sdk::Refusal("wrong-json", "the payload is not a JSON string");
    }
    image = into.keep(decoded_json(string));
  }
}

/// Returns the new value of the field as JSON.
std::string DecodeProcessor::decoded_field(std::string_view value) const {
  if (value.front() != '"') {
    throw sdk::Refusal("wrong-type", "\"", field_->text(), "\" is not a string");
  }
  if (settings_.format == DecodeSettings::Format::json) return decoded_json(value);
  const std::string text = decoded_base64(text_of_json(value));
  if (!is_utf8(text)) {
    throw sdk::Refusal("wrong-base64", "\"", field_->text(),
                       "\" contains bytes that are not UTF-8, which JSON cannot have");
  }
  return json_string(text);
}

}  // namespace tenon::builtin
