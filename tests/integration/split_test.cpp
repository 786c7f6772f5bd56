// SPDX-License-Identifier: BSL-1.0
//
// The example of a processor: one record becomes several.
#include <tenon/host.hpp>
#include <tenon/processor.hpp>
#include <tenon/specifier.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

using Texts = std::vector<std::string>;

class Split : public testing::Test {
 protected:
  Split() { world_.place(SPLIT, "split.so"); }

  static RecordV2 record(const std::string& payload) {
    RecordV2 record;
    record.position = to_bytes("7");
    record.key = to_bytes("a");
    record.payload.after = to_bytes(payload);
    return record;
  }
  static std::string text(const std::optional<Bytes>& bytes) {
    return bytes ? std::string(BytesView(*bytes).text()) : "-";
  }
  std::vector<Processor::Result> process(const std::vector<RecordV2>& records,
                                         const TextMap& config = {}) {
    Host host({.app = "", .plugin_path = {world_.plugins()}, .check_calls = true});
    auto split = host.create<Processor>("example.io/split", config).value();
    EXPECT_TRUE(split->open());
    return split->process(records).value();
  }
  /// Returns "KEY PAYLOAD" of each part of a record, or its error.
  Texts parts(const RecordV2& record, const TextMap& config = {}) {
    const auto results = process({record}, config);
    if (results.at(0).error) return {results[0].error->code + ": " + results[0].error->message};
    Texts all;
    for (const RecordV2& part : results[0].records) {
      all.push_back(text(part.key) + " " + text(part.payload.after));
    }
    return all;
  }

  World world_;
};

TEST_F(Split, MakesARecordOfEachElement) {
  EXPECT_EQ(parts(record(R"([{"n": 1}, {"n": 2}])")),
            (Texts{R"(a/1 {"n": 1})", R"(a/2 {"n": 2})"}));
  EXPECT_EQ(parts(record(R"( [ [1,2] ,"a,\"]\\", -1.50e3 ,{"a":{"b":[","]}}] )")),
            (Texts{"a/1 [1,2]", R"(a/2 "a,\"]\\")", "a/3 -1.50e3", R"(a/4 {"a":{"b":[","]}})"}));
  EXPECT_EQ(parts(record("[[]]")), Texts{"a/1 []"});
  EXPECT_EQ(parts(record(" [ ] ")), Texts{});
}

TEST_F(Split, NamesElementsByPositionWithoutAKey) {
  RecordV2 without = record("[1]");
  without.key.reset();
  EXPECT_EQ(parts(without), Texts{"7/1 1"});
}

TEST_F(Split, KeepsTheRestOfTheRecord) {
  RecordV2 update = record("[1]");
  update.operation = RecordV2::Operation::Update;
  update.metadata = {{"a", "b"}};
  update.payload.before = to_bytes("[0]");
  RecordV2 expected = update;
  expected.key = to_bytes("a/1");
  expected.payload = {{}, to_bytes("1")};
  EXPECT_EQ(process({update}).at(0).records, std::vector<RecordV2>{expected});
  RecordV2 deleted = update;
  deleted.payload.after.reset();
  EXPECT_EQ(process({deleted}).at(0).records, std::vector<RecordV2>{deleted});
}

TEST_F(Split, RefusesOrPassesOtherPayloads) {
  for (const char* other : {"{}", "1", "", "[", "[1,]", "[1] x"}) {
    EXPECT_EQ(parts(record(other)), Texts{"wrong-json: the payload is not a JSON array"}) << other;
    EXPECT_EQ(parts(record(other), {{"others", "pass"}}), Texts{"a " + std::string(other)});
  }
  const auto results = process({record("[1]"), record("{}"), record("[2, 3]")});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].records.size(), 1u);
  EXPECT_TRUE(results[1].error);
  EXPECT_EQ(results[2].records.size(), 2u);
}

TEST_F(Split, DescribesItsParameters) {
  Host host({.app = "", .plugin_path = {world_.plugins()}});
  const auto all = host.create<Specifier>("example.io/split").value()->specify().value();
  ASSERT_EQ(all.processor_parameters.count("others"), 1u);
  EXPECT_EQ(all.processor_parameters.at("others").default_value, "refuse");
}

}}  // namespace tenon::tests
