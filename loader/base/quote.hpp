// SPDX-License-Identifier: BSL-1.0
//
// Text from a file that nobody has looked at, or of any length, made fit to stand in a message.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain_text.hpp"

namespace tenon {

/// `text`, harmless and in double quotes; a long one is cut.
std::string in_quotes(std::string_view text);

/// "1.0.0, 1.1.0 and 3 more": the first `most` of the texts.
std::string some_of(const std::vector<std::string>& texts, std::size_t most);
/// The same of `first`, those that are told, of `count` texts.
std::string first_of(std::span<const std::string> first, std::size_t count);

}  // namespace tenon
