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
  /// For what is done for a call.
  Patience patience(sdk::Call call) const noexcept { return {call, settings_.timeout}; }

  /// A request about an object, or about a bucket. Fails with TENON_INVALID_ARGUMENT where the name
  /// could mean something else.
  Request about(std::string_view method, std::string_view bucket, std::string_view key) const;
  Request about(std::string_view method, std::string_view bucket) const;

  /// Signs and sends a request and waits until the body of its answer begins. A refusal of the
  /// server is a failure. `action` is for messages, eg: "cannot read photos/cat.png".
  std::unique_ptr<Exchange> begin(Request request, std::string action,
                                  const Patience& patience) const;
  /// The same, with the whole answer.
  std::string send(Request request, std::string action, const Patience& patience) const;

  /// The address of a request that anybody may send until `ttl` has passed, and at most a second
  /// longer, since S3 counts in whole ones.
  std::string signed_url(Request request, Duration ttl) const;

 private:
  std::string origin(const Request& request) const;

  Settings settings_;
  Signer signer_;
  std::shared_ptr<Connections> connections_ = std::make_shared<Connections>();
};

/// How long a signed address can be good.
constexpr std::chrono::seconds longest_ttl = std::chrono::hours(7 * 24);

/// What is left of an answer. Throws sdk::Failure, also where it is unreasonably long.
std::string rest_of(Exchange& exchange, const Patience& patience);

}  // namespace tenon::s3
