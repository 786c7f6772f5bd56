// SPDX-License-Identifier: BSL-1.0
//
// The builtin destination that logs records.
#include <tenon/builtins.hpp>
#include <tenon/destination.hpp>
#include <tenon/host.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "builtin/log_destination.hpp"
#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

TEST(LogTest, AcknowledgesEveryRecord) {
  Writing<LogDestination> log(TextMap{{"level", "debug"}});
  EXPECT_EQ(log.write({record("1", "{}"), record("2", std::string(5000, ' '))}), (Texts{"", ""}));
  EXPECT_EQ(failure_of([] {
              Writing<LogDestination> wrong(TextMap{{"level", "loud"}});
            }),
            "parameter \"level\" is \"loud\", expected trace, debug, info, warn or error");
}

TEST(LogTest, LogsEachRecordAtItsLevel) {
  std::vector<std::string> lines;
  Host host({.app = "",
             .builtins = {builtins()},
             .log_level = LogLevel::info,
             .log_sink = [&](const LogLine& line) {
               lines.push_back(std::to_string(static_cast<int>(line.level)) + " " +
                               line.to_string());
             }});
  const auto logged = [&](const TextMap& config, const std::string& payload) {
    lines.clear();
    auto log = host.create<Destination>("tenon.dev/log", config).value();
    log->open().value();
    log->write_batch({record("1", payload)}).value();
    return lines.empty() ? "" : lines[0];
  };
  const std::string name = " tenon.dev/log (tenon.dev/builtin): ";
  EXPECT_EQ(logged({}, "{}"), "2" + name + "create 1: {}");
  EXPECT_EQ(logged({{"level", "info"}}, "{}"), "2" + name + "create 1: {}");
  EXPECT_EQ(logged({{"level", "warn"}}, "{}"), "3" + name + "create 1: {}");
  EXPECT_EQ(logged({{"level", "error"}}, "{}"), "4" + name + "create 1: {}");
  EXPECT_EQ(logged({{"level", "debug"}}, "{}"), "");
  EXPECT_EQ(logged({{"level", "trace"}}, "{}"), "");
  const std::string whole(1000, 'x');
  EXPECT_EQ(logged({}, whole), "2" + name + "create 1: " + whole);
  EXPECT_EQ(logged({}, whole + "y"), "2" + name + "create 1: " + whole + "...");
}

}}  // namespace tenon::builtin
