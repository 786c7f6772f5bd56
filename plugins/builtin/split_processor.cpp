// SPDX-License-Identifier: BSL-1.0
#include "split_processor.hpp"

#include <cstddef>
#include <string_view>

#include "json_members.hpp"
#include "json_text.hpp"

namespace tenon::builtin {

void SplitProcessor::configure(const sdk::Config& config) {
  field_ = FieldPath(split_parameters.read(config).field);
}

void SplitProcessor::process_record(RecordV2View record, Records& into) {
  tenon_record_v2 part = record.raw();
  tenon_bytes& image =
      part.payload.after.data != nullptr ? part.payload.after : part.payload.before;
  if (image.data == nullptr) return into.pass(record);
  const std::string_view payload = BytesView(image.data, image.size).text();
  if (!check_json(payload).is_object) {
    throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
  }
  const auto list = find_field(payload, field_);
  if (!list) return into.pass(record);
  if (list->front() != '[') {
    throw sdk::Refusal("wrong-type", "\"", field_.text(), "\" is not a list");
  }
  const auto begin = static_cast<std::size_t>(list->data() - payload.data());
  const std::string_view before = payload.substr(0, begin);
  const std::string_view after = payload.substr(begin + list->size());
  if (part.payload.after.data != nullptr) part.payload.before = {};
  const auto key = record.key();
  std::size_t index = 0;
  for (const std::string_view element : elements_of(*list)) {
    image = into.keep(std::string(before).append(element).append(after));
    if (key) part.key = into.keep(std::string(key->text()) + "/" + std::to_string(index));
    into.pass(RecordV2View(part));
    ++index;
  }
}

}  // namespace tenon::builtin
