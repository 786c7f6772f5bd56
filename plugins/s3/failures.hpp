// SPDX-License-Identifier: BSL-1.0
//
// How a failure of the server or of the connection is reported to the host.
#pragma once

#include <tenon/sdk/failure.hpp>

#include <string>
#include <string_view>

namespace tenon::s3 {

/// What a server says that refuses a request.
struct Refusal {
  long http_status = 0;
  std::string code;     // of S3, such as NoSuchKey; empty where the answer has none
  std::string message;  // in the server's own words; may be empty
  std::string region;   // that of the bucket, where the server says it
};

/// The failure of an action, such as "cannot read photos/cat.png".
sdk::Failure failure_of(std::string_view action, const Refusal& refusal);

/// The failure of a connection: the CURLcode of a transfer that ended, and what libcurl adds.
sdk::Failure connection_failure(std::string_view action, int code, std::string_view details);

}  // namespace tenon::s3
