// SPDX-License-Identifier: BSL-1.0
//
// Requests and responses that the command `tenon` lays out from specs, compared with the structs
// that a C compiler lays out from the generated headers. SPECS is the directory of the specs, ABI
// that of the standard ones.
#include "message.hpp"

#include <tenon/call.hpp>
#include <tenon/values.hpp>

#include <gtest/gtest.h>
#include <test/all_types/v1.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "call/message_check.hpp"
#include "example_requests.hpp"
#include "gen/load.hpp"
#include "method_plan.hpp"

namespace tenon::tests { namespace {

using command::ConstantPool;
using command::Example;
using Request = test_all_types_v1_echo_request;
using Response = test_all_types_v1_echo_response;

gen::Model load(const std::vector<std::string>& directories) {
  gen::Diagnostics problems;
  gen::Model model = gen::load_specs(
      {.directories = directories, .standard_specs = ABI, .frozen = false}, problems);
  EXPECT_TRUE(problems.empty()) << tools::to_text(problems.all().front());
  return model;
}

const gen::KindVersion& find(const gen::Model& model, std::string_view id) {
  return (*std::ranges::find_if(model.kinds, [id](const auto& kind) { return kind->id == id; }))
      ->latest();
}

/// Makes required streams optional, which does not change the layout.
void make_streams_optional(std::vector<gen::Field>& fields) {
  for (gen::Field& field : fields) {
    if (field.type.shape != gen::Shape::reader && field.type.shape != gen::Shape::writer) continue;
    auto stream = std::make_shared<gen::Type>(field.type);
    field.type = {.shape = gen::Shape::optional, .element = std::move(stream)};
  }
}

/// The method `echo`, which has fields of all types.
const gen::Method& echo() {
  static const gen::Model model = load({SPECS "/all_types", SPECS "/entry"});
  static const gen::Method method = [] {
    gen::Method copy = *find(model, "test.example/all_types").find("echo");
    make_streams_optional(copy.request);
    make_streams_optional(copy.response);
    return copy;
  }();
  return method;
}

std::string_view text(tenon_string value) {
  return {value.data, value.size};
}
std::string_view text(tenon_bytes value) {
  return BytesView(value.data, value.size).text();
}
std::string_view text(const tenon_list& list, std::size_t i) {
  return text(TENON_AT(tenon_string, list, i));
}

/// All fields that are not streams, as JSON without the brackets of the object.
const std::string pair_json =
    R"({"name":"n","colour":"delete","position":{"position":"cA==","metadata":{"k":"v"},)"
    R"("created_at":-5}})";
const std::string required_json =
    R"("a_bool":true,"a_int8":-128,"a_int16":-32768,"a_int32":-2147483648,)"
    R"("a_int64":-9223372036854775808,"a_uint8":255,"a_uint16":65535,"a_uint32":4294967295,)"
    R"("a_uint64":18446744073709551615,"a_float32":0.1,"a_float64":-1e+300,"a_string":"text",)"
    R"("a_bytes":"AP8=","a_duration":-1,"a_timestamp":1700000000000000001,"a_json":{"x":[1]},)"
    R"("an_enum":"green","a_struct":)" +
    pair_json +
    R"(,"a_document":{"title":"t","state":"stale","notes":[{"text":"one","at":7}],"tag":"",)"
    R"("flags":["stale","fresh"],"was":"","record":{"position":"","metadata":{}},"retyped":3},)"
    R"("a_standard_document":{"position":"cA==","operation":"delete","metadata":{"k":"v"},)"
    R"("key":"a2V5","payload":{"after":"YQ=="},"bag":{"x@9":{"type":"string","value":"y"}}},)"
    R"("a_list":[1,-2,3],"a_list_of_text":["a",""],"a_list_of_lists":[["a"],[]],)"
    R"("a_list_of_structs":[)" +
    pair_json +
    R"(],"a_list_of_documents":[],"a_list_of_bool":[true,false],"a_list_of_enums":["red","delete"],)"
    R"("a_map":{"half":0.5},"a_map_of_text":{"k":"v"},"a_map_of_lists":{"l":["YQ==",""]},)"
    R"("a_map_of_structs":{"p":)" +
    pair_json + "}";
const std::string optional_json =
    R"("no_bool":false,"no_int8":-1,"no_int16":-2,"no_int32":-3,"no_int64":-4,"no_uint8":1,)"
    R"("no_uint16":2,"no_uint32":3,"no_uint64":4,"no_float32":"NaN","no_float64":"-Infinity",)"
    R"("no_string":"","no_bytes":"","no_duration":5,"no_timestamp":6,"no_json":null,)"
    R"("no_enum":"red","no_struct":)" +
    pair_json +
    R"(,"no_document":{"title":"","state":"fresh","notes":[],"tag":"","flags":[],"was":"",)"
    R"("record":{"position":"","metadata":{}},"retyped":0},"no_list":[],"no_map":{})";

const Request& read(Call& call, const std::string& json) {
  auto request = command::read_request(call.raw(), echo().request, json);
  if (!request) ADD_FAILURE() << request.error().to_string();
  return *static_cast<const Request*>(request.value());
}

std::string problem_of(const std::string& fields) {
  Call call;
  const auto request = command::read_request(call.raw(), echo().request, fields);
  if (request) return "";
  return std::string(request.error().where()) + ": " + std::string(request.error().message());
}

void expect_pair(const test_all_types_v1_pair& pair) {
  EXPECT_EQ(text(pair.name), "n");
  EXPECT_EQ(pair.colour, TEST_ALL_TYPES_V1_COLOUR_DELETE);
  EXPECT_EQ(text(pair.position.position), "p");
  EXPECT_EQ(text(tenon_get(pair.position.metadata, "k")), "v");
  ASSERT_NE(pair.position.created_at, nullptr);
  EXPECT_EQ(*pair.position.created_at, -5);
  EXPECT_EQ(pair.position.key.data, nullptr) << "optional";
}

TEST(CallRequests, LayOutNumbersLikeC) {
  Call call;
  const Request& request =
      read(call, "{" + required_json + R"(,"a_buffer":"YWI=","joined_later":9})");
  EXPECT_EQ(request.struct_size, sizeof(Request));
  EXPECT_EQ(request.a_bool, 1);
  EXPECT_EQ(request.a_int8, INT8_MIN);
  EXPECT_EQ(request.a_int16, INT16_MIN);
  EXPECT_EQ(request.a_int32, INT32_MIN);
  EXPECT_EQ(request.a_int64, INT64_MIN);
  EXPECT_EQ(request.a_uint8, UINT8_MAX);
  EXPECT_EQ(request.a_uint16, UINT16_MAX);
  EXPECT_EQ(request.a_uint32, UINT32_MAX);
  EXPECT_EQ(request.a_uint64, UINT64_MAX);
  EXPECT_EQ(request.a_float32, 0.1F);
  EXPECT_EQ(request.a_float64, -1e300);
  EXPECT_EQ(request.a_duration, -1);
  EXPECT_EQ(request.a_timestamp, 1700000000000000001);
  EXPECT_EQ(request.an_enum, TEST_ALL_TYPES_V1_COLOUR_GREEN);
  EXPECT_EQ(request.a_buffer.size, 2U);
  EXPECT_EQ(request.no_reader, nullptr);
  ASSERT_NE(request.joined_later, nullptr);
  EXPECT_EQ(*request.joined_later, 9);
}

TEST(CallRequests, LayOutTextsListsAndMapsLikeC) {
  Call call;
  const Request& request = read(call, "{" + required_json + R"(,"a_buffer":""})");
  EXPECT_EQ(text(request.a_string), "text");
  EXPECT_EQ(text(request.a_bytes), std::string_view("\0\xff", 2));
  EXPECT_EQ(text(request.a_json), R"({"x":[1]})");
  ASSERT_EQ(request.a_list.count, 3U);
  EXPECT_EQ(TENON_AT(std::int32_t, request.a_list, 1), -2);
  ASSERT_EQ(request.a_list_of_text.count, 2U);
  EXPECT_EQ(text(request.a_list_of_text, 0), "a");
  EXPECT_NE(TENON_AT(tenon_string, request.a_list_of_text, 1).data, nullptr) << "not absent";
  EXPECT_EQ(text(TENON_AT(tenon_list, request.a_list_of_lists, 0), 0), "a");
  EXPECT_EQ(TENON_AT(std::uint8_t, request.a_list_of_bool, 0), 1);
  EXPECT_EQ(TENON_AT(std::int32_t, request.a_list_of_enums, 1), TEST_ALL_TYPES_V1_COLOUR_DELETE);
  EXPECT_NE(request.a_list_of_documents.data, nullptr) << "not absent";
  EXPECT_EQ(TENON_AT(double, request.a_map.values, 0), 0.5);
  EXPECT_EQ(text(tenon_get(request.a_map_of_text, "k")), "v");
  EXPECT_EQ(text(TENON_AT(tenon_bytes, TENON_AT(tenon_list, request.a_map_of_lists.values, 0), 0)),
            "a");
}

TEST(CallRequests, LayOutStructsAndDocumentsLikeC) {
  Call call;
  const Request& request = read(call, "{" + required_json + R"(,"a_buffer":""})");
  expect_pair(request.a_struct);
  expect_pair(TENON_AT(test_all_types_v1_pair, request.a_list_of_structs, 0));
  expect_pair(TENON_AT(test_all_types_v1_pair, request.a_map_of_structs.values, 0));
  const test_entry_v1& entry = request.a_document;
  EXPECT_EQ(text(entry.title), "t");
  EXPECT_EQ(entry.state, TEST_ENTRY_V1_STATE_STALE);
  EXPECT_EQ(*TENON_AT(test_entry_v1_note, entry.notes, 0).at, 7);
  EXPECT_EQ(entry.last, nullptr);
  EXPECT_EQ(entry.retyped, 3);
  const tenon_record_v2& record = request.a_standard_document;
  EXPECT_EQ(record.operation, TENON_RECORD_V2_OPERATION_DELETE);
  EXPECT_EQ(text(record.payload.after), "a");
  EXPECT_EQ(record.payload.before.data, nullptr);
  EXPECT_EQ(text(record.bag), R"({"x@9":{"type":"string","value":"y"}})");
}

TEST(CallRequests, LayOutOptionalFieldsLikeC) {
  Call call;
  const Request& without = read(call, "{" + required_json + R"(,"a_buffer":"","no_int8":null})");
  EXPECT_EQ(without.no_int8, nullptr);
  EXPECT_EQ(without.no_string.data, nullptr);
  EXPECT_EQ(without.no_list.data, nullptr);
  EXPECT_EQ(without.no_struct, nullptr);
  const Request& with =
      read(call, "{" + required_json + R"(,"a_buffer":"",)" + optional_json + "}");
  EXPECT_EQ(*with.no_bool, 0);
  EXPECT_EQ(*with.no_int8, -1);
  EXPECT_EQ(*with.no_uint64, 4U);
  EXPECT_NE(*with.no_float32, *with.no_float32) << "NaN";
  EXPECT_NE(with.no_string.data, nullptr);
  EXPECT_NE(with.no_list.data, nullptr);
  EXPECT_EQ(text(with.no_json), "null");
  expect_pair(*with.no_struct);
}

TEST(CallRequests, MayLeaveOutFieldsOfDocuments) {
  std::string json = required_json;
  const std::string_view title = R"("title":"t",)";
  json.erase(json.find(title), title.size());
  Call call;
  const Request& request = read(call, "{" + json + R"(,"a_buffer":""})");
  EXPECT_NE(request.a_document.title.data, nullptr);
  EXPECT_EQ(request.a_document.title.size, 0U);
}

TEST(CallRequests, ReportWrongValuesWithTheirPaths) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string json = "{" + required_json + R"(,"a_buffer":""})";
    const std::size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return problem_of(json.replace(at, from.size(), to));
  };
  EXPECT_EQ(with(R"("a_int8":-128)", R"("a_int8":-129)"),
            "a_int8: expected int8, found number -129");
  EXPECT_EQ(with(R"("a_uint64":18446744073709551615)", R"("a_uint64":-1)"),
            "a_uint64: expected uint64, found number -1");
  EXPECT_EQ(with(R"("a_duration":-1)", R"("a_duration":"1s")"),
            "a_duration: expected duration in nanoseconds, found text \"1s\"");
  EXPECT_EQ(with(R"("a_bool":true)", R"("a_bool":1)"),
            "a_bool: expected true or false, found number 1");
  EXPECT_EQ(with(R"("a_bytes":"AP8=")", R"("a_bytes":"AP8")"),
            "a_bytes: expected text in base64, found text \"AP8\"");
  EXPECT_EQ(with(R"("a_list":[1,-2,3])", R"("a_list":[1,null])"),
            "a_list[1]: expected int32, found null");
  EXPECT_EQ(with(R"("colour":"delete")", R"("colour":"blue")"),
            "a_struct.colour: expected one of 'red', 'green' and 'delete', found text \"blue\"");
  EXPECT_EQ(with(R"("a_int16":-32768,)", ""), "a_int16: is missing, needed int16");
  EXPECT_EQ(with(R"("name":"n",)", ""), "a_struct.name: is missing, needed string");
  EXPECT_EQ(with(R"("title":"t")", R"("titel":"t")"),
            "a_document.titel: is not a field; did you mean 'title'?");
  EXPECT_EQ(with(R"("a_buffer":"")", R"("a_buffer":"","a_reader":"x")"),
            "a_reader: expected no stream, which JSON cannot express, found text \"x\"");
  EXPECT_EQ(problem_of("[]"), ": expected object, found array");
  EXPECT_NE(problem_of("{").find("1:2"), std::string::npos) << problem_of("{");
}

TEST(CallResponses, AreReadFromTheLayoutOfC) {
  Call call;
  const Request& request =
      read(call, "{" + required_json + R"(,"a_buffer":"YWI=",)" + optional_json + "}");
  // Both structs have the same fields up to the streams.
  Response response{};
  std::memcpy(static_cast<void*>(&response), &request, offsetof(Response, a_reader));
  response.struct_size = sizeof response;
  static_assert(offsetof(Response, no_map) == offsetof(Request, no_map));
  response.joined_later = tenon_text("later");
  const auto written = command::write_result(echo(), &request, &response);
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_EQ(*written, R"({"a_buffer":"YWI=",)" + required_json + "," + optional_json +
                          R"(,"joined_later":"later"})");
}

TEST(CallResponses, MayEndBeforeFieldsThatWereAdded) {
  Call call;
  const Request& request = read(call, "{" + required_json + R"(,"a_buffer":""})");
  Response response{};
  std::memcpy(static_cast<void*>(&response), &request, offsetof(Response, a_reader));
  response.struct_size = offsetof(Response, joined_later);
  response.joined_later = tenon_text("past the end");
  const auto written = command::write_result(echo(), &request, &response);
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_EQ(*written, R"({"a_buffer":"",)" + required_json + "}");
}

TEST(CallResponses, ReportWrongValuesWithTheirPaths) {
  Call call;
  const Request& request = read(call, "{" + required_json + R"(,"a_buffer":""})");
  Response response{};
  std::memcpy(static_cast<void*>(&response), &request, offsetof(Response, a_reader));
  response.struct_size = sizeof response;
  const std::uint8_t flags[] = {1, 2};
  response.a_list_of_bool = {flags, 2, 1};
  const auto written = command::write_result(echo(), &request, &response);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().where(), "a_list_of_bool[1]");
  EXPECT_EQ(written.error().message(), "is 2, and a bool is 0 or 1");
}

TEST(CallResponses, AreCheckedByTheirDescription) {
  ConstantPool pool;
  MethodInfo info{"echo", 0, false, nullptr};
  info.request = command::described_fields(echo().request, pool);
  info.response = command::described_fields(echo().response, pool);
  Call call;
  const Request& request = read(call, "{" + required_json + R"(,"a_buffer":""})");
  auto* response = static_cast<Response*>(tenon_allocate_zeroed(call.raw(), sizeof(Response)));
  std::memcpy(static_cast<void*>(response), &request, offsetof(Response, a_reader));
  response->struct_size = sizeof(Response);
  EXPECT_EQ(detail::problem_of_response({info, nullptr, call, &request}, response), "");
  response->a_struct.name = {nullptr, 3};
  EXPECT_EQ(detail::problem_of_response({info, nullptr, call, &request}, response),
            "a_struct.name has a size and no data");
}

TEST(CallExamples, AreValidRequests) {
  for (const Example example :
       {Example::empty, Example::small, Example::lowest, Example::highest}) {
    Call call;
    const Request& request = read(call, command::example_request(echo().request, example));
    EXPECT_EQ(request.no_struct != nullptr, example != Example::empty);
    EXPECT_EQ(request.a_list.count, example == Example::small     ? 1U
                                    : example == Example::highest ? 3U
                                                                  : 0U);
    EXPECT_EQ(request.no_reader, nullptr);
  }
}

TEST(CallExamples, HaveTheBoundsOfTheirTypes) {
  Call call;
  const Request& lowest = read(call, command::example_request(echo().request, Example::lowest));
  EXPECT_EQ(lowest.a_int64, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(lowest.a_uint64, 0U);
  EXPECT_EQ(lowest.a_duration, 0);
  const Request& highest = read(call, command::example_request(echo().request, Example::highest));
  EXPECT_EQ(highest.a_int64, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(highest.a_uint64, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(highest.a_float64, std::numeric_limits<double>::max());
  EXPECT_EQ(highest.a_string.size, 4096U);
}

TEST(GeneratedRequests, AreValidAndDifferent) {
  const auto requests = command::generated_requests(echo().request, 1, 200);
  EXPECT_EQ(requests.size(), 200U);
  for (const std::string& request : requests) {
    Call call;
    read(call, request);
    EXPECT_EQ(std::ranges::count(requests, request), 1) << request;
  }
}

TEST(GeneratedRequests, FollowFromTheSeed) {
  const auto requests = command::generated_requests(echo().request, 1, 200);
  EXPECT_EQ(command::generated_requests(echo().request, 1, 200), requests);
  EXPECT_NE(command::generated_requests(echo().request, 2, 200), requests);
  EXPECT_EQ(command::generated_requests({}, 1, 200), std::vector<std::string>{"{}"});
}

TEST(GeneratedRequests, HaveEachFieldAtItsBounds) {
  const std::vector<gen::Field> fields = {{.name = "a", .type = {.shape = gen::Shape::int8}},
                                          {.name = "b", .type = {.shape = gen::Shape::uint8}}};
  EXPECT_EQ(
      command::generated_requests(fields, 1, 8),
      (std::vector<std::string>{R"({"a":0,"b":0})", R"({"a":1,"b":1})", R"({"a":-128,"b":0})",
                                R"({"a":127,"b":255})", R"({"a":-128,"b":1})", R"({"a":127,"b":1})",
                                R"({"a":1,"b":0})", R"({"a":1,"b":255})"}));
}

std::vector<std::string> names_before(const gen::KindVersion& kind, std::string_view method) {
  const auto before = command::methods_before(kind, *kind.find(method));
  std::vector<std::string> names;
  if (!before) names.emplace_back("none");
  for (const gen::Method* one : before.value_or(std::vector<const gen::Method*>())) {
    names.push_back(one->name);
  }
  return names;
}

TEST(MethodPlan, LeadsToTheStateOfAMethod) {
  const gen::Model standard = load({ABI});
  const gen::KindVersion& source = find(standard, "tenon.dev/source");
  using Names = std::vector<std::string>;
  EXPECT_EQ(names_before(source, "configure"), Names());
  EXPECT_EQ(names_before(source, "open"), Names({"configure"}));
  EXPECT_EQ(names_before(source, "read_batch"), Names({"configure", "open"}));
  EXPECT_EQ(names_before(source, "teardown"), Names({"configure"}));
  EXPECT_EQ(names_before(source, "on_deleted"), Names({"configure"}));
  const gen::KindVersion& store = find(standard, "tenon.dev/object_store");
  EXPECT_EQ(names_before(store, "get_object"), Names({"configure"}));
  const gen::KindVersion& specifier = find(standard, "tenon.dev/specifier");
  EXPECT_EQ(names_before(specifier, "specify"), Names());
}

TEST(MethodPlan, EndsIfNoMethodLeadsThere) {
  const gen::Model model = load({SPECS "/all_types", SPECS "/entry"});
  gen::KindVersion& kind = *model.kinds.front()->versions.front();
  auto& methods = kind.methods;
  const auto wait = std::ranges::find(methods, "wait", &gen::Method::name);
  wait->from = {"created"};
  EXPECT_EQ(names_before(kind, "wait"), std::vector<std::string>()) << "before configure";
  wait->from = {"nowhere"};
  EXPECT_EQ(names_before(kind, "wait"), std::vector<std::string>({"none"}));
}

}}  // namespace tenon::tests
