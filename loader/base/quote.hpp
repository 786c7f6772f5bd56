// SPDX-License-Identifier: BSL-1.0
//
// Formats untrusted text and lists of any length for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/plain_text.hpp"

namespace tenon { inline namespace v0_1 {

/// Returns `text` escaped and in double quotes, cut after 100 bytes.
std::string in_quotes(std::string_view text);

/// Returns the first `most` of the texts as a list, eg: "1.0.0, 1.1.0 and 3 more".
std::string some_of(const std::vector<std::string>& texts, std::size_t most);
/// Returns the same list if only the `first` of `count` texts are at hand.
std::string first_of(std::span<const std::string> first, std::size_t count);

}}  // namespace tenon::v0_1
