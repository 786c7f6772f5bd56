// SPDX-License-Identifier: BSL-1.0
//
// The builtin destination that logs records.
#include "builtin/log_destination.hpp"
#include "unit/builtins/plugins.hpp"

#include <tenon/call.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace tenon::builtin {
namespace {

TEST(LogTest, AcknowledgesEveryRecord) {
  Writing<LogDestination> log(TextMap{{"level", "debug"}});
  EXPECT_EQ(log.write({record("1", "{}"), record("2", std::string(5000, ' '))}), (Texts{"", ""}));
  EXPECT_EQ(failure_of([] {
              Writing<LogDestination> wrong(TextMap{{"level", "loud"}});
            }),
            "parameter \"level\" is \"loud\", expected trace, debug, info, warn or error");
}

TEST(LogTest, WritesALineOfItsLevelForEachRecord) {
  const auto logged = [](const TextMap& config, const std::string& payload) {
    testing::internal::CaptureStderr();
    Writing<LogDestination> log(config);
    Call call;
    EXPECT_EQ(status_in(call, [&] { log.write({record("1", payload)}); }), TENON_OK);
    const std::string line = testing::internal::GetCapturedStderr();
    return line.substr(std::min(line.find("[tenon] ") + 8, line.size()));  // after the time
  };
  EXPECT_EQ(logged({}, "{}"), "[info] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "info"}}, "{}"), "[info] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "warn"}}, "{}"), "[warning] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "error"}}, "{}"), "[error] host: create 1: {}\n");
  EXPECT_EQ(logged({{"level", "debug"}}, "{}"), "");
  EXPECT_EQ(logged({{"level", "trace"}}, "{}"), "");
  const std::string whole(1000, 'x');
  EXPECT_EQ(logged({}, whole), "[info] host: create 1: " + whole + "\n");
  EXPECT_EQ(logged({}, whole + "y"), "[info] host: create 1: " + whole + "...\n");
}

}  // namespace
}  // namespace tenon::builtin
