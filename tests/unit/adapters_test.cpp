// SPDX-License-Identifier: BSL-1.0
//
// Results of adapters, with small C vtables as plugins of older versions.
#include <tenon/call.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/values.hpp>

#include <gtest/gtest.h>
#include <test/broken_chain.hpp>
#include <test/carried.hpp>
#include <test/chain.hpp>
#include <test/entry.hpp>
#include <test/evolve_added.hpp>
#include <test/evolve_changed.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapted.hpp"

namespace {

using namespace tenon::tests;
using tenon::Bytes;
using tenon::Copy;
using tenon::Value;

// -- Added methods ------------------------------------------------------------

tenon_status keep(tenon_call* call, void* self, const test_evolve_added_v1_keep_request* in,
                  const test_evolve_added_v1_keep_response** out) {
  if (self != nullptr) *static_cast<const void**>(self) = in;
  if (in->number < 0) return tenon_fail(call, TENON_OUT_OF_RANGE, "too small");
  auto* answer = tenon::new_response<test_evolve_added_v1_keep_response>(call);
  answer->number = in->number;
  *out = answer;
  return TENON_OK;
}
constexpr test_evolve_added_v1 keeper = {sizeof keeper, 1, 0, nullptr, keep};

TEST(Adapters, ForwardUnchangedMethodsWithoutCopying) {
  const void* seen = nullptr;
  Adapted<test_evolve_added_v2> added(test::EvolveAdded::kind(), keeper, 2, &seen);
  tenon::Call call;
  const test_evolve_added_v2_keep_request in{sizeof in, 7};
  const test_evolve_added_v2_keep_response* out = nullptr;
  ASSERT_EQ(added->keep(call.raw(), added.self(), &in, &out), TENON_OK);
  EXPECT_EQ(out->number, 7);
  EXPECT_EQ(seen, &in);  // the struct of the caller, not a copy
}

TEST(Adapters, ReturnDefaultsOfEachType) {
  Adapted<test_evolve_added_v2> added(test::EvolveAdded::kind(), keeper, 2);
  tenon::Call call;
  const test_evolve_added_v2_fixed_request in{sizeof in};
  const test_evolve_added_v2_fixed_response* out = nullptr;
  ASSERT_EQ(added->fixed(call.raw(), added.self(), &in, &out), TENON_OK);
  EXPECT_EQ(out->struct_size, sizeof *out);
  EXPECT_EQ(out->yes, 1);
  EXPECT_EQ(out->small, -8);
  EXPECT_EQ(out->large, UINT64_MAX);
  EXPECT_EQ(out->ratio, .5);
  EXPECT_EQ(own(out->text), "fixed");
  EXPECT_EQ(Value<Bytes>::own(out->raw), (Bytes{0, 1, 255}));
  EXPECT_EQ(out->pause, 1500000000);
  EXPECT_EQ(out->at, 1795219200000000000);
  EXPECT_EQ(own(out->extra), R"({"a":[1,null]})");
  EXPECT_EQ(out->mode, TEST_EVOLVE_ADDED_V2_MODE_CAREFUL);
  EXPECT_EQ(out->point.x, 3);
  EXPECT_EQ(out->point.y, -4);
  EXPECT_EQ(Value<Texts>::own(out->names), (Texts{"a", "b"}));
  EXPECT_EQ((Value<std::map<std::string, std::int32_t, std::less<>>>::own(out->counts)),
            (std::map<std::string, std::int32_t, std::less<>>{{"one", 1}}));
  ASSERT_NE(out->maybe, nullptr);
  EXPECT_EQ(*out->maybe, 7);
  EXPECT_EQ(out->nothing.data, nullptr);

  const test_evolve_added_v2_done_request done{sizeof done};
  EXPECT_EQ(added->done(call.raw(), added.self(), &done), TENON_OK);
}

TEST(Adapters, FailWithUnimplemented) {
  Adapted<test_evolve_added_v2> added(test::EvolveAdded::kind(), keeper, 2);
  tenon::Call call;
  const test_evolve_added_v2_unknown_request in{sizeof in};
  const test_evolve_added_v2_unknown_response* out = nullptr;
  EXPECT_EQ(added->unknown(call.raw(), added.self(), &in, &out), TENON_UNIMPLEMENTED);
  EXPECT_EQ(call.message(), "version 1 of test.example/evolve_added has no unknown");

  const test_evolve_added_v2_refused_request refused{sizeof refused};
  EXPECT_EQ(added->refused(call.raw(), added.self(), &refused), TENON_UNIMPLEMENTED);
  EXPECT_EQ(call.message(), "no work \"outside\" of calls");
}

TEST(Adapters, ReturnTheRegisteredName) {
  tenon::Call call;
  const test_evolve_added_v2_named_response* out = nullptr;
  {
    Adapted<test_evolve_added_v2> added(test::EvolveAdded::kind(), keeper, 2);
    struct Stream : tenon_reader {
      bool released = false;
    } stream{};
    stream.release = [](tenon_reader* self) { static_cast<Stream*>(self)->released = true; };
    const test_evolve_added_v2_named_request in{sizeof in, &stream};
    ASSERT_EQ(added->named(call.raw(), added.self(), &in, &out), TENON_OK);
    EXPECT_TRUE(stream.released);
  }
  EXPECT_EQ(out->struct_size, sizeof *out);
  EXPECT_EQ(own(out->name), "me.example/plugin");
}

TEST(Adapters, CallHooksForAddedMethods) {
  Adapted<test_evolve_added_v2> added(test::EvolveAdded::kind(), keeper, 2);
  tenon::Call call;
  test_evolve_added_v2_worked_request in{sizeof in, 21};
  const test_evolve_added_v2_worked_response* out = nullptr;
  ASSERT_EQ(added->worked(call.raw(), added.self(), &in, &out), TENON_OK);
  EXPECT_EQ(out->twice, 42);

  in.number = -1;
  EXPECT_EQ(added->worked(call.raw(), added.self(), &in, &out), TENON_OUT_OF_RANGE);
  EXPECT_EQ(call.message(), "too small");
}

TEST(Adapters, ListMethodsThatThePluginLacks) {
  EXPECT_EQ(missing(test::EvolveAdded::kind(), 1, 2),
            (Texts{"fixed", "done", "unknown", "refused", "named"}));
  EXPECT_EQ(missing(test::EvolveChanged::kind(), 1, 2), Texts{});
}

// -- Changed methods ----------------------------------------------------------

/// The last request to the plugin of version 1.
struct Seen {
  std::string text;
  std::int32_t level = 0;
  std::size_t struct_size = 0;
  bool gives_answers = true;
};

template <class Request, class Response>
tenon_status echo(tenon_call* call, void* self, const Request* in, const Response** out) {
  auto& seen = *static_cast<Seen*>(self);
  seen.text = own(in->text);
  seen.struct_size = in->struct_size;
  if (seen.text == "fail") return tenon_fail(call, TENON_ABORTED | TENON_RETRYABLE, "not now");
  if (!seen.gives_answers) return TENON_OK;
  auto* answer = tenon::new_response<Response>(call);
  answer->text = in->text;
  *out = answer;
  return TENON_OK;
}

tenon_status shrinks(tenon_call* call, void* self, const test_evolve_changed_v1_shrinks_request* in,
                     const test_evolve_changed_v1_shrinks_response** out) {
  static_cast<Seen*>(self)->level = in->level;
  return echo(call, self, in, out);
}
tenon_status answers(tenon_call* call, void* self, const test_evolve_changed_v1_answers_request* in,
                     const test_evolve_changed_v1_answers_response** out) {
  return echo(call, self, in, out);
}
tenon_status silent(tenon_call*, void* self, const test_evolve_changed_v1_silent_request* in) {
  static_cast<Seen*>(self)->text = own(in->text);
  return TENON_OK;
}
tenon_status signature(tenon_call* call, void*, const test_evolve_changed_v1_signature_request* in,
                       const test_evolve_changed_v1_signature_response** out) {
  auto* answer = tenon::new_response<test_evolve_changed_v1_signature_response>(call);
  answer->size = static_cast<std::int32_t>(in->text.size);
  *out = answer;
  return TENON_OK;
}

test_evolve_changed_v1 changed_plugin() {
  test_evolve_changed_v1 table{};
  table.struct_size = sizeof table;
  table.version = 1;
  table.same = echo;
  table.before = echo;
  table.moved = echo;
  table.grows = echo;
  table.shrinks = shrinks;
  table.answers = answers;
  table.silent = silent;
  table.signature = signature;
  return table;
}

struct ChangedMethods : testing::Test {
  Seen seen;
  test_evolve_changed_v1 plugin = changed_plugin();
  Adapted<test_evolve_changed_v2> changed{test::EvolveChanged::kind(), plugin, 2, &seen};
  tenon::Call call;
};

TEST_F(ChangedMethods, CallsARenamedMethod) {
  const test_evolve_changed_v2_after_request in{sizeof in, text("renamed")};
  const test_evolve_changed_v2_after_response* out = nullptr;
  ASSERT_EQ(changed->after(call.raw(), changed.self(), &in, &out), TENON_OK);
  EXPECT_EQ(own(out->text), "renamed");
}

TEST_F(ChangedMethods, DropsFieldsThatTheOlderVersionLacks) {
  const std::int32_t limit = 5;
  const test_evolve_changed_v2_grows_request in{sizeof in, text("grown"), &limit};
  const test_evolve_changed_v2_grows_response* out = nullptr;
  ASSERT_EQ(changed->grows(call.raw(), changed.self(), &in, &out), TENON_OK);
  EXPECT_EQ(own(out->text), "grown");
  EXPECT_EQ(seen.struct_size, sizeof(test_evolve_changed_v1_grows_request));

  const test_evolve_changed_v2_moved_on_request moved{sizeof moved, text("moved"), 5};
  const test_evolve_changed_v2_moved_on_response* on = nullptr;
  ASSERT_EQ(changed->moved_on(call.raw(), changed.self(), &moved, &on), TENON_OK);
  EXPECT_EQ(own(on->text), "moved");
}

TEST_F(ChangedMethods, FillsRemovedFieldsWithDefaults) {
  const test_evolve_changed_v2_shrinks_request in{sizeof in, text("shrunk")};
  const test_evolve_changed_v2_shrinks_response* out = nullptr;
  ASSERT_EQ(changed->shrinks(call.raw(), changed.self(), &in, &out), TENON_OK);
  EXPECT_EQ(seen.text, "shrunk");
  EXPECT_EQ(seen.level, 3);
}

TEST_F(ChangedMethods, FillsAndDropsFieldsOfResponses) {
  const test_evolve_changed_v2_answers_request in{sizeof in, text("text")};
  const test_evolve_changed_v2_answers_response* out = nullptr;
  ASSERT_EQ(changed->answers(call.raw(), changed.self(), &in, &out), TENON_OK);
  EXPECT_EQ(own(out->text), "text");
  EXPECT_EQ(Value<Texts>::own(out->fresh), (Texts{"always", "this"}));

  const test_evolve_changed_v2_silent_request silence{sizeof silence, text("shh")};
  const test_evolve_changed_v2_silent_response* silence_answer = nullptr;
  ASSERT_EQ(changed->silent(call.raw(), changed.self(), &silence, &silence_answer), TENON_OK);
  EXPECT_EQ(seen.text, "shh");
  EXPECT_EQ(own(silence_answer->text), "done");
}

TEST_F(ChangedMethods, CallsAHookForANewSignature) {
  const Texts texts = {"", "one", "three"};
  const test_evolve_changed_v2_signature_request in{
      sizeof in, Value<Texts>::raw<Copy::shallow>(call.raw(), texts)};
  const test_evolve_changed_v2_signature_response* out = nullptr;
  ASSERT_EQ(changed->signature(call.raw(), changed.self(), &in, &out), TENON_OK);
  EXPECT_EQ(Value<std::vector<std::int32_t>>::own(out->sizes),
            (std::vector<std::int32_t>{0, 3, 5}));
}

TEST_F(ChangedMethods, ForwardsFailures) {
  const test_evolve_changed_v2_answers_request in{sizeof in, text("fail")};
  const test_evolve_changed_v2_answers_response* out = nullptr;
  EXPECT_EQ(changed->answers(call.raw(), changed.self(), &in, &out),
            TENON_ABORTED | TENON_RETRYABLE);
  EXPECT_EQ(call.message(), "not now");
  EXPECT_EQ(out, nullptr);
}

TEST_F(ChangedMethods, FailsIfThePluginReturnsNoResponse) {
  seen.gives_answers = false;
  const test_evolve_changed_v2_answers_request in{sizeof in, text("text")};
  const test_evolve_changed_v2_answers_response* out = nullptr;
  EXPECT_EQ(changed->answers(call.raw(), changed.self(), &in, &out), TENON_INTERNAL);
  EXPECT_EQ(call.message(), "the plugin returned success without a response");
}

// -- Converted values ---------------------------------------------------------

tenon_status documents(tenon_call* call, void*, const test_carried_v1_documents_request* in,
                       const test_carried_v1_documents_response** out) {
  auto* answer = tenon::new_response<test_carried_v1_documents_response>(call);
  *answer = {sizeof *answer, in->one, in->many, in->named, in->maybe, in->nested, in->few};
  *out = answer;
  return TENON_OK;
}

struct LaterSeen {
  bool has_tone;
  std::string tone;
  bool answers_tone;
};

tenon_status later(tenon_call* call, void* self, const test_carried_v1_later_request* in,
                   const test_carried_v1_later_response** out) {
  auto& seen = *static_cast<LaterSeen*>(self);
  seen.has_tone = TENON_HAS(in, tone) && in->tone.data != nullptr;
  if (seen.has_tone) seen.tone = own(in->tone);
  auto* answer = tenon::new_response<test_carried_v1_later_response>(call);
  answer->text = in->text;
  answer->tone = text("soft");
  // A plugin that was built before the field was added.
  if (!seen.answers_tone) answer->struct_size = offsetof(test_carried_v1_later_response, tone);
  *out = answer;
  return TENON_OK;
}

tenon_status places(tenon_call* call, void*, const test_carried_v1_places_request* in,
                    const test_carried_v1_places_response** out) {
  auto* answer = tenon::new_response<test_carried_v1_places_response>(call);
  answer->place = TENON_AT(test_carried_v1_place, in->all, 0);
  answer->maybe = in->maybe;
  answer->level = in->level;
  *out = answer;
  return TENON_OK;
}
constexpr test_carried_v1 carrier = {sizeof carrier, 1, 0, nullptr, documents, later, places};

test::EntryV2 entry(const std::string& number) {
  test::EntryV2 entry;
  entry.title = "entry " + number;
  entry.state = test::EntryV2State::Stale;
  entry.notes = {{"a note", tenon::Timestamp(tenon::Duration(5))}, {"", std::nullopt}};
  entry.last = entry.notes[1];
  entry.is = "renamed";
  entry.record.position = tenon::to_bytes("p" + number);
  entry.record.metadata = {{"opencdc.createdAt", "1700000000000000001"}, {"k", "v"}};
  entry.record.payload.after = tenon::to_bytes("payload");
  entry.retyped = number;
  entry.bag = tenon::to_bytes(R"({"size@7":{"type":"int32","value":)" + number + "}}");
  // Version 1 does not have these fields.
  entry.fresh = {{"k", number}};
  entry.record.operation = tenon::RecordV2Operation::Delete;
  entry.record.payload.before = tenon::to_bytes("before");
  return entry;
}

TEST(Adapters, ConvertDocumentsInBothDirections) {
  using test::EntryV2;
  using Named = std::map<std::string, EntryV2, std::less<>>;
  using Nested = std::vector<std::vector<EntryV2>>;
  Adapted<test_carried_v2> carried(test::Carried::kind(), carrier, 2);
  tenon::Call call;
  const std::vector<EntryV2> many = {entry("1"), entry("2")};
  const Named named = {{"x", entry("3")}, {"y", entry("4")}};
  const Nested nested = {{}, {entry("5")}, {entry("6"), entry("7")}};
  test_carried_v2_documents_request in{};
  in.struct_size = sizeof in;
  in.one = Value<EntryV2>::raw<Copy::shallow>(call.raw(), many[0]);
  in.many = Value<std::vector<EntryV2>>::raw<Copy::shallow>(call.raw(), many);
  in.named = Value<Named>::raw<Copy::shallow>(call.raw(), named);
  in.maybe = &in.one;
  in.nested = Value<Nested>::raw<Copy::shallow>(call.raw(), nested);
  const test_carried_v2_documents_response* out = nullptr;
  ASSERT_EQ(carried->documents(call.raw(), carried.self(), &in, &out), TENON_OK);
  EXPECT_EQ(Value<EntryV2>::own(out->one), many[0]);
  EXPECT_EQ(Value<std::vector<EntryV2>>::own(out->many), many);
  EXPECT_EQ(Value<Named>::own(out->named), named);
  ASSERT_NE(out->maybe, nullptr);
  EXPECT_EQ(Value<EntryV2>::own(*out->maybe), many[0]);
  EXPECT_EQ(Value<Nested>::own(out->nested), nested);
  EXPECT_EQ(out->few.data, nullptr);  // absent stays absent

  in.maybe = nullptr;
  in.few = Value<std::vector<EntryV2>>::raw<Copy::shallow>(call.raw(), {});
  ASSERT_EQ(carried->documents(call.raw(), carried.self(), &in, &out), TENON_OK);
  EXPECT_EQ(out->maybe, nullptr);
  EXPECT_NE(out->few.data, nullptr);  // and empty stays empty
  EXPECT_EQ(out->few.count, 0u);
}

TEST(Adapters, AddNothingToDocumentsOfOlderPlugins) {
  using test::EntryV2;
  Adapted<test_carried_v2> carried(test::Carried::kind(), carrier, 2);
  tenon::Call call;
  EntryV2 usual = entry("1");
  usual.bag = {};
  EntryV2 with_tag = usual;
  with_tag.bag = tenon::to_bytes(R"({"tag@1":{"type":"string","value":""}})");
  for (const EntryV2& whole : {usual, with_tag}) {
    test_carried_v2_documents_request in{};
    in.struct_size = sizeof in;
    in.one = Value<EntryV2>::raw<Copy::shallow>(call.raw(), whole);
    const test_carried_v2_documents_response* out = nullptr;
    ASSERT_EQ(carried->documents(call.raw(), carried.self(), &in, &out), TENON_OK);
    EXPECT_EQ(Value<Bytes>::own(out->one.bag), whole.bag);
  }
}

TEST(Adapters, ReportFailedConversions) {
  Adapted<test_carried_v2> carried(test::Carried::kind(), carrier, 2);
  tenon::Call call;
  test_carried_v2_documents_request in{};
  in.struct_size = sizeof in;
  test::EntryV2 wrong = entry("1");
  wrong.bag = tenon::to_bytes("[");
  in.one = Value<test::EntryV2>::raw<Copy::shallow>(call.raw(), wrong);
  const test_carried_v2_documents_response* out = nullptr;
  EXPECT_EQ(carried->documents(call.raw(), carried.self(), &in, &out), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(call.message(), "bag: incomplete JSON (1:2)");
}

TEST(Adapters, BlamePluginsForFailedConversionsOfResponses) {
  test_carried_v1 returns_broken_bag = carrier;
  returns_broken_bag.documents = [](tenon_call* call, void* self,
                                    const test_carried_v1_documents_request* in,
                                    const test_carried_v1_documents_response** out) {
    const tenon_status status = documents(call, self, in, out);
    auto* response = tenon::new_response<test_carried_v1_documents_response>(call);
    *response = **out;
    static constexpr std::uint8_t broken[] = {'['};
    response->one.bag = {broken, sizeof broken};
    *out = response;
    return status;
  };
  Adapted<test_carried_v2> carried(test::Carried::kind(), returns_broken_bag, 2);
  tenon::Call call;
  test_carried_v2_documents_request in{};
  in.struct_size = sizeof in;
  const test::EntryV2 whole = entry("1");
  in.one = Value<test::EntryV2>::raw<Copy::shallow>(call.raw(), whole);
  const test_carried_v2_documents_response* out = nullptr;
  EXPECT_EQ(carried->documents(call.raw(), carried.self(), &in, &out), TENON_INTERNAL);
  EXPECT_EQ(call.message(), "the response cannot be converted: bag: incomplete JSON (1:2)");
}

TEST(Adapters, RefuseResponsesWithASizeWithoutData) {
  static constexpr tenon_string key = TENON_TEXT("k");
  using Response = test_carried_v1_documents_response;
  struct Case {
    void (*spoil)(Response& response);
    const char* message;
  };
  static const Case* spoiled = nullptr;
  test_carried_v1 spoiling = carrier;
  spoiling.documents = [](tenon_call* call, void* self, const test_carried_v1_documents_request* in,
                          const Response** out) {
    const tenon_status status = documents(call, self, in, out);
    auto* response = tenon::new_response<Response>(call);
    *response = **out;
    spoiled->spoil(*response);
    *out = response;
    return status;
  };
  const Case cases[] = {{[](Response& response) {
                           response.one.title = {nullptr, 3};
                         },
                         "title: a size without data"},
                        {[](Response& response) {
                           response.one.bag = {nullptr, 3};
                         },
                         "bag: a size without data"},
                        {[](Response& response) {
                           response.one.record.metadata.keys = {&key, 1, sizeof key};
                           response.one.record.metadata.values = {nullptr, 1, sizeof key};
                         },
                         "record.metadata: a size without data"},
                        {[](Response& response) {
                           response.many = {nullptr, 1, sizeof response.one};
                         },
                         "a list has a size and no data"}};
  Adapted<test_carried_v2> carried(test::Carried::kind(), spoiling, 2);
  test_carried_v2_documents_request in{};
  in.struct_size = sizeof in;
  const test::EntryV2 whole = entry("1");
  for (const Case& one : cases) {
    spoiled = &one;
    tenon::Call call;
    in.one = Value<test::EntryV2>::raw<Copy::shallow>(call.raw(), whole);
    const test_carried_v2_documents_response* out = nullptr;
    EXPECT_EQ(carried->documents(call.raw(), carried.self(), &in, &out), TENON_INTERNAL);
    EXPECT_EQ(call.message(), std::string("the response cannot be converted: ") + one.message);
  }
}

TEST(Adapters, OmitFieldsAddedAfterCallerOrPluginWasBuilt) {
  LaterSeen seen{};
  Adapted<test_carried_v2> carried(test::Carried::kind(), carrier, 2, &seen);
  tenon::Call call;
  test_carried_v2_later_request in{};
  in.struct_size = sizeof in;
  in.text = text("t");
  in.tone = text("loud");
  const test_carried_v2_later_response* out = nullptr;
  ASSERT_EQ(carried->later(call.raw(), carried.self(), &in, &out), TENON_OK);
  EXPECT_EQ(seen.tone, "loud");
  EXPECT_EQ(out->tone.data, nullptr);

  // A caller that was built before the field was added; memory after its struct must not be read.
  in.struct_size = offsetof(test_carried_v2_later_request, tone);
  seen.answers_tone = true;
  ASSERT_EQ(carried->later(call.raw(), carried.self(), &in, &out), TENON_OK);
  EXPECT_FALSE(seen.has_tone);
  EXPECT_EQ(own(out->tone), "soft");
}

TEST(Adapters, ConvertRenamedStructs) {
  Adapted<test_carried_v2> carried(test::Carried::kind(), carrier, 2);
  tenon::Call call;
  const std::vector<test::CarriedV2Place> all = {{4, "four"}};
  const test_carried_v2_place maybe = {5, text("five")};
  test_carried_v2_places_request in{};
  in.struct_size = sizeof in;
  in.maybe = &maybe;
  in.all = Value<std::vector<test::CarriedV2Place>>::raw<Copy::shallow>(call.raw(), all);
  const test_carried_v2_places_response* out = nullptr;
  ASSERT_EQ(carried->places(call.raw(), carried.self(), &in, &out), TENON_OK);
  EXPECT_EQ(Value<test::CarriedV2Place>::own(out->place), all[0]);
  ASSERT_NE(out->maybe, nullptr);
  EXPECT_EQ(own(out->maybe->name), "five");
}

// -- Chains -------------------------------------------------------------------

template <class Request, class Response>
tenon_status trail(tenon_call* call, void*, const Request* in, const Response** out) {
  auto* answer = tenon::new_response<Response>(call);
  answer->text = in->text;
  *out = answer;
  return TENON_OK;
}
template <class Request, class Response>
tenon_status steady(tenon_call* call, void* self, const Request* in, const Response** out) {
  *static_cast<const void**>(self) = in;
  auto* answer = tenon::new_response<Response>(call);
  answer->number = in->number;
  *out = answer;
  return TENON_OK;
}
template <class Request, class Response, int version>
tenon_status since(tenon_call* call, void*, const Request*, const Response** out) {
  auto* answer = tenon::new_response<Response>(call);
  answer->version = version;
  *out = answer;
  return TENON_OK;
}

constexpr test_chain_v1 chain_1 = {
    sizeof chain_1,
    1,
    0,
    nullptr,
    trail<test_chain_v1_trail_request, test_chain_v1_trail_response>,
    steady<test_chain_v1_steady_request, test_chain_v1_steady_response>};
constexpr test_chain_v3 chain_3 = {
    sizeof chain_3,
    3,
    0,
    nullptr,
    trail<test_chain_v3_trail_request, test_chain_v3_trail_response>,
    steady<test_chain_v3_steady_request, test_chain_v3_steady_response>,
    since<test_chain_v3_since_2_request, test_chain_v3_since_2_response, 32>,
    since<test_chain_v3_since_3_request, test_chain_v3_since_3_response, 33>};

template <class Table>
std::string trail_of(const Adapted<Table>& chain, tenon::Call& call) {
  const test_chain_v4_trail_request in{sizeof in, text("x")};
  const test_chain_v4_trail_response* out = nullptr;
  EXPECT_EQ(chain->trail(call.raw(), chain.self(), &in, &out), TENON_OK);
  return own(out->text);
}

TEST(Adapters, AdaptVersion1ToVersion4) {
  const void* seen = nullptr;
  Adapted<test_chain_v4> chain(test::Chain::kind(), chain_1, 4, &seen);
  tenon::Call call;
  EXPECT_EQ(trail_of(chain, call), "4(3(2(x)))");

  const test_chain_v4_steady_request in{sizeof in, 9};
  const test_chain_v4_steady_response* out = nullptr;
  ASSERT_EQ(chain->steady(call.raw(), chain.self(), &in, &out), TENON_OK);
  EXPECT_EQ(out->number, 9);
  EXPECT_EQ(seen, &in);  // one adapter for all steps, without a copy

  const test_chain_v4_since_2_request ask_2{sizeof ask_2};
  const test_chain_v4_since_2_response* since_2 = nullptr;
  ASSERT_EQ(chain->since_2(call.raw(), chain.self(), &ask_2, &since_2), TENON_OK);
  EXPECT_EQ(since_2->version, 1);
  const test_chain_v4_since_3_request ask_3{sizeof ask_3};
  const test_chain_v4_since_3_response* since_3 = nullptr;
  ASSERT_EQ(chain->since_3(call.raw(), chain.self(), &ask_3, &since_3), TENON_OK);
  EXPECT_EQ(since_3->version, 21);  // a hook on top of a fixed value
  const test_chain_v4_since_4_request ask_4{sizeof ask_4};
  const test_chain_v4_since_4_response* since_4 = nullptr;
  ASSERT_EQ(chain->since_4(call.raw(), chain.self(), &ask_4, &since_4), TENON_OK);
  EXPECT_EQ(since_4->version, 3);
}

TEST(Adapters, AdaptToIntermediateVersions) {
  const void* seen = nullptr;
  tenon::Call call;
  Adapted<test_chain_v4> newest(test::Chain::kind(), chain_3, 4, &seen);
  EXPECT_EQ(trail_of(newest, call), "4(x)");

  // Another plugin may use a plugin of version 1 as version 2 or 3.
  Adapted<test_chain_v2> second(test::Chain::kind(), chain_1, 2, &seen);
  const test_chain_v2_trail_request in{sizeof in, text("x")};
  const test_chain_v2_trail_response* out = nullptr;
  ASSERT_EQ(second->trail(call.raw(), second.self(), &in, &out), TENON_OK);
  EXPECT_EQ(own(out->text), "2(x)");
}

TEST(Adapters, ListMissingMethodsAcrossSteps) {
  const tenon::Kind& kind = test::Chain::kind();
  EXPECT_EQ(missing(kind, 1, 2), (Texts{"since_2"}));
  EXPECT_EQ(missing(kind, 1, 4), (Texts{"since_2", "since_4"}));
  EXPECT_EQ(missing(kind, 2, 4), (Texts{"since_4"}));
  EXPECT_EQ(missing(kind, 2, 3), Texts{});
  for (const tenon::KindVersion& version : kind.versions) {
    EXPECT_EQ(version.adapters.size(), 4u - static_cast<std::size_t>(version.version));
    EXPECT_TRUE(version.serves(4));
  }
}

TEST(Adapters, ListMethodsThatThePluginImplements) {
  const tenon::KindVersion& changed = *test::EvolveChanged::kind().find(1);
  const auto own = [&](std::string_view method) -> std::string_view {
    const tenon::MethodInfo* found = changed.own_method(2, method);
    return found != nullptr ? found->name : "";
  };
  EXPECT_EQ(own("same"), "same");
  EXPECT_EQ(own("after"), "before") << "under its older name";
  EXPECT_EQ(own("moved_on"), "moved") << "although its request changed";
  EXPECT_EQ(own("signature"), "") << "a hook answers";
  EXPECT_EQ(own("gone"), "") << "the newer version has no such method";
  const tenon::KindVersion& added = *test::EvolveAdded::kind().find(1);
  EXPECT_NE(added.own_method(2, "keep"), nullptr);
  EXPECT_EQ(added.own_method(2, "fixed"), nullptr) << "the adapter answers";
  EXPECT_EQ(added.own_method(2, "worked"), nullptr) << "a hook answers";
  EXPECT_NE(added.own_method(1, "keep"), nullptr) << "used as what it is";
}

TEST(Adapters, RefuseStepsThatAreNotAdaptable) {
  const tenon::Kind& kind = test::BrokenChain::kind();
  EXPECT_TRUE(kind.find(1)->serves(2));
  EXPECT_FALSE(kind.find(1)->serves(3));
  EXPECT_FALSE(kind.find(2)->serves(3));
  EXPECT_TRUE(kind.find(3)->serves(3));
  const std::string_view reason =
      "version 2 cannot be used as version 3: a name cannot be made into a number";
  EXPECT_EQ(kind.find(1)->adapter_to(3)->refusal, reason);
  EXPECT_EQ(kind.find(2)->adapter_to(3)->refusal, reason);
}

// -- Descriptions for the loader ----------------------------------------------

TEST(Kinds, DescribeTheirVtables) {
  const tenon::Kind& kind = test::EvolveChanged::kind();
  EXPECT_EQ(kind.id, "test.example/evolve_changed");
  EXPECT_FALSE(kind.session);
  const tenon::KindVersion& first = *kind.find(1);
  EXPECT_FALSE(first.draft);
  EXPECT_EQ(first.fingerprint, TENON_FINGERPRINT_test_evolve_changed_v1);
  EXPECT_EQ(first.table_size, sizeof(test_evolve_changed_v1));
  EXPECT_EQ(first.configure_offset, offsetof(test_evolve_changed_v1, configure));
  EXPECT_EQ(first.methods.size(), 10u);
  EXPECT_EQ(first.methods[1].name, "same");
  EXPECT_EQ(first.methods[1].offset, offsetof(test_evolve_changed_v1, same));
  EXPECT_FALSE(first.methods[1].required);
}

TEST(Kinds, DefineAFallbackForEachOptionalSlot) {
  using Same = decltype(test_evolve_changed_v1::same);
  const tenon::MethodInfo& method = test::EvolveChanged::kind().find(1)->methods[1];
  tenon::Call call;
  const test_evolve_changed_v1_same_request in{sizeof in, text("x")};
  const test_evolve_changed_v1_same_response* out = nullptr;
  const auto same = reinterpret_cast<Same>(method.unimplemented);
  EXPECT_EQ(same(call.raw(), nullptr, &in, &out), TENON_UNIMPLEMENTED);
  EXPECT_EQ(call.message(), "the plugin has no method same");
}

}  // namespace
