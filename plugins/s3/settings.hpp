// SPDX-License-Identifier: BSL-1.0
//
// The configuration of the plugin.
#pragma once

#include <tenon/sdk/config.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include "signature.hpp"

namespace tenon::s3 {

/// The address of the server.
struct Endpoint {
  std::string scheme;  // http or https
  std::string host;    // with the port, unless it is the default of the scheme
};

struct Settings {
  /// Reads and checks all parameters. Throws sdk::Failure that names the parameter.
  explicit Settings(const sdk::Config& config);

  std::string region;
  Endpoint endpoint;
  bool path_style;  // the bucket is part of the path, not of the host
  Credentials credentials;
  std::size_t part_size;
  Duration timeout;
};

/// Returns whether requests to an endpoint are sent to another machine without encryption.
bool is_unprotected(const Endpoint& endpoint);

}  // namespace tenon::s3
