// SPDX-License-Identifier: BSL-1.0
//
// Signature Version 4 of AWS. The signature proves that the sender of a request knows a secret key,
// and that the request was not changed on its way.
#pragma once

#include "uri.hpp"

#include <tenon/values.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>

namespace tenon::s3 {

struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;  // empty unless they are temporary
};

/// Header fields by their names in lower case, sorted as they are signed.
using Headers = std::map<std::string, std::string, std::less<>>;

/// The parts of a request that are signed.
struct Request {
  std::string method;
  std::string path;  // encoded, begins with /
  Parameters query;
  Headers headers;  // with host
  BytesView body;
};

/// Returns the SHA-256 of some bytes in hexadecimal digits.
std::string sha256(BytesView bytes);

/// Signs for one region. May be used on several threads at once.
class Signer {
 public:
  Signer(Credentials credentials, std::string region)
      : credentials_(std::move(credentials)), region_(std::move(region)) {}

  /// Adds the headers that carry the time, the hash of the body, the session token and the
  /// signature. Signs all headers that are present.
  void sign(Request& request, Timestamp now) const;

  /// Adds the parameters with which anybody may send the request until `ttl` has passed.
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
