// SPDX-License-Identifier: BSL-1.0
//
// Valid requests of methods, generated from their specs. They are JSON objects, see message.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::command {

/// Which values a generated request has.
enum class Example {
  empty,    // 0, empty texts and lists, no optional fields
  small,    // 1, texts of a letter, lists with one element, all optional fields
  lowest,   // the lowest numbers, empty texts, all optional fields
  highest,  // the highest numbers, long texts, lists with several elements
};

/// Returns a valid request. REQUIRED: there are no streams, except optional ones, which are left
/// out.
std::string example_request(const std::vector<gen::Field>& fields, Example example);

/// Returns different valid requests, at most `most`: one of each example, those in which one field
/// has its lowest or highest value, and some with random values. The same seed gives the same
/// requests. REQUIRED: as for `example_request`.
std::vector<std::string> generated_requests(const std::vector<gen::Field>& fields,
                                            std::uint64_t seed, std::size_t most);

}  // namespace tenon::command
