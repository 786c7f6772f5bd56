// SPDX-License-Identifier: BSL-1.0
//
// Lists the keys of a bucket page by page.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client.hpp"

namespace tenon::s3 {

/// One response to ListObjectsV2.
struct Page {
  std::vector<std::string> keys;
  std::vector<std::string> prefixes;
  std::string next;  // the token of the next page; empty after the last one
};

/// Parses a response. Throws sdk::Failure if the text is not a response to ListObjectsV2.
Page read_page(const std::string& xml);

/// Returns the first page that has a key, with at most `limit` keys; 0 lets the server choose.
Page list_keys(const Client& client, std::string_view bucket, std::string_view prefix,
               std::string_view start_after, std::uint32_t limit, const WaitLimits& limits);

/// Returns all beginnings of keys up to and including the first delimiter after the prefix.
std::vector<std::string> list_prefixes(const Client& client, std::string_view bucket,
                                       std::string_view prefix, std::string_view delimiter,
                                       const WaitLimits& limits);

}  // namespace tenon::s3
