// SPDX-License-Identifier: BSL-1.0
//
// Sends signed requests to one server.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "connection.hpp"
#include "exchange.hpp"
#include "settings.hpp"
#include "signature.hpp"

namespace tenon::s3 {

/// A client of one server. Thread-safe. Functions throw sdk::Failure.
class Client {
 public:
  explicit Client(Settings settings)
      : settings_(std::move(settings)), signer_(settings_.credentials, settings_.region) {}

  const Settings& settings() const noexcept { return settings_; }
  /// Returns the limits of an exchange for a call.
  WaitLimits limits(sdk::Call call) const noexcept { return {call, settings_.timeout}; }

  /// Return a request for an object or for a bucket. Fail with TENON_INVALID_ARGUMENT if the name
  /// is ambiguous in a URL.
  Request request(std::string_view method, std::string_view bucket, std::string_view key) const;
  Request request(std::string_view method, std::string_view bucket) const;

  /// Signs and sends a request and waits until the body of the response begins. Fails if the server
  /// refuses the request. `action` begins the messages, for example "cannot read photos/cat.png".
  std::unique_ptr<Exchange> begin(Request request, std::string action,
                                  const WaitLimits& limits) const;
  /// Signs and sends a request and returns the body of the response.
  std::string send(Request request, std::string action, const WaitLimits& limits) const;

  /// Returns a URL with which anybody can send the request until `ttl` has passed. It is valid for
  /// up to a second longer, because S3 counts in whole seconds.
  std::string signed_url(Request request, Duration ttl) const;

 private:
  std::string origin(const Request& request) const;

  Settings settings_;
  Signer signer_;
  std::shared_ptr<Connections> connections_ = std::make_shared<Connections>();
};

/// The maximum time for which a signed URL can be valid.
constexpr std::chrono::seconds max_ttl = std::chrono::hours(7 * 24);

/// Returns the rest of the body of a response. Throws sdk::Failure, also if the body is longer than
/// any response of S3.
std::string read_rest(Exchange& exchange, const WaitLimits& limits);

}  // namespace tenon::s3
