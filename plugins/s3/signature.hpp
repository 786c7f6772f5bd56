// SPDX-License-Identifier: BSL-1.0
//
// AWS Signature Version 4. The signature proves that the sender of a request knows a secret key,
// and that the request was not changed in transit.
#pragma once

#include <tenon/values.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

#include "uri.hpp"

namespace tenon::s3 {

struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty unless the credentials are temporary
};

/// Header fields by their names in lower case, in the order of signing.
using Headers = std::map<std::string, std::string, std::less<>>;

/// The signed parts of a request.
struct Request {
  std::string method;
  std::string path;  // encoded, begins with /
  Parameters query;
  Headers headers;  // with host
  BytesView body;
};

/// Returns the SHA-256 hash of some bytes in hexadecimal digits.
std::string sha256(BytesView bytes);

/// Signs requests for one region. Thread-safe.
class Signer {
 public:
  Signer(Credentials credentials, std::string region)
      : credentials_(std::move(credentials)), region_(std::move(region)) {}

  /// Adds the headers with the time, the hash of the body, the session token and the signature.
  /// Signs all headers.
  void sign(Request& request, Timestamp now) const;

  /// Adds the parameters with which anybody can send the request until `ttl` has passed.
  void presign(Request& request, Timestamp now, std::chrono::seconds ttl) const;

 private:
  /// Returns the scope of a credential (day, region and service) for the day of `time`.
  std::string scope(std::string_view time) const;
  std::string signature(const Request& request, std::string_view body_hash,
                        std::string_view time) const;

  Credentials credentials_;
  std::string region_;
};

}  // namespace tenon::s3
