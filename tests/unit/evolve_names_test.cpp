// SPDX-License-Identifier: BSL-1.0
//
// Methods whose names were reused by others, and methods that were removed and added again.
#include <tenon/call.hpp>
#include <tenon/detail/steps.hpp>

#include <gtest/gtest.h>
#include <test/evolve_names.hpp>

#include "adapted.hpp"

namespace {

using namespace tenon::tests;

/// Returns the name of the method and the text of the request.
template <char name, class Request, class Response>
tenon_status named(tenon_call* call, void* self, const Request* in, const Response** out) {
  if (self != nullptr) *static_cast<const void**>(self) = in;
  auto* answer = tenon::new_response<Response>(call);
  const std::string said = std::string(1, name) + ":" + own(in->text);
  answer->text = {static_cast<const char*>(tenon_allocate_copy(call, said.data(), said.size())),
                  said.size()};
  *out = answer;
  return TENON_OK;
}

constexpr test_evolve_names_v1 plugin_1 = {
    sizeof plugin_1,
    1,
    0,
    nullptr,
    named<'f', test_evolve_names_v1_first_request, test_evolve_names_v1_first_response>,
    named<'s', test_evolve_names_v1_second_request, test_evolve_names_v1_second_response>,
    named<'z', test_evolve_names_v1_size_request, test_evolve_names_v1_size_response>,
    named<'b', test_evolve_names_v1_back_request, test_evolve_names_v1_back_response>,
    named<'g', test_evolve_names_v1_grown_request, test_evolve_names_v1_grown_response>,
    named<'o', test_evolve_names_v1_other_request, test_evolve_names_v1_other_response>};
constexpr test_evolve_names_v2 plugin_2 = {
    sizeof plugin_2,
    2,
    0,
    nullptr,
    named<'f', test_evolve_names_v2_first_request, test_evolve_names_v2_first_response>,
    named<'s', test_evolve_names_v2_second_request, test_evolve_names_v2_second_response>,
    named<'y', test_evolve_names_v2_size_bytes_request, test_evolve_names_v2_size_bytes_response>,
    named<'z', test_evolve_names_v2_size_request, test_evolve_names_v2_size_response>};

/// A plugin adapted to version 4, whose methods are called by their slots.
struct Newest {
  template <class Plugin>
  explicit Newest(const Plugin& plugin) : adapted(test::EvolveNames::kind(), plugin, 4, &seen) {}

  /// Returns the response of a method to the text "x".
  template <class Request, class Response>
  std::string answer(tenon_status (*method)(tenon_call*, void*, const Request*, const Response**)) {
    const Request in{sizeof in, text("x")};
    const Response* out = nullptr;
    if (method(call.raw(), adapted.self(), &in, &out) != TENON_OK) {
      return "error: " + std::string(call.message());
    }
    handed_on = seen == &in;
    return own(out->text);
  }

  const void* seen = nullptr;
  bool handed_on = false;
  tenon::Call call{};
  Adapted<test_evolve_names_v4> adapted;
};

TEST(EvolveNames, SwapsMethods) {
  Newest plugin(plugin_1);
  EXPECT_EQ(plugin.answer(plugin.adapted->first), "s:x");
  EXPECT_EQ(plugin.answer(plugin.adapted->second), "f:x");
  EXPECT_TRUE(plugin.handed_on);
}

TEST(EvolveNames, ReusesTheNameOfARenamedMethod) {
  Newest plugin(plugin_1);
  EXPECT_EQ(plugin.answer(plugin.adapted->size_bytes), "z:x");
  EXPECT_EQ(plugin.answer(plugin.adapted->size), "new");
  Newest newer(plugin_2);
  EXPECT_EQ(newer.answer(newer.adapted->size), "z:x");
}

TEST(EvolveNames, CallsAMethodThatWasAddedAgain) {
  Newest plugin(plugin_1);
  EXPECT_EQ(plugin.answer(plugin.adapted->again), "b:x");
  EXPECT_TRUE(plugin.handed_on) << "directly, past the version that lacks it";
  Newest between(plugin_2);
  EXPECT_EQ(between.answer(between.adapted->again),
            "error: version 2 of test.example/evolve_names has no back");
}

TEST(EvolveNames, CallsAMethodThatWasAddedAgainWithOtherFields) {
  Newest plugin(plugin_1);
  const std::int32_t limit = 5;
  const test_evolve_names_v4_grown_request in{sizeof in, text("x"), &limit};
  const test_evolve_names_v4_grown_response* out = nullptr;
  ASSERT_EQ(plugin.adapted->grown(plugin.call.raw(), plugin.adapted.self(), &in, &out), TENON_OK);
  EXPECT_EQ(own(out->text), "g:x");
  EXPECT_EQ(own(out->fresh), "of version 1");
  Newest between(plugin_2);
  ASSERT_EQ(between.adapted->grown(between.call.raw(), between.adapted.self(), &in, &out),
            TENON_OK);
  EXPECT_EQ(own(out->fresh), "of version 2");
}

TEST(EvolveNames, DoesNotCallAnotherMethodOfTheSameName) {
  Newest plugin(plugin_1);
  EXPECT_EQ(plugin.answer(plugin.adapted->other),
            "error: version 2 of test.example/evolve_names has no other");
}

TEST(EvolveNames, ListsMethodsThatThePluginLacks) {
  const tenon::Kind& kind = test::EvolveNames::kind();
  EXPECT_EQ(missing(kind, 1, 4), (Texts{"size", "other"}));
  EXPECT_EQ(missing(kind, 2, 4), (Texts{"again", "grown", "other"}));
  const auto own_name = [&kind](int version, std::string_view method) -> std::string_view {
    const tenon::MethodInfo* found = kind.find(version)->own_method(4, method);
    return found != nullptr ? found->name : "";
  };
  EXPECT_EQ(own_name(1, "again"), "back");
  EXPECT_EQ(own_name(1, "grown"), "grown");
  EXPECT_EQ(own_name(1, "first"), "second");
  EXPECT_EQ(own_name(1, "other"), "");
  EXPECT_EQ(own_name(2, "again"), "");
}

}  // namespace
