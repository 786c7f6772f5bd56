// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with plugins that refuse records or fail.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

TEST_F(Pipeline, StopsAtARefusedRecord) {
  write_actors("\"batch\": \"3\"", "\"refuse\": \"5\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[record-refused] test.example/actor: too ugly\n"
            "   found   the record at position \"5\", refused as ugly\n"
            "   needed  a record that the destination accepts\n"
            "   fix     correct the record at its origin, or the config of the destination; the "
            "next run begins with this record\n");
  EXPECT_EQ(position(), "4");
  EXPECT_TRUE(outcome.out.ends_with("acknowledged 4\n")) << outcome.out;
  EXPECT_NE(world.read("journal").find("source: ack 4 to 4\n"), std::string::npos);

  write_actors("\"batch\": \"3\"");
  EXPECT_EQ(run().out, numbers(6, 6, 6));
  EXPECT_EQ(position(), "10");
}

TEST_F(Pipeline, DeliversRecordsReadBeforeTheSourceFailed) {
  write_actors("\"fail_at\": \"8\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.out, numbers(7, 7, 7));
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: test.example/actor: read_batch: data-loss: record 8 is illegible\n");
  EXPECT_EQ(written(), positions(1, 7));
}

TEST_F(Pipeline, KeepsAcknowledgementsOfAFailedDestination) {
  write_actors("\"batch\": \"2\"", "\"fail_at\": \"5\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err, "tenon-pipeline: test.example/actor: write_batch: internal: out of ink\n");
  EXPECT_EQ(written(), positions(1, 4));
  EXPECT_EQ(position(), "4");
}

TEST_F(Pipeline, DeliversTheRestToOtherDestinations) {
  write_pipeline(
      plugin("test.example/actor", "\"batch\": \"2\""),
      R"({"id": "refusing", "plugin": "test.example/actor", "config": {"refuse": "3"}}, )" +
          plugin("test.example/actor", "\"written\": \"written\""));
  EXPECT_EQ(run().exit, 1);
  EXPECT_EQ(position(), "2");
  const Lines lines = written();
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines, positions(1, static_cast<int>(lines.size())));
}

TEST_F(Pipeline, StopsAtAnUnexpectedAcknowledgement) {
  write_actors("", "\"lie_at\": \"3\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[wrong-acknowledgement] test.example/actor: the destination "
            "acknowledged an unexpected record\n"
            "   found   \"elsewhere\"\n"
            "   needed  \"3\", the next record that was written\n"
            "   fix     report this to the author of the plugin\n");
  EXPECT_EQ(position(), "2");
}

TEST_F(Pipeline, SkipsUnimplementedSteps) {
  write_actors("\"ack_status\": \"12\", \"stop_status\": \"12\", \"teardown_status\": \"12\"",
               "\"stop_status\": \"12\"");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.out, numbers(10, 10, 10));
}

TEST_F(Pipeline, ReportsTheFailedStep) {
  struct Step {
    std::string source, destination, name;
    int exit;
  };
  for (const Step& step : {Step{"\"ack_status\": \"13\"", "", "ack", 1},
                           Step{"\"stop_status\": \"13\"", "", "stop", 1},
                           Step{"", "\"stop_status\": \"13\"", "stop", 1},
                           Step{"\"teardown_status\": \"13\"", "", "teardown", 0}}) {
    std::filesystem::remove_all(world.root() / "state");
    write_actors(step.source, step.destination);
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, step.exit) << step.name;
    EXPECT_EQ(outcome.err,
              "tenon-pipeline: test.example/actor: " + step.name + ": internal: as told\n");
    EXPECT_EQ(position(), "10");
  }
}

}}  // namespace tenon::tests
