// SPDX-License-Identifier: BSL-1.0
//
// Conversion of documents to JSON and back, and errors of invalid documents.
#include <tenon/call.hpp>
#include <tenon/detail/json.hpp>
#include <tenon/detail/owned_documents.hpp>
#include <tenon/detail/storage.hpp>
#include <tenon/parameter_json.hpp>
#include <tenon/parameter_storage.hpp>
#include <tenon/record_json.hpp>
#include <tenon/specification_json.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace tenon { namespace {

using namespace std::string_literals;

RecordV2 record() {
  RecordV2 record;
  record.position = {0, 1, 254, 255};
  record.operation = RecordV2::Operation::Snapshot;
  record.metadata = {{"a \"quoted\" key", "line\nbreak, tab\t, \\ and \x01"},
                     {"umlaut", "\u00e4\u20ac\U0001f600"}};
  record.payload.after = to_bytes("after");
  record.bag = to_bytes(R"({"size@7":{"type":"int32","value":1.50}})");
  return record;
}

TEST(Json, WritesARecord) {
  EXPECT_EQ(to_json(record()).value(),
            R"({"position":"AAH+/w==","operation":"snapshot","metadata":{)"
            R"("a \"quoted\" key":"line\nbreak, tab\t, \\ and \u0001","umlaut":")"
            "\u00e4\u20ac\U0001f600"
            R"("},"payload":{"after":"YWZ0ZXI="},"bag":{"size@7":{"type":"int32","value":1.50}}})");
  RecordV1 older;
  older.created_at = Timestamp(Duration(-1700000000000000001));
  EXPECT_EQ(to_json(older).value(),
            R"({"position":"","metadata":{},"created_at":-1700000000000000001})");
}

TEST(Json, ReadsWhatItWrites) {
  EXPECT_EQ(record_v2_from_json(to_json(record()).value()).value(), record());
  EXPECT_EQ(record_v2_from_json(to_json(RecordV2{}).value()).value(), RecordV2{});

  RecordV2 empty;  // empty is not absent
  empty.key = Bytes();
  empty.payload.before = Bytes();
  EXPECT_EQ(record_v2_from_json(to_json(empty).value()).value(), empty);

  SpecificationV1 specification;
  specification.name = "me.example/tap";
  specification.source_parameters = {
      {"path", {"", "Where.", ParameterV2::Type::File, {{ParameterV2::Rule::Required, ""}}, {}}}};
  EXPECT_EQ(specification_v1_from_json(to_json(specification).value()).value(), specification);
}

TEST(Json, ReadsSpacesAndEscapes) {
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

TEST(Json, ReportsTheLocationOfAWrongValue) {
  const Wrong cases[] = {
      {"[]", "", "expected object, found array"},
      {R"({"position":1,"operation":"create","metadata":{},"payload":{}})", "position",
       "expected text in base64, found number 1"},
      {R"({"position":"","operation":7,"metadata":{},"payload":{}})", "operation",
       "expected text, found number 7"},
      {R"({"position":"","operation":"create","metadata":{"a":"b","c d":true},"payload":{}})",
       R"(metadata["c d"])", "expected text, found true"},
      {R"({"position":"","operation":"create","metadata":{},"payload":{"beside":1}})",
       "payload.beside", "not a field of this type"},
      {R"({"position":"","operation":"create","metadata":{},"payload":{},"bags":""})", "bags",
       "not a field of this type"},
      {R"({"bag":{"x@1":{"type":"int32"}}})", R"(bag["x@1"].value)", "missing"},
      {R"({"bag":{"x@1":{"value":1}}})", R"(bag["x@1"].type)", "missing"},
      {R"({"bag":{"x@1":{"type":"int32","value":1,"more":1}}})", R"(bag["x@1"].more)",
       "not a key of an entry of a bag"},
      {R"({"bag":{"x":{"type":"int32","value":1}}})", "bag.x",
       "not the name and version of a field, as in size@1"},
      {R"({"bag":"eyJ9"})", "bag", "expected object, found text \"eyJ9\""},
  };
  for (const Wrong& wrong : cases) {
    const auto record = record_v2_from_json(wrong.text);
    ASSERT_FALSE(record) << wrong.text;
    EXPECT_EQ(record.error().code(), "wrong-value");
    EXPECT_EQ(record.error().where(), wrong.where);
    EXPECT_EQ(record.error().message(), wrong.message);
  }
}

TEST(Json, TreatsMissingAndNullAsAbsent) {
  const auto record = record_v2_from_json(R"({"position":null,"payload":{}})");
  ASSERT_TRUE(record) << record.error().to_string();
  EXPECT_EQ(*record, RecordV2{});
}

TEST(Json, PreservesUnknownLiterals) {
  const std::string text = R"({"position":"","operation":"made","metadata":{}})";
  const auto record = record_v2_from_json(text);
  ASSERT_TRUE(record) << record.error().to_string();
  EXPECT_EQ(to_text(record->operation), "");
  EXPECT_EQ(to_json(*record).value(), text);
}

TEST(Json, RefusesInvalidBags) {
  RecordV2 tampered;
  tampered.bag = to_bytes("{\"x@1\":");
  const auto text = to_json(tampered);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().to_string(), "error[wrong-value] bag: incomplete JSON (1:8)");
}

TEST(Json, ReportsTheIndexInAList) {
  const auto parameter =
      parameter_v2_from_json(R"({"default_value":"","description":"","type":"int","validations":[)"
                             R"({"type":"required","value":""},{"type":"regex","value":5}]})");
  ASSERT_FALSE(parameter);
  EXPECT_EQ(parameter.error().to_string(),
            "error[wrong-value] validations[1].value: expected text, found number 5");
}

TEST(Json, ReportsThePositionOfASyntaxError) {
  const Wrong cases[] = {
      {"", "1:1", "incomplete JSON"},
      {"{\n  \"a\": tru }", "2:8", "unexpected 't'"},
      {"{\"a\":1,}", "1:8", "unexpected '}'"},
      {"[1 2]", "1:4", "unexpected '2'"},
      {"{\"a\" 1}", "1:6", "unexpected '1'"},
      {"{\"a\":1,\"\\u0061\":2}", "1:18",
       "the key \"a\" is duplicated in the object that ends here"},
      {"{} x", "1:4", "extra data"},
      {"{}\n\n\n{", "4:1", "extra data"},
      {"01", "1:2", "extra data"},
      {"-", "1:2", "incomplete JSON"},
      {"1.", "1:3", "incomplete JSON"},
      {"1e+", "1:4", "incomplete JSON"},
      {"1e99999999999", "1:12", "exponent overflow"},
      {"+1", "1:1", "unexpected '+'"},
      {"NaN", "1:1", "unexpected 'N'"},
      {"\"a", "1:3", "incomplete JSON"},
      {"\"a\nb\"", "1:3", "unexpected byte 0x0a"},
      {"\"\xc3\xa4\xff\"", "1:3", "unexpected byte 0xff"},
      {"\"\xed\xa0\x80\"", "1:2", "unexpected byte 0xed"},
      {"\"\\n\xc0\x80\"", "1:4", "unexpected byte 0xc0"},
      {"\"\\x\"", "1:3", "unexpected 'x'"},
      {"\"\\ud800\"", "1:8", "unexpected '\"'"},
      {"[\"\\ud800\\u0061, and more\"]", "1:11", "illegal trailing surrogate"},
      {"\"\\udc00\"", "1:8", "illegal trailing surrogate"},
      {"\0"s, "1:1", "unexpected byte 0x00"},
      {"// comment\n1", "1:1", "unexpected '/'"},
      {std::string(65, '['), "1:65", "more than 64 levels"},
  };
  for (const Wrong& wrong : cases) {
    const auto document = json::Parser().parse(wrong.text);
    ASSERT_FALSE(document) << wrong.text;
    EXPECT_EQ(document.error().code(), "not-json");
    EXPECT_EQ(document.error().where(), wrong.where) << wrong.text;
    EXPECT_EQ(document.error().message(), wrong.message) << wrong.text;
  }
}

TEST(Json, FindsDuplicateKeysAmongMany) {
  std::string text = "{\"0\":0";
  for (int i = 1; i < 50; ++i) text += ",\"" + std::to_string(i) + "\":0";
  json::Parser parser;
  EXPECT_TRUE(parser.parse(text + "}"));
  EXPECT_FALSE(parser.parse(text + ",\"31\":0}"));
  EXPECT_TRUE(parser.parse(text + ",\"inner\":{\"31\":0}}"));
}

TEST(Json, RefusesATruncatedDocument) {
  const std::string text = to_json(record()).value();
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(record_v2_from_json(text.substr(0, size)));
  }
}

/// Convert a value in its storage form to JSON and back.
template <class Form>
std::string written(const Form& value) {
  json::Writer out;
  write_stored(out, value);
  return out.take();
}
template <class Form>
Result<Form> read(std::string_view text) {
  Call call;
  Conversion conversion(call.raw());
  json::Parser parser;
  const auto root = parser.parse(text);
  if (!root) return root.error();
  Form value{};
  if (!read_stored(conversion, *root, value)) return parser.take_error();
  return value;
}

TEST(Json, KeepsNumbersExactly) {
  for (double number : {0.0, 1.0, -1.5, 0.1, 1e22, 1e23, 5e-324, 1.7976931348623157e308,
                        9007199254740993.0, 123456789.123456789}) {
    EXPECT_EQ(read<double>(written(number)).value(), number);
  }
  for (float number : {0.1f, 16777217.f, 1e-45f, 3.4028235e38f}) {
    EXPECT_EQ(read<float>(written(number)).value(), number);
  }
  EXPECT_EQ(written(-0.0), "-0.0");
  EXPECT_TRUE(std::signbit(read<double>("-0.0").value()));
  EXPECT_EQ(read<double>("5").value(), 5.0);
  EXPECT_EQ(written(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(read<std::uint64_t>("18446744073709551615").value(), UINT64_MAX);
  EXPECT_EQ(read<std::int64_t>("-9223372036854775808").value(), INT64_MIN);
}

TEST(Json, WritesNanAndInfinityAsText) {
  EXPECT_EQ(written(std::nan("")), "\"NaN\"");
  EXPECT_EQ(written(-std::numeric_limits<float>::infinity()), "\"-Infinity\"");
  EXPECT_TRUE(std::isnan(read<double>("\"NaN\"").value()));
  EXPECT_EQ(read<double>("\"Infinity\"").value(), std::numeric_limits<double>::infinity());
  EXPECT_EQ(read<float>("\"-Infinity\"").value(), -std::numeric_limits<float>::infinity());
}

template <class T>
std::string refusal(std::string_view text) {
  const auto value = read<T>(text);
  return value ? "" : std::string(value.error().message());
}

TEST(Json, EnforcesRangesOfNumbers) {
  EXPECT_EQ(read<std::int8_t>("-128").value(), -128);
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

TEST(Json, ReadsNegativeZeroAsZero) {
  EXPECT_EQ(read<std::int32_t>("-0").value(), 0);
  EXPECT_EQ(read<std::uint32_t>("-0").value(), 0u);
  EXPECT_EQ(read<std::uint64_t>("-0").value(), 0u);
}

TEST(Json, RoundsToTheNearestFloat) {
  EXPECT_EQ(read<double>("9007199254740993").value(), 9007199254740992.0);
  EXPECT_EQ(read<double>("0.1000000000000000055511151231257827").value(), 0.1);
  for (const char* tiny :
       {"1e-400", "-1e-400", "0.1E-99999", "1e-330", "4000000000000000000000e-400"}) {
    const auto value = read<double>(tiny);
    ASSERT_TRUE(value) << tiny;
    EXPECT_EQ(*value, 0.0) << tiny;
    EXPECT_EQ(std::signbit(*value), tiny[0] == '-') << tiny;
  }
  EXPECT_EQ(read<double>("0." + std::string(400, '0') + "1").value(), 0.0);
  EXPECT_EQ(read<float>("1e-60").value(), 0.f);
  for (const char* large : {"1e400", "-1e400", "0.00001e+400", "1e99999"}) {
    EXPECT_EQ(refusal<double>(large), "expected float64, found number " + std::string(large));
  }
}

/// Returns the bytes of a text in base64.
std::optional<Bytes> bytes_of(std::string_view text) {
  Call call;
  json::Parser parser;
  tenon_bytes bytes;
  if (!parser.parse(text).value().read_bytes(call.raw(), bytes)) return std::nullopt;
  return Bytes(bytes.data, bytes.data + bytes.size);
}

TEST(Json, ReadsBase64Strictly) {
  EXPECT_EQ(bytes_of("\"\""), Bytes{});
  EXPECT_EQ(bytes_of("\"+/+/\""), (Bytes{0xfb, 0xff, 0xbf}));
  for (const char* wrong : {"\"A\"", "\"AA\"", "\"AAA\"", "\"AB==\"", "\"AAB=\"", "\"A===\"",
                            "\"====\"", "\"AA=A\"", "\"-_-_\"", "\"AA A\"", "\"AAAA=\""}) {
    EXPECT_FALSE(bytes_of(wrong)) << wrong;
  }
  for (std::size_t size = 0; size < 20; ++size) {
    Bytes bytes;
    for (std::size_t i = 0; i < size; ++i)
      bytes.push_back(static_cast<std::uint8_t>(i * 37 + size));
    EXPECT_EQ(bytes_of(written(tenon_bytes{bytes.data(), bytes.size()})), bytes);
  }
}

StoredJson stored_json(std::string_view text) {
  return {{text.data(), text.size()}};
}

TEST(Json, PreservesJsonExceptSpaces) {
  const std::string inner = R"({ "a" : [1.50, 1e2] })";
  EXPECT_EQ(written(stored_json(inner)), R"({"a":[1.50,1e2]})");
  EXPECT_EQ(written(stored_json("no json")), "\"no json\"");
  json::Parser parser;
  Call call;
  tenon_string text;
  ASSERT_TRUE(parser.parse(inner).value().read_json(call.raw(), text));
  EXPECT_EQ(text_of(text), R"({"a":[1.50,1e2]})");
}

TEST(Json, ReportsTextsThatAreNotJson) {
  json::Writer out;
  out.begin_array();
  out.json(R"({"a":1})");
  EXPECT_EQ(out.problem(), "");
  out.json("no json");
  out.json("{}");
  out.end_array();
  EXPECT_EQ(out.view(), R"([{"a":1},"no json",{}])");
  EXPECT_EQ(out.problem(), "a value of type json is not JSON: unexpected 'n' (1:1)");
  out.clear();
  EXPECT_EQ(out.problem(), "");
}

TEST(Json, WritesJsonThatIsTooDeepAsText) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  json::Parser parser;
  for (std::size_t levels : {63U, 64U}) {
    json::Writer out;
    out.begin_array();
    out.json(nested(levels));
    out.end_array();
    EXPECT_EQ(out.problem().empty(), levels == 63);
    const auto root = parser.parse(out.view());
    ASSERT_TRUE(root) << levels;
    for (const json::Reader& element : root->elements()) {
      EXPECT_EQ(element.form() == json::Form::array, levels == 63);
    }
  }
}

TEST(Json, ReadsIntoTheArenaOfACall) {
  Call call;
  json::Parser parser;
  const auto root = parser.parse(R"({"json": [1.50, {"\u0061": null}], "bytes": "AAH/"})");
  ASSERT_TRUE(root);
  json::Fields fields(*root);
  tenon_bytes bytes;
  ASSERT_TRUE(fields.take("bytes")->read_bytes(call.raw(), bytes));
  EXPECT_EQ(BytesView(bytes.data, bytes.size), BytesView(Bytes{0, 1, 255}));
  tenon_string text;
  ASSERT_TRUE(fields.take("json")->read_json(call.raw(), text));
  EXPECT_EQ(std::string_view(text.data, text.size), R"([1.50,{"a":null}])");
  EXPECT_TRUE(fields.finish());
}

TEST(Json, TakesFieldsInAnyOrder) {
  json::Parser parser;
  const auto root = parser.parse(R"({"a":[{"x":1}],"b":{},"c":3,"d":"4","e":5})");
  ASSERT_TRUE(root);
  for (int round = 0; round < 2; ++round) {  // each Fields object has its own state
    json::Fields fields(*root);
    EXPECT_EQ(fields.take("d")->form(), json::Form::text);
    EXPECT_EQ(fields.take("a")->form(), json::Form::array);
    EXPECT_EQ(fields.take("missing"), nullptr);
    EXPECT_EQ(fields.take("x"), nullptr);
    EXPECT_EQ(fields.take("a"), nullptr);
    EXPECT_EQ(fields.take("b")->form(), json::Form::object);
    std::string rest;
    EXPECT_TRUE(fields.for_each_rest([&](std::string_view key, const json::Reader& value) {
      rest += key;
      return value.form() == json::Form::number;
    }));
    EXPECT_EQ(rest, "ce");
    EXPECT_FALSE(fields.finish());
    EXPECT_EQ(parser.take_error().to_string(), "error[wrong-value] c: not a field of this type");
  }
}

TEST(Json, HasFieldsOnlyInObjects) {
  json::Parser parser;
  for (const char* text : {"[1,2]", "{}", "null"}) {
    const auto root = parser.parse(text);
    ASSERT_TRUE(root);
    json::Fields fields(*root);
    EXPECT_EQ(fields.take("a"), nullptr);
    EXPECT_EQ(fields.finish(), root->form() == json::Form::object) << text;
  }
}

TEST(Json, SeparatesTextsWithEscapes) {
  json::Parser parser;
  const auto root = parser.parse(R"(["\n", "plain", "a\tb", "", "\u00e4\\", {"\/k": "\u20ac"}])");
  ASSERT_TRUE(root);
  json::Writer out;
  out.value(*root);
  EXPECT_EQ(out.view(), "[\"\\n\",\"plain\",\"a\\tb\",\"\",\"\u00e4\\\\\",{\"/k\":\"\u20ac\"}]");
}

TEST(Json, ReportsPathsWithQuotedKeys) {
  json::Parser parser;
  const auto root = parser.parse(R"([{"a": {"b c": [0, [], {"": true}]}}])");
  ASSERT_TRUE(root);
  json::Fields first(*root->elements().begin());
  json::Fields second(*first.take("a"));
  for (const json::Reader& element : second.take("b c")->elements()) {
    if (element.form() != json::Form::object) continue;
    json::Fields third(element);
    EXPECT_FALSE(third.take("")->fail("nothing"));
  }
  EXPECT_EQ(parser.take_error().to_string(),
            "error[wrong-value] [0].a[\"b c\"][2][\"\"]: expected nothing, found true");
}

/// Lenient readers discard most errors. To build the path of each would take hours here.
TEST(Json, BuildsThePathOfOnlyTheLastError) {
  std::string text = "[0";
  for (int i = 1; i < 1'000'000; ++i) text += ",0";
  text += "]";
  json::Parser parser;
  const auto root = parser.parse(text);
  ASSERT_TRUE(root);
  for (const json::Reader element : root->elements()) {
    std::string_view value;
    EXPECT_FALSE(element.read(value));
  }
  EXPECT_EQ(parser.take_error().to_string(),
            "error[wrong-value] [999999]: expected text, found number 0");
}

TEST(Json, WritesToTheGivenBufferThenAllocates) {
  for (std::size_t size = 0; size < 40; ++size) {
    char room[16];
    json::Writer out(room);
    const std::string first(size, 'a');
    const std::string second(2 * size, 'b');
    out.begin_array();
    out.text(first);
    EXPECT_EQ(out.view().data() == room, size + 3 <= sizeof room) << size;
    out.text(second);
    out.end_array();
    const std::string text = "[\"" + first + "\",\"" + second + "\"]";
    EXPECT_EQ(out.view(), text);
    EXPECT_EQ(out.take(), text);
    out.text(first);
    EXPECT_EQ(out.take(), "\"" + first + "\"");
  }
}

TEST(Json, ReplacesInvalidUtf8) {
  EXPECT_EQ(written(tenon_string{"a\xff\xc3z", 4}), "\"a\ufffd\ufffdz\"");
}

/// The library of a type may have been unloaded.
TEST(Json, IsNotStoredWithoutItsType) {
  const auto stored = detail::store<ParameterV2Storage, ParameterV2Storage>(
      "test.example/unloaded", ParameterV2{}, "test 1.0.0");
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code(), "unknown-type");
  EXPECT_EQ(stored.error().found(), "test.example/unloaded");
}

}}  // namespace tenon
