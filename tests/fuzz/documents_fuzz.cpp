// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes as a document to every standard type: at each version, strictly and leniently, to
// every version and back. Whatever could be converted is a document that is read again as the same.
#include <tenon/document.hpp>

#include <optional>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon;
using fuzzing::require;

/// The document as it is at the version that is wanted; nothing, and an error, where it is none.
std::optional<std::string> convert(std::string_view text, const DocumentReadOptions& how) {
  static DocumentConverter converter;
  const auto converted = converter.convert(text, how);
  if (converted) return std::string(*converted);
  require(!converted.error().code().empty());
  return std::nullopt;
}

/// What was written can be read, and is written the same.
void require_stays(const std::string& text, const DocumentReadOptions& how) {
  require(convert(text, how) == text);
}

/// There, back, and once more: what came back once does not change any further.
void there_and_back(std::string_view text, const DocumentReadOptions& there) {
  const auto converted = convert(text, there);
  if (!converted) return;
  require_stays(*converted, {.type = there.type, .from = there.to, .to = there.to});
  const DocumentReadOptions back{.type = there.type, .from = there.to, .to = there.from};
  const auto returned = convert(*converted, back);
  // A bag may hold what no step can take out again.
  if (!returned) return require(converted->find("\"bag\"") != converted->npos);
  const DocumentReadOptions again{.type = there.type, .from = there.from, .to = there.to};
  const auto there_again = convert(*returned, again);
  require(there_again.has_value());
  require(convert(*there_again, back) == returned);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzzing::text_of(data, size);
  // It may say itself what it is.
  for (const bool lenient : {false, true}) {
    if (const auto stored = convert(input, {.lenient = lenient})) require_stays(*stored, {});
  }
  for (const DocumentType* type : document_types()) {
    for (const DocumentVersion& from : type->versions) {
      for (const DocumentVersion& to : type->versions) {
        for (const bool lenient : {false, true}) {
          there_and_back(
              input, {.type = type->id, .from = from.label, .to = to.label, .lenient = lenient});
        }
      }
    }
  }
  return 0;
}
