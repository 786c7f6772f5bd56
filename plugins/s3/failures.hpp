// SPDX-License-Identifier: BSL-1.0
//
// Converts errors of the server and of the connection to failures of the plugin.
#pragma once

#include <tenon/sdk/failure.hpp>

#include <string>
#include <string_view>

namespace tenon::s3 {

/// The error with which a server refuses a request.
struct Refusal {
  long http_status = 0;
  std::string code;     // of S3, such as NoSuchKey; empty if the response has none
  std::string message;  // from the server; may be empty
  std::string region;   // of the bucket; empty if it is the configured one or unknown
};

/// Returns at most 2 KiB of a text of a server, and "…" if it was longer.
std::string shortened(std::string_view text);

/// Returns the failure of an action, such as "cannot read photos/cat.png".
sdk::Failure failure_of(std::string_view action, const Refusal& refusal);

/// Returns the failure of a connection from the CURLcode and the details of libcurl.
sdk::Failure connection_failure(std::string_view action, int code, std::string_view details);

}  // namespace tenon::s3
