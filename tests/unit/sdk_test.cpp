// SPDX-License-Identifier: BSL-1.0
//
// Plugins written with the SDK, as a host sees them.
#include <tenon/call.hpp>
#include <tenon/detail/nested_call.hpp>
#include <tenon/sdk/state.hpp>
#include <tenon/sdk/text.hpp>

#include <boost/json.hpp>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "painter.hpp"

namespace {

using namespace std::chrono_literals;
using tenon::sdk::Config;
using tenon::sdk::Failure;
namespace sdk = tenon::sdk;

std::string text(tenon_string raw) {
  return {raw.data, raw.size};
}

/// An instance as its host has it: vtable and self.
class Instance {
 public:
  explicit Instance(const tenon_module* module)
      : registration_(TENON_AT(tenon_registration, module->registrations, 0)) {
    tenon_create_request in{sizeof in, nullptr, registration_.name};
    created_ = base().create(call.raw(), &in, &self);
  }
  ~Instance() { end(); }
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void end() {
    if (self != nullptr) base().destroy(self);
    self = nullptr;
  }
  const test_paint_v1* operator->() const {
    return static_cast<const test_paint_v1*>(registration_.table);
  }
  tenon_status created() const { return created_; }
  const tenon_base& base() const { return *(*this)->base; }

  tenon_status fill(tenon::Call& on, std::uint8_t value, const std::int64_t* limit = nullptr) {
    test_paint_v1_fill_request in{sizeof in, {pixels, sizeof pixels}, value, limit};
    return (*this)->fill(on.raw(), self, &in);
  }
  tenon_status fill(std::uint8_t value) { return fill(call, value); }
  tenon_status configure(const tenon::TextMap& config) {
    test_paint_v1_configure_request in{
        sizeof in, tenon::Value<tenon::TextMap>::raw<tenon::Copy::deep>(call.raw(), config)};
    return (*this)->configure(call.raw(), self, &in);
  }
  tenon_status pause(tenon::Call& on, tenon::Duration time) {
    test_paint_v1_pause_request in{sizeof in, time.count()};
    return (*this)->pause(on.raw(), self, &in);
  }

  tenon::Call call;
  void* self = nullptr;
  std::uint8_t pixels[4] = {};

 private:
  const tenon_registration& registration_;
  tenon_status created_;
};

template <class P>
const tenon_module* module_of() {
  return sdk::builtin<P>("me.example/painter", "1.2.3");
}

// -- Exceptions ---------------------------------------------------------------

struct Thrower : test::sdk::PaintV1 {
  void fill(sdk::Buffer, std::uint8_t value, std::optional<std::int64_t>) override {
    switch (value) {
      case 0:
        throw Failure(TENON_NOT_FOUND, "no wall ", 7, " of ", std::string("the house"));
      case 1:
        throw Failure(TENON_UNAVAILABLE, "wet").retryable();
      case 2:
        throw Failure(TENON_DATA_LOSS, "gone").fatal();
      case 3:
        throw std::invalid_argument("a wrong colour");
      case 4:
        throw std::bad_alloc();
      case 5:
        throw std::system_error(std::make_error_code(std::errc::permission_denied), "wall");
      case 6:
        throw std::runtime_error("no brush");
      case 7:
        throw 42;
      case 8:
        throw Failure(TENON_OK, "not really");
      default:
        throw sdk::system_failure(ENOENT, "cannot open ", "x.png");
    }
  }
};

struct Thrown {
  std::uint8_t which;
  tenon_status status;
  const char* message;
};

class Exceptions : public testing::TestWithParam<Thrown> {};

TEST_P(Exceptions, AreReportedAsStatusAndMessage) {
  Instance thrower(module_of<Thrower>());
  EXPECT_EQ(thrower.fill(GetParam().which), GetParam().status);
  EXPECT_EQ(thrower.call.message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Sdk, Exceptions,
    testing::Values(Thrown{0, TENON_NOT_FOUND, "no wall 7 of the house"},
                    Thrown{1, TENON_UNAVAILABLE | TENON_RETRYABLE, "wet"},
                    Thrown{2, TENON_DATA_LOSS | TENON_FATAL, "gone"},
                    Thrown{3, TENON_INVALID_ARGUMENT, "a wrong colour"},
                    Thrown{4, TENON_RESOURCE_EXHAUSTED, "out of memory"},
                    Thrown{5, TENON_PERMISSION_DENIED, "wall: Permission denied"},
                    Thrown{6, TENON_UNKNOWN, "no brush"},
                    Thrown{7, TENON_INTERNAL, "the number 42"},
                    Thrown{8, TENON_UNKNOWN, "not really"},
                    Thrown{9, TENON_NOT_FOUND, "cannot open x.png: No such file or directory"}));

struct Stillborn : test::sdk::PaintV1 {
  Stillborn() { throw Failure(TENON_FAILED_PRECONDITION, "no ", name()); }
};

TEST(Sdk, FailsCreateIfTheConstructorThrows) {
  Instance stillborn(module_of<Stillborn>());
  EXPECT_EQ(stillborn.created(), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(stillborn.call.message(), "no me.example/painter");
  EXPECT_EQ(stillborn.self, nullptr);
}

// -- Configuration ------------------------------------------------------------

/// Returns the failure of `read` with this configuration, or "".
template <class Read>
std::string failure_of(const tenon::TextMap& entries, Read&& read) {
  tenon::Call call;
  const tenon_map raw = tenon::Value<tenon::TextMap>::raw<tenon::Copy::deep>(call.raw(), entries);
  try {
    read(Config(tenon::MapView<std::string>(raw)));
    return {};
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.status(), TENON_INVALID_ARGUMENT);
    return failure.message();
  }
}

template <class T>
T parsed(const std::string& value) {
  T result{};
  EXPECT_EQ(failure_of({{"x", value}}, [&](const Config& c) { result = c.get<T>("x"); }), "");
  return result;
}

template <class T>
std::string refused(const std::string& value) {
  return failure_of({{"x", value}}, [](const Config& c) { c.get<T>("x"); });
}

TEST(SdkConfig, ReadsEachType) {
  EXPECT_EQ(parsed<std::string>("  a b "), "a b");
  EXPECT_EQ(parsed<int>("-12"), -12);
  EXPECT_EQ(parsed<std::uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parsed<double>("1.5e3"), 1500);
  for (const char* word : {"true", "yes", "on", "1", "t", "T", "TRUE", "True"}) {
    EXPECT_TRUE(parsed<bool>(word)) << word;
  }
  for (const char* word : {"false", "no", "off", "0", "f", "F", "FALSE", "False"}) {
    EXPECT_FALSE(parsed<bool>(word)) << word;
  }
  EXPECT_EQ(parsed<int>("+3"), 3);
  EXPECT_EQ(parsed<unsigned>("+3"), 3u);
  EXPECT_EQ(parsed<double>("+1.5"), 1.5);
  for (const char* word : {"inf", "+Inf", "Infinity"}) {
    EXPECT_EQ(parsed<float>(word), std::numeric_limits<float>::infinity()) << word;
  }
  EXPECT_EQ(parsed<double>("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parsed<double>("NaN")));
  EXPECT_EQ(parsed<tenon::Duration>("-1.5h"), -90min);
  EXPECT_EQ(parsed<tenon::Duration>("+2s"), 2s);
  EXPECT_EQ(parsed<tenon::Duration>("1h2m3.5s"), 3723500ms);
  for (const char* text : {"3us", "3\u00b5s", "3\u03bcs"}) {
    EXPECT_EQ(parsed<tenon::Duration>(text), 3us) << text;
  }
  EXPECT_EQ(parsed<tenon::Duration>("250us"), 250us);
  EXPECT_EQ(parsed<tenon::Duration>("1h30m"), 90min);
  EXPECT_EQ(parsed<tenon::Duration>("1.5s"), 1500ms);
  EXPECT_EQ(parsed<tenon::Duration>("7ns"), 7ns);
  EXPECT_EQ(parsed<tenon::Duration>("1ms"), 1ms);
  EXPECT_EQ(parsed<tenon::Duration>("0"), 0s);
  EXPECT_EQ(parsed<tenon::Duration>("0s"), 0s);
}

TEST(SdkConfig, ReportsKeyValueAndExpectation) {
  EXPECT_EQ(refused<std::int8_t>("300"),
            R"(parameter "x" is "300", expected a whole number from -128 to 127)");
  EXPECT_EQ(refused<float>("2,5"), R"(parameter "x" is "2,5", expected a number)");
  EXPECT_EQ(refused<bool>("maybe"), R"(parameter "x" is "maybe", expected true or false)");
  EXPECT_EQ(failure_of({{"x", " "}}, [](const Config& c) { c.get<int>("x"); }),
            R"(parameter "x" is required)");
}

TEST(SdkConfig, ListsUnreadParameters) {
  EXPECT_EQ(failure_of({{"a", "1"}, {"b", "2"}, {"c", "3"}},
                       [](const Config& c) {
                         c.get<int>("b");
                         EXPECT_EQ(c.unread(), (std::vector<std::string_view>{"a", "c"}));
                         c.has("c");
                         EXPECT_EQ(c.unread(), (std::vector<std::string_view>{"a"}));
                         c.entries();
                         EXPECT_EQ(c.unread(), (std::vector<std::string_view>{}));
                       }),
            "");
}

TEST(SdkConfig, HidesSensitiveValues) {
  const auto read = [](const Config& c) { EXPECT_EQ(c.get_sensitive<int>("x"), 7); };
  EXPECT_EQ(failure_of({{"x", "7"}}, read), "");
  EXPECT_EQ(failure_of({{"x", "secret"}}, read).find(R"(parameter "x" is (hidden), expected a)"),
            0u);
  EXPECT_EQ(failure_of({}, read), R"(parameter "x" is required)");
}

TEST(SdkConfig, FindsEachKeyOfMany) {
  tenon::TextMap all;
  for (int i = 0; i < 10000; ++i) all[" key" + std::to_string(i) + "\t"] = std::to_string(i);
  EXPECT_EQ(failure_of(all,
                       [](const Config& c) {
                         for (int i = 0; i < 10000; ++i) {
                           EXPECT_EQ(c.get<int>("key" + std::to_string(i)), i);
                         }
                         EXPECT_FALSE(c.has("key10000"));
                       }),
            "");
}

TEST(SdkConfig, RefusesMalformedValues) {
  for (const char* text : {"x", "12x", "1e5", "0x10", "--1", "1 2", "+", "+-1", "++1"})
    EXPECT_NE(refused<int>(text), "");
  for (const char* text : {"x", "nan(1)", "infi", "1e999", "1.5.2", "1f", "+-1", "+"})
    EXPECT_NE(refused<double>(text), "");
  for (const char* text : {"5", "ms", "-", "+", "+1", "--1s", "1s-1s", "1 s", "1year", "1e30s",
                           "1s2", "1`", "1{", "1\xc2s", "infs", "nans"}) {
    EXPECT_NE(refused<tenon::Duration>(text), "") << text;
  }
}

// A Duration counts nanoseconds in 64 bits.
TEST(SdkConfig, RefusesDurationsThatAreTooLong) {
  EXPECT_EQ(parsed<tenon::Duration>("2555555h"), 2555555h);
  for (const char* text : {"2555556h", "300000000h", "2555555h1h", "9999999999999999999999s"}) {
    EXPECT_NE(refused<tenon::Duration>(text), "") << text;
  }
}

TEST(SdkConfig, UsesTheDefaultIfAbsentOrBlank) {
  EXPECT_EQ(failure_of({{"blank", " \t"}},
                       [](const Config& c) {
                         EXPECT_EQ(c.get("absent", 3.f), 3.f);
                         EXPECT_EQ(c.get("blank", "text"), "text");
                         EXPECT_EQ(c.get("blank", 2ms), 2ms);
                         EXPECT_FALSE(c.has("blank"));
                         EXPECT_EQ(c.unread(), std::vector<std::string_view>{});
                         EXPECT_EQ(c.entries().size(), 1u);
                       }),
            "");
}

TEST(Sdk, CallsConfigureOfThePlugin) {
  Instance painter(module_of<Painter>());
  ASSERT_EQ(painter.configure({{"radius", "7.5"}, {"delay", "1s"}}), TENON_OK);
  EXPECT_EQ(painter.configure({{"radius", "wide"}}), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(painter.call.message(), R"(parameter "radius" is "wide", expected a number)");
}

TEST(Sdk, WarnsOfUnreadParameters) {
  Instance painter(module_of<Painter>());
  const auto logged = [&](const tenon::TextMap& config) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(painter.configure(config), TENON_OK);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_NE(logged({{"radius", "2"}, {"dleay", "1s"}, {"width", "3"}, {"blank", " "}})
                .find("did not use these parameters: \"dleay\", \"width\"\n"),
            std::string::npos);
  EXPECT_EQ(logged({{"radius", "2"}, {"delay", " "}}).find("did not use"), std::string::npos);
  tenon::TextMap many;
  for (int i = 0; i < 60000; ++i) many["key" + std::to_string(i)] = "1";
  const std::string lines = logged(many);
  EXPECT_NE(lines.find(" and 59990 more\n"), std::string::npos);
  EXPECT_LT(lines.size(), 1000u);
}

// -- Tables -------------------------------------------------------------------

struct Nothing : test::sdk::PaintV1 {};

struct Private : test::sdk::PaintV1 {
 private:
  void reset() override {}
};

struct Raw : test::sdk::PaintV1 {
  tenon_status raw_preview(tenon_call* call, const test_paint_v1_preview_request* in,
                           const test_paint_v1_preview_response** out) override {
    auto* answer = sdk::detail::new_response<test_paint_v1_preview_response>(call);
    answer->width = in->title.data == nullptr ? 1 : 2;
    *out = answer;
    return TENON_OK;
  }
};

TEST(Sdk, HasNoSlotForAMissingMethod) {
  Instance nothing(module_of<Nothing>());
  EXPECT_EQ(nothing->configure, nullptr);
  EXPECT_EQ(nothing->fill, nullptr);
  EXPECT_EQ(nothing->names, nullptr);
  EXPECT_EQ(nothing->reset, nullptr);
  EXPECT_THROW(Nothing().reset(), Failure);
}

TEST(Sdk, AcceptsTypedAndRawMethods) {
  EXPECT_NE(Instance(module_of<Painter>())->fill, nullptr);
  EXPECT_NE(Instance(module_of<Raw>())->preview, nullptr);
  EXPECT_NE(Instance(module_of<Private>())->reset, nullptr);
}

TEST(Sdk, CompletesRequestsOfOlderHosts) {
  Instance raw(module_of<Raw>());
  const tenon_string nothing_there = TENON_TEXT("behind the end of what the host knows");
  test_paint_v1_preview_request in{};
  in.title = nothing_there;
  const test_paint_v1_preview_response* out = nullptr;
  in.struct_size = sizeof in;
  ASSERT_EQ(raw->preview(raw.call.raw(), raw.self, &in, &out), TENON_OK);
  EXPECT_EQ(out->width, 2);
  in.struct_size = offsetof(test_paint_v1_preview_request, title);
  ASSERT_EQ(raw->preview(raw.call.raw(), raw.self, &in, &out), TENON_OK);
  EXPECT_EQ(out->width, 1);
}

struct Sketcher : test::sdk::PaintV1 {
  PreviewResult preview(Mode mode, tenon::ListView<Point> points) override {
    PreviewResult result;
    result.image = {1, 2, 3};
    result.width = static_cast<std::int32_t>(points.size());
    if (mode == Mode::Careful) result.best = tenon::Value<Point>::own(points[0].raw());
    return result;
  }
};

TEST(Sdk, FillsTheResponseFromSeveralResults) {
  Instance sketcher(module_of<Sketcher>());
  test_paint_v1_point points[2] = {{4, TENON_TEXT("left")}, {9, TENON_TEXT("right")}};
  test_paint_v1_preview_request in{};
  in.struct_size = sizeof in;
  in.mode = TEST_PAINT_V1_MODE_CAREFUL;
  in.points = {points, 2, sizeof points[0]};
  const test_paint_v1_preview_response* out = nullptr;
  ASSERT_EQ(sketcher->preview(sketcher.call.raw(), sketcher.self, &in, &out), TENON_OK);
  sketcher.end();
  EXPECT_EQ(out->struct_size, sizeof *out);
  EXPECT_EQ(out->width, 2);
  EXPECT_EQ(out->image.size, 3u);
  ASSERT_NE(out->best, nullptr);
  EXPECT_EQ(out->best->x, 4);
  EXPECT_EQ(text(out->best->label), "left");
  EXPECT_EQ(out->note.data, nullptr);
}

TEST(Sdk, KeepsResultsAfterTheInstance) {
  Instance painter(module_of<Painter>());
  test_paint_v1_names_request in{sizeof in,
                                 TENON_TEXT("a name that is too long to be kept inside ")};
  const test_paint_v1_names_response* out = nullptr;
  ASSERT_EQ(painter->names(painter.call.raw(), painter.self, &in, &out), TENON_OK);
  painter.end();
  const tenon::ListView<std::string> names(out->names);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(names[0], "a name that is too long to be kept inside a");
  EXPECT_EQ(names[1], "me.example/painter");  // available in the constructor
}

// -- Restarts -----------------------------------------------------------------

/// Saves its configuration as state, and fails if the configuration says so.
struct Keeper : test::sdk::PaintV1 {
  void configure(const Config& config) override { kept = config.get("kept", ""); }
  sdk::Bytes save_state(std::int32_t version) override {
    if (kept == "broken") throw Failure(TENON_DATA_LOSS, "it is broken");
    return sdk::to_bytes(sdk::text(version, ":", kept));
  }
  void restore_state(std::int32_t version, sdk::BytesView state) override {
    if (version > 2) throw std::invalid_argument("a form of the future");
    kept = state.text();
  }
  std::vector<std::string> names(std::string_view /*begin*/) override { return {kept}; }

  std::string kept;
};

std::string kept_by(Instance& keeper) {
  test_paint_v1_names_request in{sizeof in, {}};
  const test_paint_v1_names_response* out = nullptr;
  EXPECT_EQ(keeper->names(keeper.call.raw(), keeper.self, &in, &out), TENON_OK);
  return tenon::Value<std::vector<std::string>>::own(out->names).at(0);
}

TEST(SdkRestart, HasNoSlotsWithoutStateOrResources) {
  const Instance nothing(module_of<Nothing>());
  EXPECT_EQ(nothing.base().save_state, nullptr);
  EXPECT_EQ(nothing.base().restore_state, nullptr);
  EXPECT_EQ(nothing.base().suspend, nullptr);
  EXPECT_EQ(nothing.base().resume, nullptr);
  const Instance keeper(module_of<Keeper>());
  EXPECT_NE(keeper.base().save_state, nullptr);
  EXPECT_NE(keeper.base().restore_state, nullptr);
  EXPECT_EQ(keeper.base().suspend, nullptr);
  EXPECT_EQ(keeper.base().resume, nullptr);
}

TEST(SdkRestart, TransfersStateBetweenInstances) {
  Instance before(module_of<Keeper>());
  ASSERT_EQ(before.configure({{"kept", "a word"}}), TENON_OK);
  const tenon_state_request wanted{sizeof wanted, 2, 0, {}};
  const tenon_state_response* saved = nullptr;
  ASSERT_EQ(before.base().save_state(before.call.raw(), before.self, &wanted, &saved), TENON_OK);
  before.end();
  EXPECT_EQ(saved->struct_size, sizeof *saved);

  Instance after(module_of<Keeper>());
  const tenon_state_request given{sizeof given, 2, 0, saved->state};
  ASSERT_EQ(after.base().restore_state(after.call.raw(), after.self, &given), TENON_OK);
  EXPECT_EQ(kept_by(after), "2:a word");
}

TEST(SdkRestart, CatchesExceptions) {
  Instance keeper(module_of<Keeper>());
  ASSERT_EQ(keeper.configure({{"kept", "broken"}}), TENON_OK);
  const tenon_state_request future{sizeof future, 3, 0, {}};
  const tenon_state_response* saved = nullptr;
  EXPECT_EQ(keeper.base().save_state(keeper.call.raw(), keeper.self, &future, &saved),
            TENON_DATA_LOSS);
  EXPECT_EQ(keeper.call.message(), "it is broken");
  EXPECT_EQ(saved, nullptr);
  EXPECT_EQ(keeper.base().restore_state(keeper.call.raw(), keeper.self, &future),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(keeper.call.message(), "a form of the future");
}

TEST(SdkRestart, RefusesStateOfAnotherSize) {
  tenon::Call call;
  const sdk::Bytes state = sdk::to_state(sdk::Call(call.raw()), std::string("kept"));
  EXPECT_EQ(sdk::from_state<std::string>(state), "kept");
  sdk::Bytes other = state;
  for (const std::size_t size : {state.size() - 1, state.size() + 1, std::size_t{0}}) {
    other.resize(size);
    EXPECT_THROW(sdk::from_state<std::string>(other), Failure) << size;
  }
}

/// Overrides in an intermediate class, and as private members.
struct Holding : test::sdk::PaintV1 {
  explicit Holding(bool holds = true) : holds_(holds) {}
  bool holds() const { return holds_; }

 private:
  void suspend() override {
    if (!holds_) throw Failure(TENON_FAILED_PRECONDITION, "it has let go already");
    holds_ = false;
  }
  void resume() override {
    if (holds_) throw Failure(TENON_FAILED_PRECONDITION, "it never let go");
    holds_ = true;
  }
  bool holds_;
};
struct Port : Holding {};

TEST(SdkRestart, SuspendsAndResumesResources) {
  Instance port(module_of<Port>());
  EXPECT_EQ(port.base().save_state, nullptr);
  ASSERT_NE(port.base().suspend, nullptr);
  ASSERT_NE(port.base().resume, nullptr);
  EXPECT_EQ(port.base().suspend(port.call.raw(), port.self), TENON_OK);
  EXPECT_EQ(port.base().suspend(port.call.raw(), port.self), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(port.call.message(), "it has let go already");
  EXPECT_EQ(port.base().resume(port.call.raw(), port.self), TENON_OK);
  EXPECT_EQ(port.base().resume(port.call.raw(), port.self), TENON_FAILED_PRECONDITION);
}

// -- The current call ---------------------------------------------------------

TEST(Sdk, EndsAWaitWithTheCall) {
  Instance painter(module_of<Painter>());
  EXPECT_EQ(painter.pause(painter.call, 1us), TENON_OK);
  tenon::Call cancelled;
  cancelled.cancel();
  EXPECT_EQ(painter.pause(cancelled, 1h), TENON_CANCELLED);
  tenon::Call late;
  late.set_timeout(1ms);
  EXPECT_EQ(painter.pause(late, 1h), TENON_DEADLINE_EXCEEDED);
  tenon::Call woken;
  std::thread other([&] { woken.cancel(); });
  EXPECT_EQ(painter.pause(woken, 1h), TENON_CANCELLED);
  other.join();
}

/// Two of its methods run concurrently.
struct Meeting : test::sdk::PaintV1 {
  void fill(sdk::Buffer pixels, std::uint8_t, std::optional<std::int64_t>) override {
    ++inside;
    while (inside < 2) std::this_thread::yield();
    pixels[0] = call().cancelled() ? 1 : 2;
  }
  std::atomic<int> inside{0};
};

TEST(Sdk, KeepsACallPerThread) {
  Instance meeting(module_of<Meeting>());
  std::uint8_t first = 0;
  std::uint8_t second = 0;
  auto enter = [&](bool cancelled, std::uint8_t& pixel) {
    tenon::Call call;
    if (cancelled) call.cancel();
    test_paint_v1_fill_request in{sizeof in, {&pixel, 1}, 0, nullptr};
    EXPECT_EQ(meeting->fill(call.raw(), meeting.self, &in), TENON_OK);
  };
  std::thread other([&] { enter(true, first); });
  enter(false, second);
  other.join();
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 2);
}

/// Calls itself through its vtable with another call, like plugins that call each other.
struct Nested : test::sdk::PaintV1 {
  void fill(sdk::Buffer pixels, std::uint8_t depth, std::optional<std::int64_t>) override {
    if (depth > 0) {
      tenon::Call inner;
      if (depth == 2) inner.cancel();
      test_paint_v1_fill_request in{
          sizeof in, {pixels.data, pixels.size}, static_cast<std::uint8_t>(depth - 1), nullptr};
      Interface::table<Nested>().fill(inner.raw(), static_cast<PaintV1*>(this), &in);
    }
    pixels[depth] = call().cancelled() ? 1 : 2;
  }
};

TEST(Sdk, RestoresTheOuterCallAfterANestedOne) {
  Instance nested(module_of<Nested>());
  ASSERT_EQ(nested.fill(2), TENON_OK);
  EXPECT_EQ(nested.pixels[0], 2);
  EXPECT_EQ(nested.pixels[1], 1);
  EXPECT_EQ(nested.pixels[2], 2);
}

TEST(Sdk, RunsMethodsWithoutAHost) {
  Painter painter;
  std::uint8_t pixels[2] = {};
  painter.fill({pixels, 2}, 9, 1);
  painter.pause(1us);
  painter.configure(Config(tenon::MapView<std::string>()));
  EXPECT_EQ(pixels[0], 9);
  EXPECT_EQ(pixels[1], 0);
  EXPECT_EQ(painter.radius, 3);
}

// -- Other plugins ------------------------------------------------------------

/// A host with one plugin, a Thrower.
struct FakeHost : tenon_host {
  FakeHost() : tenon_host{}, thrower(module_of<Thrower>()) {
    struct_size = sizeof(tenon_host);
    create = [](const tenon_host* self, tenon_call* call, const tenon_plugin_request* in,
                tenon_instance* out) {
      const auto* host = static_cast<const FakeHost*>(self);
      if (text(in->reference) != "thrower") return tenon_fail(call, TENON_NOT_FOUND, "who?");
      EXPECT_EQ(text(in->kind), "test.example/paint");
      EXPECT_EQ(in->version, 1);
      EXPECT_EQ(in->fingerprint, TENON_FINGERPRINT_test_paint_v1);
      *out = {host->thrower.operator->(), host->thrower.self};
      return TENON_OK;
    };
    release = [](const tenon_host* self, tenon_instance*) {
      ++static_cast<const FakeHost*>(self)->released;
    };
  }
  Instance thrower;
  mutable int released = 0;
};

TEST(SdkHost, ReleasesAClientOnce) {
  FakeHost raw;
  tenon::Call call;
  {
    auto client = sdk::Host(&raw).create<test::sdk::PaintV1>(sdk::Call(call.raw()), "thrower");
    auto moved = std::move(client);
    EXPECT_EQ(raw.released, 0);
  }
  EXPECT_EQ(raw.released, 1);
}

TEST(SdkHost, ForwardsStatusAndMessageOfOtherPlugins) {
  FakeHost raw;
  sdk::Host host(&raw);
  tenon::Call call;
  sdk::Call mine(call.raw());
  auto client = host.create<test::sdk::PaintV1>(mine, "thrower");
  auto status_of = [&](auto&& body) {
    return sdk::detail::guarded({call.raw(), nullptr}, [&] { return body(), TENON_OK; });
  };
  EXPECT_EQ(status_of([&] {
              client.call(mine, &test_paint_v1::fill, {0, {}, 1, nullptr});
            }),
            TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(call.message(), "wet");
  EXPECT_EQ(status_of([&] { host.create<test::sdk::PaintV1>(mine, "nobody"); }), TENON_NOT_FOUND);
  EXPECT_EQ(call.message(), "who?");
}

// -- Texts --------------------------------------------------------------------

TEST(SdkText, JoinsStringsCharactersNumbersAndBooleans) {
  EXPECT_EQ(sdk::text("a", std::string("b"), 'c', -7, ' ', 2.5, ' ', true, ' ', false),
            "abc-7 2.5 true false");
}

// -- Modules ------------------------------------------------------------------

/// The standalone module that painter.cpp builds from the same class.
class DropIn {
 public:
  DropIn() : handle_(dlopen(PAINTER, RTLD_NOW | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw std::runtime_error(dlerror());
  }
  ~DropIn() {
    dlclose(handle_);
    EXPECT_EQ(dlopen(PAINTER, RTLD_NOW | RTLD_NOLOAD), nullptr) << "it cannot be unloaded";
  }
  const tenon_module* module() const {
    return static_cast<const tenon_module*>(dlsym(handle_, "tenon_module_v1"));
  }

 private:
  void* handle_;
};

TEST(SdkModule, IsTheSameStandaloneAndBuiltin) {
  DropIn painter;
  const tenon_module* builtin = sdk::builtin<Painter>(
      "me.example/painter", "1.2.3", R"({"summary": "Paints \"walls\"", "license": "MIT"})");
  EXPECT_STREQ(painter.module()->manifest, builtin->manifest);
  EXPECT_EQ(painter.module()->manifest_size, std::string_view(builtin->manifest).size());
  EXPECT_EQ(painter.module()->magic, TENON_MAGIC);
  for (const tenon_module* module : {painter.module(), builtin}) {
    Instance instance(module);
    EXPECT_EQ(instance.fill(5), TENON_OK);
    EXPECT_EQ(instance.pixels[3], 5);
    const std::int64_t wrong = -1;
    EXPECT_EQ(instance.fill(instance.call, 5, &wrong), TENON_INVALID_ARGUMENT);
  }
}

TEST(SdkModule, HasAManifestOfAllItsPlugins) {
  const auto builtin = sdk::Builtin("me.example/two", "2.0.0-rc.1", R"({"summary": "Two"})")
                           .add<Painter>("me.example/painter")
                           .add<Sketcher>("me.example/sketcher");
  const tenon_module* module = builtin.module();
  const boost::json::value manifest = boost::json::parse(module->manifest);
  EXPECT_EQ(manifest.at("manifest"), 1);
  EXPECT_EQ(manifest.at("abi"), "1.0");
  EXPECT_EQ(manifest.at("name"), "me.example/two");
  EXPECT_EQ(manifest.at("version"), "2.0.0-rc.1");
  EXPECT_EQ(manifest.at("details").at(0).at("summary"), "Two");
  ASSERT_EQ(module->registrations.count, 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& registration = TENON_AT(tenon_registration, module->registrations, i);
    const boost::json::value& entry = manifest.at("provides").at(i);
    EXPECT_EQ(entry.at("kind"), boost::json::string_view(TENON_KIND_test_paint_v1));
    EXPECT_EQ(entry.at("version"), 1);
    EXPECT_EQ(entry.at("spec"), boost::json::string_view(TENON_SPEC_test_paint_v1));
    EXPECT_EQ(entry.at("name"), boost::json::string_view(text(registration.name)));
    EXPECT_EQ(registration.fingerprint, TENON_FINGERPRINT_test_paint_v1);
  }
}

/// The functions of the test module that were called.
std::string life;

void start_well(sdk::Call call, sdk::Host host) {
  call.check();
  life += host.raw() == nullptr ? "start without a host" : "start";
}
void start_badly(sdk::Call, sdk::Host) {
  throw Failure(TENON_UNAVAILABLE, "not today");
}
void stop() {
  life += " stop";
}
void stop_badly() {
  life += " badly";
  throw std::runtime_error("nobody hears it");
}

template <auto start, auto stop = nullptr>
sdk::Builtin living() {
  return sdk::Builtin("me.example/living", "1.0.0")
      .add<Painter>("me.example/painter")
      .with<start, stop>();
}

TEST(SdkModule, CallsStartAndStopOfTheAuthor) {
  tenon_host host{};
  tenon::Call call;
  life.clear();
  const auto well = living<start_well, stop>();
  EXPECT_EQ(well.module()->registrations.count, 1u);
  EXPECT_EQ(well.module()->start(call.raw(), &host), TENON_OK);
  well.module()->stop();
  EXPECT_EQ(life, "start stop");
}

TEST(SdkModule, ReportsAFailedStart) {
  tenon_host host{};
  tenon::Call call;
  life.clear();
  const auto badly = living<start_badly, stop_badly>();
  EXPECT_EQ(badly.module()->start(call.raw(), &host), TENON_UNAVAILABLE);
  EXPECT_EQ(call.message(), "not today");
  badly.module()->stop();
  EXPECT_EQ(life, " badly");
}

TEST(SdkModule, HasNoSlotForAMissingFunction) {
  const auto only_start = living<start_well>();
  EXPECT_NE(only_start.module()->start, nullptr);
  EXPECT_EQ(only_start.module()->stop, nullptr);
  const auto only_stop = living<nullptr, stop>();
  EXPECT_EQ(only_stop.module()->start, nullptr);
  EXPECT_NE(only_stop.module()->stop, nullptr);
  const tenon_module* neither = module_of<Painter>();
  EXPECT_EQ(neither->start, nullptr);
  EXPECT_EQ(neither->stop, nullptr);
}

}  // namespace
