// SPDX-License-Identifier: BSL-1.0
//
// The S3 server of the tests, one for the whole program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client.hpp"
#include "framework/world.hpp"

namespace tenon::tests {

class Server {
 public:
  /// Returns the server, which the first call starts, or nullptr if none is installed.
  static Server* running();

  Server();

  /// Returns its address, or an empty text if it did not start.
  const std::string& endpoint() const noexcept { return endpoint_; }
  /// Returns the configuration of a store on it.
  TextMap config() const;

  /// The only bucket of the server.
  static constexpr const char* bucket = "backups";
  /// Returns the keys of uploads that were neither completed nor aborted.
  std::vector<std::string> unfinished_uploads() const;

 private:
  void make_bucket() const;
  s3::Client client() const;

  World world_;
  Child child_;
  std::string endpoint_;
};

}  // namespace tenon::tests
