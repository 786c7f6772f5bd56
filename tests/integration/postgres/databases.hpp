// SPDX-License-Identifier: BSL-1.0
//
// The fixture of the PostgreSQL tests: a host with the module, and an empty database.
#pragma once

#include <tenon/destination.hpp>
#include <tenon/host.hpp>
#include <tenon/source.hpp>
#include <tenon/specifier.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"
#include "server.hpp"

namespace tenon::tests {

class Databases : public Hosting {
 protected:
  static constexpr const char* postgres = "tenon.dev/postgres";

  Databases() {
    place("postgres.so");
    HostOptions with_log = options();
    with_log.log_sink = [this](const LogLine& line) {
      const std::lock_guard lock(mutex_);
      log_.append(line.message).append("\n");
    };
    host_.emplace(std::move(with_log));
  }

  /// Starts the server before the first test creates its world, so that the worlds are not nested.
  static void SetUpTestSuite() { Server::running(); }

  void SetUp() override {
    server_ = Server::running();
    if (server_ == nullptr) GTEST_SKIP() << "there is no PostgreSQL server installed";
    server_->clear();
  }

  TextMap with(TextMap config) const {
    config.insert({{"url", server_->url()}, {"table", "people"}});
    return config;
  }
  std::string value(const std::string& sql) const { return server_->value(sql); }
  Texts rows(const std::string& sql) const { return server_->rows(sql); }

  std::string log() {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  Server* server_ = nullptr;

 private:
  std::mutex mutex_;
  std::string log_;  // the lines of the host, which ends first

 protected:
  std::optional<Host> host_;
};

/// Returns whether a text contains a part.
inline testing::AssertionResult has(std::string_view text, std::string_view part) {
  if (text.find(part) != text.npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << text << "\" has no \"" << part << '"';
}

}  // namespace tenon::tests
