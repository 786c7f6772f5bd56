// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/converter.hpp: the converter of an app, a program that contains the hand-written
// steps of the app's document types. If it is installed with the description of the app, `tenon
// convert -a APP` runs it for conversions that the spec files alone do not describe. Its source is
// one line; the types are linked to it:
//
//   int main() { tenon::answer_conversions(std::cin, std::cout); }
#pragma once

#include <tenon/detail/export.hpp>

#include <iosfwd>

namespace tenon { inline namespace v0_1 {

/// Reads requests until `in` ends and writes a response to each. Requests and responses are JSON,
/// each on its own line:
///
///   {"document": "{...}", "type": "", "from": "", "to": "2", "lenient": false}
///   {"document": "{...}"}
///   {"error": {"code": "wrong-value", "message": "", "where": "value.size", ...}}
///
/// `document` is the text of a document. The other members of a request are those of
/// DocumentReadOptions and optional. An error has the texts of an Error that are not empty: code,
/// message, where, found, needed, fix. A line that is not a request gets the error `wrong-request`.
/// Later versions only add members. Each response is flushed. Nothing else may be written to `out`.
/// Exceptions of hand-written steps are not caught.
TENON_API void answer_conversions(std::istream& in, std::ostream& out);

}}  // namespace tenon::v0_1
