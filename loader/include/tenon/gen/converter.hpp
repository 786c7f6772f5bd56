// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/converter.hpp: the converter of an app, a program that contains the hand-written steps
// of the app's document types. If it is installed with the description of the app, `tenon convert
// -a APP` runs it for conversions that the spec files alone do not describe. Its source is one
// line; the types are linked to it:
//
//   int main() { tenon::answer_conversions(std::cin, std::cout); }
#pragma once

#include <tenon/export.hpp>

#include <iosfwd>

namespace tenon {

/// Answers one request after the other until `in` ends. Requests and answers are JSON, each on a
/// line of its own:
///
///   {"document": "{...}", "type": "", "from": "", "to": "2", "lenient": false}
///   {"document": "{...}"}
///   {"error": {"code": "wrong-value", "message": "", "where": "value.size", ...}}
///
/// `document` is the text of a document, the rest of a request a DocumentReadOptions whose members may
/// be left out. An error has the texts of an Error that are not empty: code, message, where, found,
/// needed, fix. What is no request gets the error `wrong-request`. Later versions only add members.
/// Flushes each answer. Nothing else may be written to `out` meanwhile. Exceptions of hand-written
/// steps pass through.
TENON_API void answer_conversions(std::istream& in, std::ostream& out);

}  // namespace tenon
