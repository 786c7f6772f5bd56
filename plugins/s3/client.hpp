// SPDX-License-Identifier: BSL-1.0
//
// Signed requests to one server.
#pragma once

#include "connection.hpp"
#include "exchange.hpp"
#include "settings.hpp"
#include "signature.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace tenon::s3 {

/// May be used on several threads at once. Every function throws sdk::Failure.
class Client {
 public:
  explicit Client(Settings settings)
      : settings_(std::move(settings)), signer_(settings_.credentials, settings_.region) {}

  const Settings& settings() const noexcept { return settings_; }
  /// Returns the limits of an exchange that serves a call.
  Patience patience(sdk::Call call) const noexcept { return {call, settings_.timeout}; }

  /// Returns a request about an object, or about a bucket. Fails with TENON_INVALID_ARGUMENT if the
  /// name is ambiguous in an address.
  Request about(std::string_view method, std::string_view bucket, std::string_view key) const;
  Request about(std::string_view method, std::string_view bucket) const;

  /// Signs and sends a request and waits until the body of the response begins. Fails if the server
  /// refuses the request. `action` begins the messages, eg: "cannot read photos/cat.png".
  std::unique_ptr<Exchange> begin(Request request, std::string action,
                                  const Patience& patience) const;
  /// The same, but returns the body of the response.
  std::string send(Request request, std::string action, const Patience& patience) const;

  /// Returns the address of a request that anybody may send until `ttl` has passed, and at most a
  /// second longer, since S3 counts in whole seconds.
  std::string signed_url(Request request, Duration ttl) const;

 private:
  std::string origin(const Request& request) const;

  Settings settings_;
  Signer signer_;
  std::shared_ptr<Connections> connections_ = std::make_shared<Connections>();
};

/// The longest time for which a signed address can be valid.
constexpr std::chrono::seconds longest_ttl = std::chrono::hours(7 * 24);

/// Returns the rest of the body of a response. Throws sdk::Failure, also if the body is longer than
/// any response of S3.
std::string rest_of(Exchange& exchange, const Patience& patience);

}  // namespace tenon::s3
