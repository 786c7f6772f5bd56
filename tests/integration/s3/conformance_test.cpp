// SPDX-License-Identifier: BSL-1.0
//
// The store follows the rules of its kind. MODULES is the directory of its module.
#include <tenon/sdk/conformance.hpp>

#include <gtest/gtest.h>

#include "server.hpp"

namespace tenon::tests { namespace {

namespace conformance = sdk::conformance;

TEST(S3Conformance, PassesEveryCase) {
  const Server* server = Server::running();
  if (server == nullptr) GTEST_SKIP() << "no S3 server is installed";
  conformance::Options options;
  options.module = MODULES "/s3.so";
  options.setups = {{"tenon.dev/object_store", "tenon.dev/s3", server->config(), Server::bucket}};
  options.timeout = std::chrono::seconds(30);
  for (const conformance::Result& result : conformance::run(options)) {
    EXPECT_EQ(result.verdict, conformance::Verdict::passed)
        << result.of.name << ": " << result.reason;
  }
}

}}  // namespace tenon::tests
