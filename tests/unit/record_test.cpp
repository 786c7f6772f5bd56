// SPDX-License-Identifier: BSL-1.0
//
// Conversion of records and parameters between their versions.
#include <tenon/call.hpp>
#include <tenon/parameter.hpp>
#include <tenon/parameter_steps.hpp>
#include <tenon/record.hpp>
#include <tenon/record_steps.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tenon { namespace {

template <class To, class From, class Convert>
To converted(const From& from, Convert convert, Keep keep = Keep::everything) {
  Call call;
  const auto raw = Value<From>::template raw<Copy::shallow>(call.raw(), from);
  RawOf<To> result{};
  EXPECT_EQ(convert(call.raw(), raw, result, keep), TENON_OK);
  return Value<To>::own(result);
}
RecordV2 to_2(const RecordV1& record) {
  return converted<RecordV2>(record, convert_record_1_to_2);
}
RecordV1 to_1(const RecordV2& record) {
  return converted<RecordV1>(record, convert_record_2_to_1);
}
ParameterV2 to_2(const ParameterV1& parameter) {
  return converted<ParameterV2>(parameter, convert_parameter_1_to_2);
}
ParameterV1 to_1(const ParameterV2& parameter) {
  return converted<ParameterV1>(parameter, convert_parameter_2_to_1);
}

/// A bag with an entry of an unknown field.
constexpr std::string_view stranger = R"({"size@7":{"type":"int32","value":1}})";

RecordV1 record() {
  RecordV1 record;
  record.position = to_bytes("12");
  record.metadata = {{"opencdc.collection", "users"}};
  record.created_at = Timestamp(Duration(1700000000000000001));
  record.key = to_bytes("key");
  record.payload = to_bytes("payload");
  record.bag = to_bytes(stranger);
  return record;
}

TEST(Record, ConvertsToVersion2) {
  const RecordV2 newer = to_2(record());
  EXPECT_EQ(newer.position, to_bytes("12"));
  EXPECT_EQ(newer.operation, RecordV2::Operation::Create);
  EXPECT_EQ(newer.metadata, (TextMap{{"opencdc.collection", "users"},
                                     {"opencdc.createdAt", "1700000000000000001"}}));
  EXPECT_EQ(newer.key, to_bytes("key"));
  EXPECT_EQ(newer.payload, (RecordV2::Change{std::nullopt, to_bytes("payload")}));
  EXPECT_EQ(newer.bag, to_bytes(stranger));
}

TEST(Record, RoundTripsThroughVersion2) {
  EXPECT_EQ(to_1(to_2(record())), record());
  EXPECT_EQ(to_1(to_2(RecordV1{})), RecordV1{});

  RecordV1 empty = record();  // empty is not absent
  empty.key = empty.payload = Bytes();
  EXPECT_EQ(to_1(to_2(empty)), empty);
}

TEST(Record, RoundTripsTimesOfAnySize) {
  for (std::int64_t time :
       {std::int64_t{0}, std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    RecordV1 older;
    older.created_at = Timestamp(Duration(time));
    EXPECT_EQ(to_2(older).metadata.at("opencdc.createdAt"), std::to_string(time));
    EXPECT_EQ(to_1(to_2(older)), older);
  }
}

TEST(Record, ConvertsToVersion1) {
  RecordV2 newer;
  newer.operation = RecordV2::Operation::Delete;
  newer.payload.before = to_bytes("before");
  newer.metadata = {{"opencdc.createdAt", "17"}, {"k", "v"}};
  const RecordV1 older = to_1(newer);
  EXPECT_EQ(older.payload, std::nullopt);
  EXPECT_EQ(older.created_at, Timestamp(Duration(17)));
  EXPECT_EQ(older.metadata, (TextMap{{"k", "v"}}));
  EXPECT_EQ(to_2(older), newer);
  const auto alone = converted<RecordV1>(newer, convert_record_2_to_1, Keep::nothing);
  EXPECT_EQ(alone.bag, Bytes());
}

TEST(Record, RefusesInvalidBags) {
  const auto status_of = [](std::string_view bag) {
    RecordV2 tampered;
    tampered.bag = to_bytes(bag);
    Call call;
    const auto raw = Value<RecordV2>::raw<Copy::shallow>(call.raw(), tampered);
    tenon_record_v1 result{};
    const tenon_status status = convert_record_2_to_1(call.raw(), raw, result);
    return std::to_string(TENON_CODE(status)) + ": " + std::string(call.message());
  };
  EXPECT_EQ(status_of("[]"), "3: bag: expected object, found array");
  EXPECT_EQ(status_of("nothing"), "3: bag: unexpected 'n' (1:1)");
}

TEST(Record, RefusesBagEntriesOfWrongTypes) {
  const auto error_of = [](std::string_view bag) {
    RecordV1 tampered;
    tampered.bag = to_bytes(bag);
    Call call;
    const auto raw = Value<RecordV1>::raw<Copy::shallow>(call.raw(), tampered);
    tenon_record_v2 result{};
    EXPECT_EQ(convert_record_1_to_2(call.raw(), raw, result), TENON_INVALID_ARGUMENT);
    return std::string(call.message());
  };
  EXPECT_EQ(error_of(R"({"operation@2":{"type":"int32","value":1}})"),
            "bag.operation@2.type: expected operation, found int32");
  EXPECT_EQ(error_of(R"({"operation@2":{"type":"operation","value":1}})"),
            "bag.operation@2.value: expected text, found number 1");
  EXPECT_EQ(error_of(R"({"payload@2":{"type":"change","value":{"before":[]}}})"),
            "bag.payload@2.value.before: expected text in base64, found array");
}

TEST(Record, KeepsInvalidTimesInTheMetadata) {
  for (const char* text : {"yesterday", "", "017", "+17", "17 ", "99999999999999999999", "-0"}) {
    RecordV2 newer;
    newer.metadata = {{"opencdc.createdAt", text}};
    const RecordV1 older = to_1(newer);
    EXPECT_EQ(older.created_at, std::nullopt) << text;
    EXPECT_EQ(to_2(older).metadata, newer.metadata);
  }
}

TEST(Record, ReplacesATimeInTheMetadata) {
  RecordV1 older;
  older.metadata = {{"opencdc.createdAt", "1"}};
  older.created_at = Timestamp(Duration(2));
  EXPECT_EQ(to_2(older).metadata, (TextMap{{"opencdc.createdAt", "2"}}));
}

TEST(Record, DropsEntriesThatVersion1DoesNotNeed) {
  RecordV2 newer;
  newer.bag = to_bytes(R"({"operation@2":{"type":"operation","value":"odd"},)"
                       R"("payload@2":{"type":"change","value":{"before":"aGk="}}})");
  for (const char* after : {"", "hi"}) {
    if (*after != 0) newer.payload.after = to_bytes(after);
    const RecordV2 back = to_2(to_1(newer));
    EXPECT_EQ(back.operation, newer.operation);
    EXPECT_EQ(back.payload, newer.payload);
    EXPECT_EQ(back.bag, Bytes());
  }
}

TEST(Parameter, DropsAnEntryThatVersion1DoesNotNeed) {
  ParameterV2 newer;
  newer.bag = to_bytes(R"({"validations@2":{"type":"list<validation>","value":[)"
                       R"({"type":"less-than","value":"5"}]}})");
  EXPECT_EQ(to_2(to_1(newer)).validations, newer.validations);
}

TEST(Parameter, ConvertsRequiredToAValidation) {
  const ParameterV1 older{"7", true, "How many.", ParameterV1::Type::Int, to_bytes(stranger)};
  const ParameterV2 newer = to_2(older);
  EXPECT_EQ(newer.default_value, "7");
  EXPECT_EQ(newer.type, ParameterV2::Type::Int);
  EXPECT_EQ(newer.validations,
            (std::vector<ParameterV2::Validation>{{ParameterV2::Rule::Required, ""}}));
  EXPECT_EQ(to_1(newer), older);
}

TEST(Parameter, IsNotRequiredWithoutThatValidation) {
  EXPECT_EQ(to_2(ParameterV1{}).validations, std::vector<ParameterV2::Validation>{});
  ParameterV2 newer;
  newer.validations = {{ParameterV2::Rule::LessThan, "5"}};
  EXPECT_FALSE(to_1(newer).required);
  newer.validations.push_back({ParameterV2::Rule::Required, ""});
  EXPECT_TRUE(to_1(newer).required);
}

}}  // namespace tenon
