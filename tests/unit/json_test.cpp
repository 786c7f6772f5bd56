// SPDX-License-Identifier: BSL-1.0
//
// Documents as JSON and back, and what is said of wrong ones.
#include <tenon/parameter_json.hpp>
#include <tenon/record_json.hpp>
#include <tenon/specification_json.hpp>

#include <tenon/json.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tenon {
namespace {

using namespace std::string_literals;

RecordV2 record() {
  RecordV2 record;
  record.position = {0, 1, 254, 255};
  record.operation = RecordV2::Operation::Snapshot;
  record.metadata = {{"a \"quoted\" key", "line\nbreak, tab\t, \\ and \x01"},
                     {"umlaut", "\u00e4\u20ac\U0001f600"}};
  record.payload.after = to_bytes("after");
  record.bag = to_bytes("b");
  return record;
}

TEST(Json, WritesARecord) {
  EXPECT_EQ(to_json(record()),
            R"({"position":"AAH+/w==","operation":"snapshot","metadata":{)"
            R"("a \"quoted\" key":"line\nbreak, tab\t, \\ and \u0001","umlaut":")"
            "\u00e4\u20ac\U0001f600"
            R"("},"payload":{"after":"YWZ0ZXI="},"bag":"Yg=="})");
  RecordV1 older;
  older.created_at = Timestamp(Duration(-1700000000000000001));
  EXPECT_EQ(to_json(older), R"({"position":"","metadata":{},"created_at":-1700000000000000001})");
}

TEST(Json, ReadsWhatItWrites) {
  EXPECT_EQ(record_v2_from_json(to_json(record())).value(), record());
  EXPECT_EQ(record_v2_from_json(to_json(RecordV2{})).value(), RecordV2{});

  RecordV2 empty;  // what is empty is not absent
  empty.key = Bytes();
  empty.payload.before = Bytes();
  EXPECT_EQ(record_v2_from_json(to_json(empty)).value(), empty);

  SpecificationV1 specification;
  specification.name = "me.example/tap";
  specification.source_parameters = {
      {"path", {"", "Where.", ParameterV2::Type::File, {{ParameterV2::Rule::Required, ""}}, {}}}};
  EXPECT_EQ(specification_v1_from_json(to_json(specification)).value(), specification);
}

TEST(Json, ReadsWhatPeopleWrite) {
  const auto record = record_v2_from_json(
      " {\n\t\"payload\" : { \"after\" : \"\" } , \"metadata\": {\"\\u006b\": "
      "\"\\ud83d\\ude00\\/\"},\r\n"
      "\"operation\":\"delete\", \"position\":\"MTI=\"} ");
  ASSERT_TRUE(record) << record.error().to_string();
  EXPECT_EQ(record->position, to_bytes("12"));
  EXPECT_EQ(record->operation, RecordV2::Operation::Delete);
  EXPECT_EQ(record->metadata.at("k"), "\U0001f600/");
  EXPECT_EQ(record->payload.after, Bytes());
}

struct Wrong {
  std::string text;
  std::string where;
  std::string message;
};

TEST(Json, SaysWhereAValueIsWrong) {
  const Wrong cases[] = {
      {"[]", "", "expected object, found array"},
      {R"({"position":1,"operation":"create","metadata":{},"payload":{}})", "position",
       "expected text in base64, found number 1"},
      {R"({"position":"","operation":"create","metadata":{},"payload":{"before":null}})",
       "payload.before", "expected text in base64, found null"},
      {R"({"position":"","operation":"create","metadata":{"a":"b","c d":true},"payload":{}})",
       R"(metadata["c d"])", "expected text, found true"},
      {R"({"position":"","operation":"made","metadata":{},"payload":{}})", "operation",
       R"(expected create, update, delete or snapshot, found text "made")"},
      {R"({"position":"","operation":"create","payload":{}})", "metadata", "missing"},
      {R"({"position":"","operation":"create","metadata":{},"payload":{"beside":1}})",
       "payload.beside", "not a field of this type"},
      {R"({"position":"","operation":"create","metadata":{},"payload":{},"bags":""})", "bags",
       "not a field of this type"},
  };
  for (const Wrong& wrong : cases) {
    const auto record = record_v2_from_json(wrong.text);
    ASSERT_FALSE(record) << wrong.text;
    EXPECT_EQ(record.error().code(), "wrong-value");
    EXPECT_EQ(record.error().where(), wrong.where);
    EXPECT_EQ(record.error().message(), wrong.message);
  }
}

TEST(Json, SaysWhereInAList) {
  const auto parameter =
      parameter_v2_from_json(R"({"default_value":"","description":"","type":"int","validations":[)"
                             R"({"type":"required","value":""},{"type":"regex","value":5}]})");
  ASSERT_FALSE(parameter);
  EXPECT_EQ(parameter.error().to_string(),
            "error[wrong-value] validations[1].value: expected text, found number 5");
}

TEST(Json, SaysWhereATextIsNoJson) {
  const Wrong cases[] = {
      {"", "1:1", "a value was expected"},
      {"{\n  \"a\": tru }", "2:8", "a value was expected"},
      {"{\"a\":1,}", "1:8", "a key was expected"},
      {"[1 2]", "1:4", "',' or ']' was expected"},
      {"{\"a\" 1}", "1:6", "':' was expected"},
      {"{\"a\":1,\"a\":2}", "1:8", "the key stands twice"},
      {"{} x", "1:4", "something follows the value"},
      {"{}\n\n\n{", "4:1", "something follows the value"},
      {"01", "1:2", "something follows the value"},
      {"-", "1:2", "a digit was expected"},
      {"1.", "1:3", "a digit was expected"},
      {"1e+", "1:4", "a digit was expected"},
      {"+1", "1:1", "a value was expected"},
      {"NaN", "1:1", "a value was expected"},
      {"\"a", "1:3", "the text has no end"},
      {"\"a\nb\"", "1:3", "a control character in a text"},
      {"\"\xc3\xa4\xff\"", "1:3", "no UTF-8"},
      {"\"\xed\xa0\x80\"", "1:2", "no UTF-8"},
      {"\"\\x\"", "1:3", "no escape of JSON"},
      {"\"\\ud800\"", "1:8", "half a character"},
      {"\"\\udc00\"", "1:8", "half a character"},
      {"\0"s, "1:1", "a value was expected"},
      {"// comment\n1", "1:1", "a value was expected"},
      {std::string(65, '['), "1:65", "more than 64 levels"},
  };
  for (const Wrong& wrong : cases) {
    const auto document = json::Document::parse(wrong.text);
    ASSERT_FALSE(document) << wrong.text;
    EXPECT_EQ(document.error().code(), "not-json");
    EXPECT_EQ(document.error().where(), wrong.where) << wrong.text;
    EXPECT_EQ(document.error().message(), wrong.message) << wrong.text;
  }
}

TEST(Json, EachCutOfADocumentIsNoJson) {
  const std::string text = to_json(record());
  for (std::size_t size = 0; size < text.size(); size++) {
    EXPECT_FALSE(record_v2_from_json(text.substr(0, size)));
  }
}

TEST(Json, KeepsNumbersExactly) {
  for (double number : {0.0, 1.0, -1.5, 0.1, 1e22, 1e23, 5e-324, 1.7976931348623157e308,
                        9007199254740993.0, 123456789.123456789}) {
    EXPECT_EQ(json::read<double>(json::write(number)).value(), number);
  }
  for (float number : {0.1f, 16777217.f, 1e-45f, 3.4028235e38f}) {
    EXPECT_EQ(json::read<float>(json::write(number)).value(), number);
  }
  EXPECT_EQ(json::write(-0.0), "-0.0");
  EXPECT_TRUE(std::signbit(json::read<double>("-0.0").value()));
  EXPECT_EQ(json::read<double>("5").value(), 5.0);
  EXPECT_EQ(json::write(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(json::read<std::uint64_t>("18446744073709551615").value(), UINT64_MAX);
  EXPECT_EQ(json::read<std::int64_t>("-9223372036854775808").value(), INT64_MIN);
}

TEST(Json, WritesWhatIsNoNumberAsText) {
  EXPECT_EQ(json::write(std::nan("")), "\"NaN\"");
  EXPECT_EQ(json::write(-std::numeric_limits<float>::infinity()), "\"-Infinity\"");
  EXPECT_TRUE(std::isnan(json::read<double>("\"NaN\"").value()));
  EXPECT_EQ(json::read<double>("\"Infinity\"").value(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(json::read<float>("\"-Infinity\"").value(), -std::numeric_limits<float>::infinity());
}

template <class T>
std::string refusal(std::string_view text) {
  const auto value = json::read<T>(text);
  return value ? "" : std::string(value.error().message());
}

TEST(Json, KeepsToTheRangeOfANumber) {
  EXPECT_EQ(json::read<std::int8_t>("-128").value(), -128);
  EXPECT_EQ(refusal<std::int8_t>("128"), "expected int8, found number 128");
  EXPECT_EQ(refusal<std::uint16_t>("-1"), "expected uint16, found number -1");
  EXPECT_EQ(refusal<std::uint32_t>("4294967296"), "expected uint32, found number 4294967296");
  EXPECT_EQ(refusal<std::int64_t>("9223372036854775808"),
            "expected int64, found number 9223372036854775808");
  EXPECT_EQ(refusal<std::int32_t>("1.0"), "expected int32, found number 1.0");
  EXPECT_EQ(refusal<std::int32_t>("\"1\""), "expected int32, found text \"1\"");
  EXPECT_EQ(refusal<double>("1e999"), "expected float64, found number 1e999");
  EXPECT_EQ(refusal<float>("1e39"), "expected float32, found number 1e39");
  EXPECT_EQ(refusal<bool>("0"), "expected true or false, found number 0");
}

TEST(Json, ReadsBase64Strictly) {
  EXPECT_EQ(json::read<Bytes>("\"\"").value(), Bytes{});
  EXPECT_EQ(json::read<Bytes>("\"+/+/\"").value(), (Bytes{0xfb, 0xff, 0xbf}));
  for (const char* wrong : {"\"A\"", "\"AA\"", "\"AAA\"", "\"AB==\"", "\"AAB=\"", "\"A===\"",
                            "\"====\"", "\"AA=A\"", "\"-_-_\"", "\"AA A\"", "\"AAAA=\""}) {
    EXPECT_FALSE(json::read<Bytes>(wrong)) << wrong;
  }
  for (std::size_t size = 0; size < 20; size++) {
    Bytes bytes;
    for (std::size_t i = 0; i < size; i++)
      bytes.push_back(static_cast<std::uint8_t>(i * 37 + size));
    EXPECT_EQ(json::read<Bytes>(json::write(bytes)).value(), bytes);
  }
}

TEST(Json, KeepsJsonAsItStands) {
  const Json inner{R"({ "a" : [1.50, 1e2] })"};
  EXPECT_EQ(json::write(std::vector<Json>{inner, {"null"}}), "[" + inner.text + ",null]");
  EXPECT_EQ(json::read<std::vector<Json>>("[ " + inner.text + " ]").value().front(), inner);
  EXPECT_EQ(json::write(Json{"no json"}), "\"no json\"");
}

TEST(Json, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(json::write(std::string("a\xff\xc3z")), "\"a\ufffd\ufffdz\"");
}

}  // namespace
}  // namespace tenon
