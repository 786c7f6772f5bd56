// SPDX-License-Identifier: BSL-1.0
#include "client.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "failures.hpp"
#include "xml.hpp"

namespace tenon::s3 {
namespace {

/// Ten times the size of a page of 1000 keys of 1024 bytes, each encoded as %XX.
constexpr std::size_t max_response_size = 32 << 20;

void check_bucket(std::string_view bucket) {
  const auto is_plain = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  const bool fits = !bucket.empty() && is_plain(bucket.front()) &&
                    std::all_of(bucket.begin(), bucket.end(), [&](char c) {
                      return is_plain(c) || c == '.' || c == '_' || c == '-';
                    });
  if (fits) return;
  throw sdk::Failure(
      TENON_INVALID_ARGUMENT, "\"", bucket,
      "\" is not a valid name of a bucket; needed: letters, digits, '.', '_' and '-', "
      "beginning with a letter or digit");
}

void check_key(std::string_view key) {
  if (key.empty()) throw sdk::Failure(TENON_INVALID_ARGUMENT, "the key of the object is empty");
}

Timestamp now() {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

/// Reads the error in the body of a refusal. Does nothing if the body is not from S3 but, for
/// example, from a proxy.
void read_error(const std::string& body, Refusal& refusal) {
  try {
    read_xml(body, [&](std::string_view path, const std::string& text) {
      if (path == "Error/Code") refusal.code = shortened(text);
      if (path == "Error/Message") refusal.message = shortened(text);
      if (path == "Error/Region") refusal.region = shortened(text);
    });
  } catch (const sdk::Failure&) {
    // Only the HTTP status is known.
  }
}

/// `region` is the configured one.
Refusal refusal_of(Exchange& exchange, const std::string& region, const WaitLimits& limits) {
  Refusal refusal;
  refusal.http_status = exchange.status();
  refusal.region = shortened(exchange.header("x-amz-bucket-region").value_or(""));
  read_error(read_rest(exchange, limits), refusal);
  if (refusal.region == region) refusal.region.clear();
  return refusal;
}

}  // namespace

Request Client::request(std::string_view method, std::string_view bucket) const {
  check_bucket(bucket);
  const std::string name(bucket);
  const Endpoint& endpoint = settings_.endpoint;
  Request request;
  request.method = method;
  request.path = settings_.path_style ? "/" + name : "/";
  request.headers["host"] = settings_.path_style ? endpoint.host : name + "." + endpoint.host;
  return request;
}

Request Client::request(std::string_view method, std::string_view bucket,
                        std::string_view key) const {
  check_key(key);
  Request request = this->request(method, bucket);
  if (settings_.path_style) request.path += '/';
  request.path += encode_path(key);
  return request;
}

std::string Client::origin(const Request& request) const {
  return settings_.endpoint.scheme + "://" + request.headers.at("host");
}

std::unique_ptr<Exchange> Client::begin(Request request, std::string action,
                                        const WaitLimits& limits) const {
  // Otherwise libcurl would send the type of a form, which the server keeps with the object.
  if (request.method == "PUT" || request.method == "POST") {
    request.headers.emplace("content-type", "application/octet-stream");
  }
  signer_.sign(request, now());
  auto exchange =
      std::make_unique<Exchange>(connections_, origin(request), request, std::move(action));
  exchange->begin(limits);
  if (exchange->status() / 100 == 2) return exchange;
  throw failure_of(exchange->action(), refusal_of(*exchange, settings_.region, limits));
}

std::string Client::send(Request request, std::string action, const WaitLimits& limits) const {
  const auto exchange = begin(std::move(request), std::move(action), limits);
  return read_rest(*exchange, limits);
}

std::string Client::signed_url(Request request, Duration ttl) const {
  using std::chrono::seconds;
  const Timestamp begin = now();
  const seconds valid =
      std::chrono::ceil<seconds>(begin + ttl) - std::chrono::floor<seconds>(begin);
  signer_.presign(request, begin, std::min(valid, max_ttl));
  return origin(request) + request.path + "?" + query_of(request.query);
}

std::string read_rest(Exchange& exchange, const WaitLimits& limits) {
  std::string text;
  std::uint8_t buffer[16 * 1024];
  while (const std::size_t count = exchange.read(limits, {buffer, sizeof buffer})) {
    text.append(reinterpret_cast<const char*>(buffer), count);
    if (text.size() > max_response_size) {
      throw sdk::Failure(TENON_DATA_LOSS, exchange.action(),
                         ": the response of the server is longer than any of S3");
    }
  }
  return text;
}

}  // namespace tenon::s3
