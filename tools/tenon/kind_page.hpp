// SPDX-License-Identifier: BSL-1.0
//
// Describes a version of a kind, or one of its methods, from its spec.
#pragma once

#include <boost/json.hpp>

#include <cstddef>
#include <string>

#include "kind_subject.hpp"
#include "text.hpp"

namespace tenon::command {

/// Returns a text for people whose lines have at most `columns` columns, unless a word is longer.
std::string page_of(const KindSubject& subject, std::size_t columns, const Paint& paint);

/// Returns the keys that json.md describes.
boost::json::object to_json(const KindSubject& subject);

}  // namespace tenon::command
