// SPDX-License-Identifier: BSL-1.0
//
// Runs tenon-pipeline with a destination for refused records.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "e2e/pipeline/pipeline.hpp"

namespace tenon::tests { namespace {

/// Pipelines whose destination refuses every third record.
class DeadLetters : public Pipeline {
 protected:
  void write_with(const std::string& limit, const std::string& destinations,
                  const std::string& letters = plugin("tenon.dev/file",
                                                      "\"path\": \"refused.jsonl\"")) {
    world.write("pipeline.json",
                "{\"name\": \"test\", \"source\": " +
                    plugin("test.example/actor", "\"journal\": \"journal\"") +
                    ", \"destinations\": [" + destinations +
                    "], \"dead_letters\": " + letters.substr(0, letters.size() - 1) +
                    ", \"limit\": " + limit + "}, \"position\": \"state/position.json\"}");
  }
  static std::string refusing(const std::string& id, int every) {
    return R"({"id": ")" + id +
           R"(", "plugin": "test.example/actor", "config": {"refuse_every": ")" +
           std::to_string(every) + R"(", "written": "written"}})";
  }
};

TEST_F(DeadLetters, KeepRefusedRecordsAndTheirReasons) {
  write_with(R"({"refused": 1, "of": 3})", refusing("thirds", 3));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "records: read 10, written 10, acknowledged 10, refused 3\n");
  EXPECT_EQ(written(), (Lines{"1", "2", "4", "5", "7", "8", "10"}));
  EXPECT_EQ(position(), "10");
  const Lines letters = lines_of(world.read("refused.jsonl"));
  ASSERT_EQ(letters.size(), 3u);
  EXPECT_EQ(letters[1], R"({"pipeline":"test","refused":[{"destination":"thirds","code":"ugly",)"
                        R"("message":"too ugly"}],"record":{"position":6,"operation":"create",)"
                        R"("metadata":{},"key":6,"after":{"n":6}}})");
  // The source gets one acknowledgement for each record, in order.
  Lines acks;
  for (const std::string& line : journal()) {
    if (line.starts_with("source: ack")) acks.push_back(line);
  }
  ASSERT_FALSE(acks.empty());
  EXPECT_TRUE(acks.back().ends_with(" to 10"));
}

/// Even if several destinations refuse it.
TEST_F(DeadLetters, HoldEachRecordOnce) {
  write_with(R"({"refused": 0, "of": 0})", refusing("a", 2) + ", " + refusing("b", 4));
  EXPECT_EQ(run().out, "records: read 10, written 10, acknowledged 10, refused 5\n");
  const Lines letters = lines_of(world.read("refused.jsonl"));
  ASSERT_EQ(letters.size(), 5u);
  EXPECT_EQ(letters[1].find(R"({"pipeline":"test","refused":[{"destination":"a","code":"ugly",)"
                            R"("message":"too ugly"},{"destination":"b",)"),
            0u)
      << letters[1];
  EXPECT_NE(letters[2].find("\"position\":6"), std::string::npos);
}

TEST_F(DeadLetters, EndTheRunIfTooManyAreRefused) {
  write_with(R"({"refused": 1, "of": 4})", refusing("thirds", 3));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[record-refused] thirds (test.example/actor): too ugly\n"
            "   found   the record at position \"6\", refused as ugly\n"
            "   needed  at most 1 refused of 4 records\n"
            "   fix     correct the record at its origin, or the config of the destination; the "
            "next run begins with this record\n");
  EXPECT_EQ(position(), "5");
  EXPECT_EQ(lines_of(world.read("refused.jsonl")).size(), 1u);
}

TEST_F(DeadLetters, EndTheRunIfTheyCannotBeWritten) {
  write_with(R"({"refused": 0, "of": 0})", refusing("thirds", 3),
             plugin("test.example/actor", "\"refuse\": \"6\""));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: error[dead-letter-refused] dead_letters (test.example/actor): too "
            "ugly\n"
            "   found   the record at position \"6\", refused as ugly\n"
            "   needed  a destination that accepts every refused record\n"
            "   fix     correct the config of \"dead_letters\"\n");
  EXPECT_EQ(position(), "5");
}

/// No acknowledgement after a refused record is collected before the record is resolved.
TEST_F(DeadLetters, LetOthersFailWithoutWaitingForEver) {
  write_with(R"({"refused": 0, "of": 0})", refusing("thirds", 3) +
                                               R"(, {"id": "b", "plugin": "test.example/actor", )"
                                               R"("config": {"fail_at": "2"}})");
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 1);
  EXPECT_EQ(outcome.err,
            "tenon-pipeline: b (test.example/actor): write_batch: internal: out of ink\n");
}

TEST_F(DeadLetters, RefuseALimitThatIsNeverReached) {
  write_with(R"({"refused": 4, "of": 4})", refusing("a", 2));
  const Outcome outcome = run();
  EXPECT_EQ(outcome.exit, 2);
  EXPECT_NE(outcome.err.find("error[wrong-limit]: the limit of refused records is never reached\n"
                             "   found   4 of 4\n"),
            std::string::npos)
      << outcome.err;
}

TEST_F(DeadLetters, GetOnDeletedAgainIfItFailed) {
  const auto letters = [](const std::string& note) {
    return plugin("test.example/actor",
                  R"("journal": "journal", "delete_status": "13", "note": ")" + note + "\"");
  };
  write_with(R"({"refused": 1, "of": 3})", refusing("a", 100), letters("1"));
  EXPECT_EQ(run().exit, 0);
  write_with(R"({"refused": 1, "of": 3})", refusing("a", 100));
  for (int i = 0; i < 2; ++i) {
    std::filesystem::remove(world.root() / "journal");
    const Outcome outcome = run();
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
    EXPECT_NE(outcome.err.find("on_deleted: internal: as told"), std::string::npos) << outcome.err;
    const Lines all = journal();
    EXPECT_EQ(std::count(all.begin(), all.end(), "destination: deleted 1"), 1);
  }
}

}}  // namespace tenon::tests
