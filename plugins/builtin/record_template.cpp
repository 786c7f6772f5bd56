// SPDX-License-Identifier: BSL-1.0
#include "record_template.hpp"

#include <cstddef>
#include <utility>

#include "json_text.hpp"

namespace tenon::builtin {
namespace {

constexpr std::string_view metadata_prefix = "metadata.";

std::string_view text_of(const std::optional<BytesView>& bytes) {
  return bytes ? bytes->text() : std::string_view();
}

/// Returns the text of a JSON value: numbers, lists and objects as they are written.
std::string text_of_value(std::string_view json) {
  if (json == "null") return {};
  return json.front() == '"' ? text_of_json(json) : std::string(json);
}

}  // namespace

RecordTemplate::RecordTemplate(std::string_view text, std::string_view parameter) {
  const auto add_text = [this](std::string_view piece) {
    if (piece.empty()) return;
    parts_.push_back({Part::Sort::text, std::string(piece), {}});
    if (constant_) constant_->append(piece);
  };
  while (!text.empty()) {
    const std::size_t begin = text.find('{');
    add_text(text.substr(0, begin));
    if (begin == std::string_view::npos) return;
    text.remove_prefix(begin + 1);
    if (!text.empty() && text.front() == '{') {
      add_text("{");
      text.remove_prefix(1);
      continue;
    }
    const std::size_t end = text.find('}');
    if (end == std::string_view::npos) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", parameter, "\" has the part \"{",
                         text, "\" without }; fix: close it, or write {{ for a bracket");
    }
    parts_.push_back(part_of(text.substr(0, end), parameter));
    constant_.reset();
    text.remove_prefix(end + 1);
  }
}

RecordTemplate::Part RecordTemplate::part_of(std::string_view name, std::string_view parameter) {
  if (FieldPath::is_path(name)) return {Part::Sort::field, {}, FieldPath(name)};
  if (name == "payload") return {Part::Sort::payload, {}, {}};
  if (name == "operation") return {Part::Sort::operation, {}, {}};
  if (name == "key") return {Part::Sort::key, {}, {}};
  if (name.size() > metadata_prefix.size() &&
      name.substr(0, metadata_prefix.size()) == metadata_prefix) {
    return {Part::Sort::metadata, std::string(name.substr(metadata_prefix.size())), {}};
  }
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", parameter, "\" has the part \"{", name,
                     "}\", expected a path such as {/user/name}, or {payload}, {operation}, {key} "
                     "or {metadata.NAME}");
}

std::optional<RecordTemplate> RecordTemplate::of(const sdk::Config& config) {
  const std::string format = config.get("format", "");
  const std::string text = config.get("template", "");
  if (format == "raw") return RecordTemplate("{payload}");
  if (format != "template") return std::nullopt;
  if (text.empty()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT,
                       "parameter \"template\" is required for the format template");
  }
  return RecordTemplate(text);
}

void RecordTemplate::append(std::string& text, RecordV2View record) const {
  const auto after = record.payload().after();
  const std::string_view payload = text_of(after ? after : record.payload().before());
  std::optional<bool> is_object;
  for (const Part& part : parts_) {
    switch (part.sort) {
      case Part::Sort::text:
        text.append(part.text);
        break;
      case Part::Sort::payload:
        text.append(payload);
        break;
      case Part::Sort::operation:
        text.append(to_text(record.operation()));
        break;
      case Part::Sort::key:
        text.append(text_of(record.key()));
        break;
      case Part::Sort::metadata:
        for (const auto& [name, value] : record.metadata()) {
          if (name == part.text) text.append(value);
        }
        break;
      case Part::Sort::field:
        if (!is_object) is_object = check_json(payload).is_object;
        if (*is_object) {
          if (const auto value = find_field(payload, part.field))
            text.append(text_of_value(*value));
        }
        break;
    }
  }
}

}  // namespace tenon::builtin
