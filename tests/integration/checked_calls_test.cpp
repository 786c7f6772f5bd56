// SPDX-License-Identifier: BSL-1.0
//
// HostOptions::check_calls: a call fails if its request or response breaks the ABI, and the error
// names the field. It also fails in a state or on a thread that the interface definition excludes.
#include <gtest/gtest.h>
#include <test/answer.hpp>
#include <test/echo.hpp>
#include <test/turns.hpp>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

/// A wrong response, which a request to the module answers.so selects, and the error message.
struct Wrong {
  std::string what;
  std::string message;
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
  *out << wrong.what;
}

class CheckedCalls : public Hosting, public testing::WithParamInterface<Wrong> {
 protected:
  CheckedCalls() { place("answers.so"); }

  HostOptions checking() {
    HostOptions options = this->options();
    options.check_calls = true;
    return options;
  }
};

std::string name_of(const testing::TestParamInfo<Wrong>& info) {
  std::string name = info.param.what;
  for (char& c : name) {
    if (c == '-') c = '_';
  }
  return name;
}

const std::string outside =
    "is neither in the arena of the call nor in the request or a loaded image; get its memory "
    "with tenon_allocate";

INSTANTIATE_TEST_SUITE_P(
    Each, CheckedCalls,
    testing::Values(Wrong{"none", "there is no response"},
                    Wrong{"size-0", "struct_size is 0, and the fields need at least 192"},
                    Wrong{"size-short", "struct_size is 184, and the fields need at least 192"},
                    Wrong{"size-huge", "the response (9223372036854775807 bytes) " + outside},
                    Wrong{"unaligned", "the response does not begin at a multiple of 8"},
                    Wrong{"on-heap", "the response (8 bytes) " + outside},
                    Wrong{"text-on-heap", "text (4 bytes) " + outside},
                    Wrong{"text-of-stack", "text (3 bytes) " + outside},
                    Wrong{"text-null", "text has a size and no data"},
                    Wrong{"text-past-arena", "text (1073741824 bytes) " + outside},
                    Wrong{"text-latin", "text is not valid UTF-8 from byte 2 on"},
                    Wrong{"json-broken", "picture is not JSON: incomplete JSON"},
                    Wrong{"bytes-on-heap", "data (4 bytes) " + outside},
                    Wrong{"number-on-heap", "number (8 bytes) " + outside},
                    Wrong{"pair-latin", "pair.name is not valid UTF-8 from byte 0 on"},
                    Wrong{"note-latin", "note is not valid UTF-8 from byte 0 on"},
                    Wrong{"map-twice", "words has the key \"a\" twice"},
                    Wrong{"map-latin", "words.keys[1] is not valid UTF-8 from byte 0 on"},
                    Wrong{"map-uneven", "words has 2 keys and 1 values"},
                    Wrong{"list-null", "pairs has a size and no data"},
                    Wrong{"list-stride", "pairs has a stride of 16, and its elements need 24"},
                    Wrong{"list-odd-stride", "pairs has a stride of 25, no multiple of 8"},
                    Wrong{"list-huge", "pairs (18446744073709551615 bytes) " + outside},
                    Wrong{"element-latin", "pairs[1].name is not valid UTF-8 from byte 0 on"},
                    Wrong{"item-map-latin", "item.words[1] is not valid UTF-8 from byte 0 on"},
                    Wrong{"bag-broken", "item.bag is not JSON: unexpected 'r'"}),
    name_of);

TEST_P(CheckedCalls, RefuseAResponseThatBreaksTheAbi) {
  Host host(checking());
  auto answers = host.create<test::Answer>("test.example/answers").value();
  const auto given = answers->give(GetParam().what, {"lent"});
  ASSERT_FALSE(given);
  EXPECT_EQ(given.error().code(), "internal");
  EXPECT_EQ(given.error().message(), "the response breaks the ABI: " + GetParam().message);
  EXPECT_EQ(given.error().plugin(), "test.example/answers");
  EXPECT_EQ(given.error().method(), "give");
  EXPECT_TRUE(answers->give("good", {"lent"}));
}

TEST_F(CheckedCalls, AcceptValidResponses) {
  Host host(checking());
  auto answers = host.create<test::Answer>("test.example/answers").value();
  const std::vector<std::string> lent(10'000, "a text of the request");
  const auto given = answers->give("good", lent).value();
  EXPECT_EQ(given.text, "grüß");
  EXPECT_EQ(given.number, 7);
  EXPECT_EQ(given.tags, lent);
  EXPECT_EQ(given.words.at("b"), "2");
  EXPECT_EQ(given.pairs.at(1).name, "second");
  EXPECT_EQ(std::string(given.item->bag.begin(), given.item->bag.end()), R"({"colour@3":"red"})");
  EXPECT_TRUE(answers->nothing());
}

TEST_F(CheckedCalls, IncludeBuiltins) {
  Host host(checking());
  host_echo_says = [](std::string_view text) { return text == "latin" ? "\xfc" : "x"; };
  auto echo = host.create<test::Echo>("builtin:host-echo").value();
  EXPECT_EQ(echo->say("x").value(), "x");
  const auto latin = echo->say("latin");
  ASSERT_FALSE(latin);
  EXPECT_EQ(latin.error().message(),
            "the response breaks the ABI: text is not valid UTF-8 from byte 0 on");
}

TEST_F(CheckedCalls, AreOffByDefault) {
  Host host(options());
  auto answers = host.create<test::Answer>("test.example/answers").value();
  EXPECT_TRUE(answers->give("bytes-on-heap", {}));
}

/// A response with a size without data, which no host accepts, and the field.
class SizeWithoutData : public Hosting, public testing::WithParamInterface<Wrong> {
 protected:
  SizeWithoutData() { place("answers.so"); }
};

INSTANTIATE_TEST_SUITE_P(Each, SizeWithoutData,
                         testing::Values(Wrong{"text-null", "text"},
                                         Wrong{"picture-null", "picture"},
                                         Wrong{"data-null", "data"}, Wrong{"pair-null", "pair"},
                                         Wrong{"note-null", "note"}, Wrong{"list-null", "pairs"},
                                         Wrong{"element-null", "pairs"}, Wrong{"key-null", "words"},
                                         Wrong{"value-null", "words"}, Wrong{"item-null", "item"},
                                         Wrong{"bag-null", "item"}),
                         name_of);

TEST_P(SizeWithoutData, FailsTheCall) {
  Host host(options());
  auto answers = host.create<test::Answer>("test.example/answers").value();
  const auto& [what, field] = GetParam();
  const std::string message = "the plugin returned a size without data in '" + field + "'";

  const auto owned = answers->give(what, {"lent"});
  ASSERT_FALSE(owned);
  EXPECT_EQ(owned.error().code(), "internal");
  EXPECT_EQ(owned.error().message(), message);
  EXPECT_EQ(owned.error().plugin(), "test.example/answers");
  EXPECT_EQ(owned.error().method(), "give");
  EXPECT_EQ(owned.error().fix(), "allocate the data with tenon_allocate");

  Call call;
  const auto viewed = answers->give(call, what, std::vector<std::string>{"lent"});
  ASSERT_FALSE(viewed);
  EXPECT_EQ(viewed.error().message(), message);

  const auto passed_on = answers->give("another " + what, {});
  ASSERT_FALSE(passed_on) << "plugins get the error too";
  EXPECT_EQ(passed_on.error().message(), message);
  EXPECT_TRUE(answers->give("another good", {}));
}

TEST_F(CheckedCalls, CountARefusedResponseAsAFailure) {
  HostOptions options = checking();
  options.count_calls = true;
  Host host(std::move(options));
  auto answers = host.create<test::Answer>("test.example/answers").value();
  ASSERT_FALSE(answers->give("size-0", {}));
  std::uint64_t failures = 0;
  for (const ModuleInfo& module : host.modules()) failures += module.calls.failures;
  EXPECT_EQ(failures, 1u);
}

class CheckedCallRules : public Hosting {
 protected:
  HostOptions checking(bool check = true) {
    place("turns.so");
    HostOptions options = this->options();
    options.check_calls = check;
    return options;
  }

  static void expect_refused(const Result<void>& result, const std::string& message) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), "failed-precondition");
    EXPECT_EQ(result.error().message(), "the call breaks the ABI: " + message);
    EXPECT_EQ(result.error().plugin(), "test.example/turns");
  }

  Host host_{checking()};
  Handle<test::Turns> turns_ = host_.create<test::Turns>("test.example/turns").value();
};

TEST_F(CheckedCallRules, RefuseARequestThatBreaksTheAbi) {
  const auto message = [this](std::string_view text, std::string_view picture,
                              const std::vector<std::string>& tags) {
    const auto taken = turns_->take(text, picture, tags);
    if (taken) return std::string("taken");
    EXPECT_EQ(taken.error().code(), "invalid-argument");
    EXPECT_EQ(taken.error().method(), "take");
    return std::string(taken.error().message());
  };
  EXPECT_EQ(message("", "", {}), "taken");
  EXPECT_EQ(message("grüß", "[1]", {"a", "b"}), "taken");
  EXPECT_EQ(message("gr\xfc", "1", {}),
            "the request breaks the ABI: text is not valid UTF-8 from byte 2 on");
  EXPECT_EQ(message("", "{", {}),
            "the request breaks the ABI: picture is not JSON: incomplete JSON");
  EXPECT_EQ(message("", "1", {"a", "\xff"}),
            "the request breaks the ABI: tags[1] is not valid UTF-8 from byte 0 on");
}

TEST_F(CheckedCallRules, RefuseACallInAWrongState) {
  expect_refused(turns_->end(),
                 R"(it needs the state "begun", and the instance has the state "configured")");
  EXPECT_EQ(turns_->begin(true).error().message(), "as it was told");
  expect_refused(
      turns_->wait(),
      R"(it needs the state "begun" or "ended", and the instance has the state "configured")");
  EXPECT_TRUE(turns_->begin(false));
  expect_refused(turns_->begin(false),
                 R"(it needs the state "configured", and the instance has the state "begun")");
}

TEST_F(CheckedCallRules, AllowConfiguringAPluginThatTakesNoConfiguration) {
  const TextMap none;
  const auto configured = turns_->configure(none);
  EXPECT_TRUE(configured) << configured.error().to_string();
  EXPECT_TRUE(turns_->begin(false));
  expect_refused(turns_->configure(none),
                 R"(it needs the state "created", and the instance has the state "begun")");
}

TEST_F(CheckedCallRules, AdvanceTheStateAfterAMissingMethod) {
  ASSERT_TRUE(turns_->begin(false));
  EXPECT_EQ(turns_->end().error().code(), "unimplemented");
  expect_refused(turns_->end(),
                 R"(it needs the state "begun", and the instance has the state "ended")");
}

TEST_F(CheckedCallRules, ResetTheStateAfterARestart) {
  ASSERT_TRUE(turns_->begin(false));
  ASSERT_TRUE(host_.restart("test.example/turns"));
  EXPECT_EQ(turns_->wait().error().code(), "aborted");
  ASSERT_TRUE(turns_->begin(false));
  EXPECT_FALSE(turns_->waits().value());
}

TEST_F(CheckedCallRules, RefuseConcurrentSerialCalls) {
  ASSERT_TRUE(turns_->begin(false));
  Call call;
  std::thread waiting([&] { EXPECT_TRUE(turns_->wait(call)); });
  while (!turns_->waits().value()) std::this_thread::yield();
  expect_refused(
      turns_->end(),
      R"(it is serial, and a call of the serial method "wait" of this instance is in progress)");
  call.cancel();
  waiting.join();
  EXPECT_EQ(turns_->end().error().code(), "unimplemented");
}

TEST_F(CheckedCallRules, RefuseMainThreadMethodsOnOtherThreads) {
  EXPECT_TRUE(turns_->show());
  std::thread([this] {
    expect_refused(turns_->show(),
                   "it was called on another thread than the main thread of the process");
  }).join();
}

TEST_F(CheckedCallRules, AreOffByDefault) {
  Host host(checking(false));
  auto turns = host.create<test::Turns>("test.example/turns").value();
  EXPECT_TRUE(turns->take("\xff", "{", {}));
  EXPECT_TRUE(turns->begin(false));
  EXPECT_TRUE(turns->begin(false));
  std::thread([&] { EXPECT_TRUE(turns->show()); }).join();
}

}}  // namespace tenon::tests
