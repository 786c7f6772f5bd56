// SPDX-License-Identifier: BSL-1.0
//
// Converts the input as a document of every standard type: from each version, strictly and
// leniently, to every version and back. A converted document must be readable, and must not change
// when it is read again.
#include <tenon/document.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon;
using fuzzing::require;

/// Returns the converted document, or nothing if the converter reports an error.
std::optional<std::string> convert(std::string_view text, const DocumentReadOptions& how) {
  static DocumentConverter converter;
  const auto converted = converter.convert(text, how);
  if (converted) return std::string(*converted);
  require(!converted.error().code().empty());
  return std::nullopt;
}

/// Requires that a stored document is read and written without a change.
void require_unchanged(const std::string& text, const DocumentReadOptions& how) {
  require(convert(text, how) == text);
}

/// Converts to the other version, back, and once more both ways. The second round must not change
/// the document.
void round_trip(std::string_view text, const DocumentReadOptions& there) {
  const auto converted = convert(text, there);
  if (!converted) return;
  require_unchanged(*converted, {.type = there.type, .from = there.to, .to = there.to});
  const DocumentReadOptions back{.type = there.type, .from = there.to, .to = there.from};
  const auto returned = convert(*converted, back);
  // A bag may have entries that no step can restore.
  if (!returned) return require(converted->find("\"bag\"") != converted->npos);
  const DocumentReadOptions again{.type = there.type, .from = there.from, .to = there.to};
  const auto there_again = convert(*returned, again);
  require(there_again.has_value());
  require(convert(*there_again, back) == returned);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzzing::text_of(data, size);
  // The document may name its own type and version.
  for (const bool lenient : {false, true}) {
    if (const auto stored = convert(input, {.lenient = lenient})) require_unchanged(*stored, {});
  }
  for (const DocumentType* type : document_types()) {
    for (const DocumentVersion& from : type->versions) {
      for (const DocumentVersion& to : type->versions) {
        for (const bool lenient : {false, true}) {
          round_trip(input,
                     {.type = type->id, .from = from.label, .to = to.label, .lenient = lenient});
        }
      }
    }
  }
  return 0;
}
