// SPDX-License-Identifier: BSL-1.0
//
// The builtin processor of fields, and its base class for processors in C++.
#include <tenon/builtins.hpp>
#include <tenon/host.hpp>
#include <tenon/processor.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tenon::builtin { namespace {

class FieldTest : public testing::Test {
 protected:
  Handle<Processor> create(const TextMap& config) {
    auto created = host_.create<Processor>("tenon.dev/field", config);
    EXPECT_TRUE(created) << created.error().to_string();
    Handle<Processor> processor = std::move(created).value();
    EXPECT_TRUE(processor->open());
    return processor;
  }
  static std::string after(const Processor::Result& result) {
    if (result.error) return result.error->code + ": " + result.error->message;
    EXPECT_EQ(result.records.size(), 1u);
    return to_text(result.records.at(0).payload.after);
  }
  static std::string to_text(const std::optional<Bytes>& bytes) {
    return bytes ? std::string(BytesView(*bytes).text()) : "-";
  }
  static RecordV2 record(const std::string& payload) {
    RecordV2 record;
    record.position = to_bytes("1");
    record.payload.after = to_bytes(payload);
    return record;
  }
  /// Returns the payload after the changes of a config, or code and message of the refusal.
  std::string changed(const TextMap& config, const std::string& payload) {
    const auto results = create(config)->process({record(payload)}).value();
    EXPECT_EQ(results.size(), 1u);
    return after(results.at(0));
  }
  /// Returns the error for a config.
  std::string failure(const TextMap& config) {
    const auto created = host_.create<Processor>("tenon.dev/field", config);
    return created ? "none" : std::string(created.error().message());
  }

  /// Returns the warnings of a processor with this config that gets these payloads.
  std::vector<std::string> warnings(const TextMap& config,
                                    const std::vector<std::string>& payloads) {
    std::vector<RecordV2> records;
    for (const std::string& payload : payloads) records.push_back(record(payload));
    auto field = create(config);
    field->process(records).value();
    field->teardown().value();
    return std::exchange(lines_, {});
  }

  std::vector<std::string> lines_;  // of the log
  Host host_{{.app = "",
              .builtins = {builtins()},
              .check_calls = true,
              .log_level = LogLevel::warn,
              .log_sink = [this](const LogLine& line) { lines_.push_back(line.to_string()); }}};
};

TEST_F(FieldTest, RemovesFields) {
  EXPECT_EQ(changed({{"drop", "b, d"}}, R"({"a":1,"b":2,"c":3,"d":4})"), R"({"a":1,"c":3})");
  EXPECT_EQ(changed({{"drop", "a"}}, R"({"a":{"a":[1,{"a":"}"}]}})"), "{}");
  EXPECT_EQ(changed({{"drop", "b"}}, R"({"a":{"b":1}})"), R"({"a":{"b":1}})");
  EXPECT_EQ(changed({{"drop", "a,"}}, R"({"a":1,"b":2,"a":3})"), R"({"b":2})");
}

TEST_F(FieldTest, WarnsOfFieldsThatNoPayloadHad) {
  const std::string prefix =
      "tenon.dev/field (tenon.dev/builtin): no payload had the field of the parameter ";
  using Warnings = std::vector<std::string>;
  const TextMap config = {{"drop", "a, c, d"}, {"rename.x", "y"}, {"rename.v", "w"}};
  EXPECT_EQ(warnings(config, {R"({"a":1,"v":1})", R"({"c":{"d":1}})"}),
            (Warnings{prefix + R"("drop": "d")", prefix + R"("rename.x")"}));
  EXPECT_EQ(warnings(config, {R"({"a":1,"d":1,"v":1})", R"({"c":1,"x":1})"}), Warnings{});
  EXPECT_EQ(warnings({{"drop", "user.secret"}}, {R"({"user":{"secret":1}})"}),
            Warnings{prefix + R"("drop": "user.secret")"});
  EXPECT_EQ(warnings(config, {}), Warnings{});
  EXPECT_EQ(warnings({{"set.a", "1"}}, {"{}"}), Warnings{});
}

TEST_F(FieldTest, RenamesFieldsInPlace) {
  EXPECT_EQ(changed({{"rename.b", "B"}}, R"({"a":1,"b":2,"c":3})"), R"({"a":1,"B":2,"c":3})");
  EXPECT_EQ(changed({{"rename.a", "b"}, {"rename.b", "a"}}, R"({"a":1,"b":2})"),
            R"({"b":1,"a":2})");
  EXPECT_EQ(changed({{"rename.a", "b"}, {"drop", "b"}}, R"({"a":1,"b":2})"), R"({"b":1})");
  EXPECT_EQ(changed({{"rename.a", "say \"b\""}}, R"({"a":1})"), R"({"say \"b\"":1})");
}

TEST_F(FieldTest, SetsFieldsAfterRemovingAndRenaming) {
  EXPECT_EQ(changed({{"set.b", "7"}}, R"({"a":1,"b":[2],"c":3})"), R"({"a":1,"b":7,"c":3})");
  EXPECT_EQ(changed({{"set.z", "x y"}, {"set.y", "null"}}, R"({"a":1})"),
            R"({"a":1,"y":null,"z":"x y"})");
  EXPECT_EQ(changed({{"set.a", R"({"b": [1.50]})"}}, "{}"), R"({"a":{"b": [1.50]}})");
  EXPECT_EQ(changed({{"set.a", "\"7\""}}, "{}"), R"({"a":"7"})");
  EXPECT_EQ(changed({{"set.b", "2"}, {"rename.a", "b"}, {"drop", "c"}}, R"({"a":1,"c":3})"),
            R"({"b":2})");
}

TEST_F(FieldTest, ChangesFieldsInsideOthers) {
  const std::string payload = R"({"n" : 1.0,"a": {"b" : {"c":1, "d":[1,{"e":2}]},"f/g":0},"b":3})";
  EXPECT_EQ(changed({{"drop", "/a/b, /n"}}, payload), R"({"a": {"f/g":0},"b":3})");
  EXPECT_EQ(changed({{"drop", "/a/b/d/1/e,/a/f~1g"}}, payload),
            R"({"n" : 1.0,"a": {"b" : {"c":1, "d":[1,{}]}},"b":3})");
  EXPECT_EQ(changed({{"drop", "/a/b/d/0"}}, payload),
            R"({"n" : 1.0,"a": {"b" : {"c":1, "d":[{"e":2}]},"f/g":0},"b":3})");
  EXPECT_EQ(changed({{"rename./a/b", "B"}, {"rename.b", "a b"}}, payload),
            R"({"n" : 1.0,"a": {"B" : {"c":1, "d":[1,{"e":2}]},"f/g":0},"a b":3})");
  EXPECT_EQ(changed({{"set./a/b/d/1/e", "5"}, {"set./a/x/y", "z"}}, payload),
            R"({"n" : 1.0,"a": {"b" : {"c":1, "d":[1,{"e":5}]},"f/g":0,"x":{"y":"z"}},"b":3})");
  EXPECT_EQ(changed({{"drop", "a"}, {"set./a/b", "1"}}, R"({"a":7})"), R"({"a":{"b":1}})");
  for (const char* absent : {"/x/y", "/a/b/d/2", "/a/b/d/01", "/n/x", "/a/b/c/d"}) {
    EXPECT_EQ(changed({{"drop", absent}}, payload), payload) << absent;
  }
}

TEST_F(FieldTest, RefusesWrongPaths) {
  EXPECT_EQ(changed({{"set./a/b", "1"}}, R"({"a":7})"),
            "wrong-type: \"/a/b\" cannot be set: a field before it is not an object, or the list "
            "has no such element");
  EXPECT_EQ(changed({{"set./a/2", "1"}}, R"({"a":[0,1]})").substr(0, 10), "wrong-type");
  EXPECT_EQ(changed({{"rename./a/b", "c"}}, R"({"a":{"b":1,"c":2}})"),
            "field-exists: \"/a/b\" is renamed to \"c\", but its object already has that field");
  EXPECT_EQ(changed({{"drop", "/a/b"}}, "[]"), "wrong-json: the payload is not a JSON object");
  EXPECT_EQ(failure({{"drop", "/a~2"}}),
            "the path \"/a~2\" has a ~ that is not part of ~0 (a ~) or ~1 (a /)");
  EXPECT_EQ(failure({{"rename./a/b", "/c"}}),
            "parameter \"rename./a/b\" is \"/c\", expected the new name without a path");
}

TEST_F(FieldTest, PreservesTheTextOfOtherFields) {
  const std::string numbers = R"({"big" : 123456789012345678901234567890, "f": 1.10e+02 ,)"
                              R"( "t": "\u0041\/\"}", "n": -0})";
  EXPECT_EQ(changed({{"drop", "x"}}, numbers), numbers) << "nothing to do";
  EXPECT_EQ(changed({{"set.x", "1"}}, numbers),
            R"({"big" : 123456789012345678901234567890,"f": 1.10e+02,"t": "\u0041\/\"}",)"
            R"("n": -0,"x":1})");
}

TEST_F(FieldTest, MatchesFieldNamesWithEscapes) {
  EXPECT_EQ(changed({{"drop", "a\"b"}}, R"({"a\"b":1,"\u0063":2})"), R"({"\u0063":2})");
  EXPECT_EQ(changed({{"rename.c", "d"}}, R"({"\u0063":2})"), R"({"d":2})");
}

TEST_F(FieldTest, ChangesBeforeAndAfterImages) {
  auto field = create({{"drop", "secret"}});
  RecordV2 update = record(R"({"secret":2,"a":2})");
  update.operation = RecordV2::Operation::Update;
  update.key = to_bytes(R"({"secret":0})");
  update.metadata = {{"secret", "no"}};
  update.payload.before = to_bytes(R"({"secret":1,"a":1})");
  RecordV2 expected = update;
  expected.payload = {to_bytes(R"({"a":1})"), to_bytes(R"({"a":2})")};
  RecordV2 deleted;
  deleted.operation = RecordV2::Operation::Delete;

  const auto results = field->process({update, deleted}).value();
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].records, std::vector<RecordV2>{expected});
  EXPECT_EQ(results[1].records, std::vector<RecordV2>{deleted});
}

TEST_F(FieldTest, RefusesPayloadsThatAreNotObjects) {
  for (const char* payload : {"", "[]", "1", "{", "{}x", "{\"a\":1,}", "\xff", "{\"a\":nan}"}) {
    EXPECT_EQ(changed({{"drop", "a"}}, payload), "wrong-json: the payload is not a JSON object")
        << payload;
  }
  const std::string deep(300, '[');
  EXPECT_EQ(changed({{"drop", "a"}}, R"({"a":)" + deep + std::string(300, ']') + "}"),
            "wrong-json: the payload is not a JSON object");
}

/// A refused record does not affect the others.
TEST_F(FieldTest, RefusesARenameToAnExistingField) {
  auto field = create({{"rename.a", "b"}});
  const auto results =
      field->process({record(R"({"a":1})"), record(R"({"a":1,"b":2})"), record(R"({"b":3})")})
          .value();
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(after(results[0]), R"({"b":1})");
  EXPECT_EQ(after(results[1]),
            "field-exists: \"a\" is renamed to \"b\", but the payload already has that field");
  EXPECT_TRUE(results[1].records.empty());
  EXPECT_FALSE(results[1].error->retryable);
  EXPECT_EQ(after(results[2]), R"({"b":3})");
}

TEST_F(FieldTest, RefusesContradictoryParameters) {
  EXPECT_EQ(failure({{"drop", "a, b"}, {"rename.b", "c"}}),
            "parameter \"rename.b\" renames a field that \"drop\" removes");
  EXPECT_EQ(failure({{"rename.a", "c"}, {"rename.b", "c"}}),
            "parameter \"rename.b\" renames the field to \"c\", like another parameter");
  EXPECT_EQ(failure({{"renam.a", "c"}}),
            "unknown parameter \"renam.a\", expected drop, rename.FIELD or set.FIELD");
  EXPECT_EQ(failure({{"rename.a", " "}, {"set.b", ""}, {"drop", ""}}), "none");
}

/// 10,000 fields and changes must take linear time.
TEST_F(FieldTest, ChangesManyFields) {
  TextMap config;
  std::string before = "{";
  std::string expected = "{";
  for (int i = 0; i < 10'000; ++i) {
    const std::string name = "f" + std::to_string(i);
    if (i > 0) before += ",", expected += ",";
    before += "\"" + name + "\":1";
    expected += "\"g" + std::to_string(i) + "\":1";
    config["rename." + name] = "g" + std::to_string(i);
  }
  EXPECT_TRUE(changed(config, before + "}") == expected + "}");
}

}}  // namespace tenon::builtin
