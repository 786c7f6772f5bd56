// SPDX-License-Identifier: BSL-1.0
//
// The names of packages, plugins and kinds: `domain/name`, eg: "me.example/blur".
#pragma once

#include <string_view>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns the problem of a name as a predicate for error texts, eg: "has no '/'", or an empty text
/// if the name is valid. The domain has the form of a DNS name: lowercase letters, digits, '-' and
/// '.', at most 253 bytes. After the only '/' there are 1 to 253 printable ASCII characters other
/// than space, '@' and ':', which have a meaning in references.
std::string_view name_problem(std::string_view name);
/// Returns the problem of the part after the '/', in the same form.
std::string_view short_name_problem(std::string_view name);

}}}  // namespace tenon::v0_1::detail
