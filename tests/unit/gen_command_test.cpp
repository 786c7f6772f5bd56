// SPDX-License-Identifier: BSL-1.0
//
// The command tenon-gen: what it prints, what it writes and with which status it ends.
#include "framework/world.hpp"

#include <gtest/gtest.h>

namespace {

using tenon::tests::Outcome;
using tenon::tests::World;

const char* const spec =
    "{\"kind\": \"photo.example/filter\", \"version\": 1, \"doc\": \"Filters.\",\n"
    " \"methods\": [{\"name\": \"apply\", \"doc\": \"Applies.\", \"threading\": \"any\"}]}";

TEST(GenCommand, WritesHeadersSourceAndDepfile) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  const Outcome outcome = world.run(
      {TENON_GEN, "build", "--out", "out", "--name", "photo", "--depfile", "out/photo.d", "kinds"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_NE(world.read("out/include/photo/filter/v1.h").find("photo_filter_v1"), std::string::npos);
  EXPECT_NE(world.read("out/photo.cpp"), "");
  EXPECT_EQ(world.read("out/photo.d"),
            "out/photo.cpp: \\\n  kinds \\\n  kinds/filter \\\n  kinds/filter/v1.json\n");
}

TEST(GenCommand, WritesOnlyHeaders) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  EXPECT_EQ(world.run({TENON_GEN, "headers", "--out", "out", "kinds"}).exit, 0);
  EXPECT_NE(world.read("out/photo/filter/v1.h"), "");
}

TEST(GenCommand, ReportsFindings) {
  const World world;
  world.write("kinds/filter/v1.json",
              "{\"kind\": \"photo.example/filter\", \"version\": 1, \"doc\": \"Filters.\",\n"
              " \"methods\": [{\"name\": \"apply\", \"doc\": \"Applies.\", \"threading\": "
              "\"anny\"}]}");
  const Outcome outcome = world.run({TENON_GEN, "check", "kinds"});
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "kinds/filter/v1.json:2:64: error[unknown-word]: 'threading' does not know 'anny'\n"
            "   needed  'any', 'serial' and 'main'\n"
            "   fix     did you mean 'any'?\n");
}

TEST(GenCommand, PrintsFingerprints) {
  const World world;
  const Outcome outcome = world.run({TENON_GEN, "fingerprint", ABI});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("tenon.dev/destination 1 "), 0u);
  EXPECT_NE(outcome.out.find("\ntenon.dev/record 2 "), std::string::npos);
}

TEST(GenCommand, BeginsTheNextVersion) {
  const World world;
  std::string released = spec;
  released.replace(released.find("\"doc\""), 0,
                   "\"life\": {\"released\": {\"version\": \"1.0.0\", \"date\": "
                   "\"2026-11-21\"}}, ");
  world.write("kinds/filter/v1.json", released);
  const Outcome outcome = world.run({TENON_GEN, "next", "kinds/filter"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "kinds/filter/v2.json\nkinds/filter/evolution.json\n");
  EXPECT_EQ(world.run({TENON_GEN, "check", "kinds"}).exit, 0);
  // One draft at a time.
  const Outcome again = world.run({TENON_GEN, "next", "kinds/filter"});
  EXPECT_EQ(again.exit, 1);
  EXPECT_NE(again.err.find("two-drafts"), std::string::npos);
}

TEST(GenCommand, EndsWithItsStatuses) {
  const World world;
  world.write("kinds/filter/v1.json", spec);
  EXPECT_EQ(world.run({TENON_GEN}).exit, 2);
  EXPECT_EQ(world.run({TENON_GEN, "check", "--unknown", "kinds"}).exit, 2);
  EXPECT_EQ(world.run({TENON_GEN, "--help"}).exit, 0);
  EXPECT_EQ(world.run({TENON_GEN, "check", "nowhere"}).exit, 3);
  EXPECT_EQ(world.run({TENON_GEN, "headers", "--out", "/proc/none", "kinds"}).exit, 3);
  const std::vector<std::string> build{TENON_GEN,          "build", "--out",     "out", "kinds",
                                       "--standard-specs", ABI,     "--standard"};
  for (const char* wanted : {"source", "source@9", "sorce@1"}) {
    std::vector<std::string> command = build;
    command.emplace_back(wanted);
    EXPECT_EQ(world.run(command).exit, 2) << wanted;
  }
  std::vector<std::string> command = build;
  command.emplace_back("source@1");
  const Outcome outcome = world.run(command);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
}

}  // namespace
