// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the reader of messages of logical decoding. A message truncated anywhere must be
// refused, unless the content of its kind is not read.
#include <tenon/sdk/failure.hpp>

#include <optional>
#include <variant>

#include "fuzz/fuzzing.hpp"
#include "postgres/pgoutput.hpp"

namespace {

using namespace tenon::postgres;
using tenon::fuzzing::require;

std::optional<Message> read(std::string_view bytes) {
  try {
    return decode(bytes);
  } catch (const tenon::sdk::Failure& failure) {
    require(failure.status() == TENON_DATA_LOSS);
    return std::nullopt;
  }
}

void check_inside(std::string_view text, const Tuple& tuple) {
  for (const Field& field : tuple) {
    if (field.kind != Field::Kind::text) continue;
    require(field.text.data() >= text.data() &&
            field.text.data() + field.text.size() <= text.data() + text.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = tenon::fuzzing::text_of(data, size);
  const std::optional<Message> message = read(text);
  if (!message || std::holds_alternative<Other>(*message)) return 0;
  if (const auto* change = std::get_if<RowChange>(&*message)) {
    check_inside(text, change->before);
    check_inside(text, change->after);
  }
  // Tests at most 64 lengths.
  for (std::size_t end = 0; end < size; end += 1 + size / 64) require(!read(text.substr(0, end)));
  return 0;
}
