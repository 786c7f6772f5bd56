// SPDX-License-Identifier: BSL-1.0
//
// The XML that S3 answers.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace tenon::s3 {

/// Gets each element at its end: the names of the elements that it is in and its own, joined by
/// slashes, and the text that stands directly in it. The first name is that of the document.
using OnElement = std::function<void(std::string_view path, const std::string& text)>;

/// Reads a whole document. Throws sdk::Failure where it is none, or declares a type.
void read_xml(std::string_view document, const OnElement& on_element);

/// A text as it stands between two tags.
std::string escape_xml(std::string_view text);

}  // namespace tenon::s3
