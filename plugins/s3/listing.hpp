// SPDX-License-Identifier: BSL-1.0
//
// Keys of a bucket, page by page.
#pragma once

#include "client.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::s3 {

/// What one answer to ListObjectsV2 lists.
struct Page {
  std::vector<std::string> keys;
  std::vector<std::string> prefixes;
  std::string next;  // the token of the next page; empty after the last one
};

/// Reads such an answer. Throws sdk::Failure where it is none.
Page read_page(const std::string& xml);

/// The first page with a key, of at most `limit` keys; 0: as many as the server likes.
Page list_keys(const Client& client, std::string_view bucket, std::string_view prefix,
               std::string_view start_after, std::uint32_t limit, const Patience& patience);

/// All beginnings of keys up to and with the delimiter that follows the prefix.
std::vector<std::string> list_prefixes(const Client& client, std::string_view bucket,
                                       std::string_view prefix, std::string_view delimiter,
                                       const Patience& patience);

}  // namespace tenon::s3
