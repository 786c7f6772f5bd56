// SPDX-License-Identifier: BSL-1.0
//
// Parses the XML in responses of S3.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tenon::s3 {

/// Called at the end of each element with its path and the text directly in it. The path consists
/// of the names of the enclosing elements, outermost first, and its own, joined by slashes.
using OnElement = std::function<void(std::string_view path, const std::string& text)>;

/// Parses a whole document. Throws sdk::Failure if it is not XML, declares a document type, or is
/// nested more deeply or has more or larger elements than any response of S3.
void read_xml(std::string_view document, const OnElement& on_element);

/// Returns a text escaped for use between two tags.
std::string escape_xml(std::string_view text);

}  // namespace tenon::s3
