// SPDX-License-Identifier: BSL-1.0
#include "listing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "xml.hpp"

namespace tenon::s3 {
namespace {

/// Maximum number of keys in a page of S3.
constexpr std::uint32_t max_keys = 1000;

void decode_all(std::vector<std::string>& texts) {
  for (std::string& text : texts) text = decode(text);
}

/// Returns a request for encoded keys, because XML cannot contain every character.
Request listing_of(const Client& client, std::string_view bucket, std::string_view prefix) {
  Request request = client.request("GET", bucket);
  request.query = {{"list-type", "2"}, {"encoding-type", "url"}, {"prefix", std::string(prefix)}};
  return request;
}

/// Returns the page at `token`, or the first one if `token` is empty. Fails if the next page has
/// the same token, since the listing would never end.
Page page_at(const Client& client, std::string_view bucket, Request request,
             const std::string& token, const WaitLimits& limits) {
  if (!token.empty()) request.query.emplace_back("continuation-token", token);
  const std::string action = sdk::text("cannot list ", bucket);
  Page page = read_page(client.send(std::move(request), action, limits));
  if (token.empty() || page.next != token) return page;
  throw sdk::Failure(TENON_DATA_LOSS, action,
                     ": the server returned the same continuation token twice");
}

}  // namespace

Page read_page(const std::string& xml) {
  Page page;
  bool truncated = false;
  bool encoded = false;
  bool is_listing = false;
  read_xml(xml, [&](std::string_view path, const std::string& text) {
    if (path == "ListBucketResult") is_listing = true;
    if (path == "ListBucketResult/Contents/Key") page.keys.push_back(text);
    if (path == "ListBucketResult/CommonPrefixes/Prefix") page.prefixes.push_back(text);
    if (path == "ListBucketResult/IsTruncated") truncated = text == "true";
    if (path == "ListBucketResult/NextContinuationToken") page.next = text;
    if (path == "ListBucketResult/EncodingType") encoded = text == "url";
  });
  if (!truncated) page.next.clear();
  if (!is_listing || truncated == page.next.empty()) {
    throw sdk::Failure(TENON_DATA_LOSS,
                       is_listing ? "the listing of the server has no token for the next page"
                                  : "the response of the server is not a listing");
  }
  if (encoded) {
    decode_all(page.keys);
    decode_all(page.prefixes);
  }
  return page;
}

Page list_keys(const Client& client, std::string_view bucket, std::string_view prefix,
               std::string_view start_after, std::uint32_t limit, const WaitLimits& limits) {
  Request request = listing_of(client, bucket, prefix);
  if (!start_after.empty()) request.query.emplace_back("start-after", start_after);
  if (limit != 0) {
    request.query.emplace_back("max-keys", std::to_string(std::min(limit, max_keys)));
  }
  Page page;
  do {
    page = page_at(client, bucket, request, page.next, limits);
  } while (page.keys.empty() && !page.next.empty());
  return page;
}

std::vector<std::string> list_prefixes(const Client& client, std::string_view bucket,
                                       std::string_view prefix, std::string_view delimiter,
                                       const WaitLimits& limits) {
  Request request = listing_of(client, bucket, prefix);
  request.query.emplace_back("delimiter", delimiter);
  std::vector<std::string> prefixes;
  Page page;
  do {
    page = page_at(client, bucket, request, page.next, limits);
    prefixes.insert(prefixes.end(), std::make_move_iterator(page.prefixes.begin()),
                    std::make_move_iterator(page.prefixes.end()));
  } while (!page.next.empty());
  return prefixes;
}

}  // namespace tenon::s3
