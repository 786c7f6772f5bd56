// SPDX-License-Identifier: BSL-1.0
//
// Services of the SDK for plugins: log, calls, other plugins, streams, statuses and states.
#include <tenon/call.hpp>
#include <tenon/sdk/object_store.hpp>
#include <tenon/sdk/state.hpp>
#include <tenon/sdk/stream.hpp>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "painter.hpp"

namespace {

using namespace std::chrono_literals;
using tenon::sdk::Failure;
namespace sdk = tenon::sdk;

/// Runs a body in this call, and returns its status.
template <class Body>
tenon_status status_in(tenon::Call& call, Body&& body) {
  return sdk::detail::guarded({call.raw(), nullptr}, [&] {
    body();
    return TENON_OK;
  });
}

/// Returns the status of the failure that a body throws, or TENON_OK.
template <class Body>
tenon_status status_of(Body&& body) {
  try {
    body();
    return TENON_OK;
  } catch (const Failure& failure) {
    return failure.status();
  }
}

// -- Statuses -----------------------------------------------------------------

TEST(SdkFailure, HasTheStatusOfASystemError) {
  const std::pair<int, tenon_status> expected[] = {
      {ENOENT, TENON_NOT_FOUND},
      {EACCES, TENON_PERMISSION_DENIED},
      {EPERM, TENON_PERMISSION_DENIED},
      {EROFS, TENON_PERMISSION_DENIED},
      {EEXIST, TENON_ALREADY_EXISTS},
      {ENOMEM, TENON_RESOURCE_EXHAUSTED},
      {ENOSPC, TENON_RESOURCE_EXHAUSTED},
      {EDQUOT, TENON_RESOURCE_EXHAUSTED},
      {EFBIG, TENON_RESOURCE_EXHAUSTED},
      {EMFILE, TENON_RESOURCE_EXHAUSTED},
      {ENFILE, TENON_RESOURCE_EXHAUSTED},
      {EISDIR, TENON_FAILED_PRECONDITION},
      {ENOTDIR, TENON_FAILED_PRECONDITION},
      {ECONNREFUSED, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {ECONNRESET, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {EHOSTUNREACH, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {ETIMEDOUT, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {EAGAIN, TENON_UNAVAILABLE | TENON_RETRYABLE},
      {EIO, TENON_UNKNOWN},
  };
  for (const auto& [error, status] : expected) {
    const Failure failure = sdk::system_failure(error, "cannot open ", "x");
    EXPECT_EQ(failure.status(), status) << failure.message();
    EXPECT_EQ(failure.message(), std::string("cannot open x: ") + std::strerror(error));
  }
}

TEST(SdkFailure, WithoutAMessageKeepsThePreviousOne) {
  tenon::Call call;
  EXPECT_EQ(status_in(call, [] { throw Failure(TENON_NOT_FOUND, "first"); }), TENON_NOT_FOUND);
  EXPECT_EQ(status_in(call, [] { throw Failure(TENON_ABORTED); }), TENON_ABORTED);
  EXPECT_EQ(call.message(), "first");
}

// -- Log and calls ------------------------------------------------------------

/// A host that records logged lines, and provides one call.
struct RecordingHost : tenon_host {
  RecordingHost() : tenon_host{} {
    struct_size = sizeof(tenon_host);
    log = [](const tenon_host* self, std::int32_t level, tenon_string text) {
      of(self).lines.push_back(std::to_string(level) + " " + std::string(text.data, text.size));
    };
    log_wanted = [](const tenon_host* self, std::int32_t level) -> std::int32_t {
      return level >= of(self).level ? 1 : 0;
    };
    log_line = [](const tenon_host* self, const tenon_log_line* line) {
      std::string text = std::to_string(line->level) + " [" +
                         tenon::Value<std::string>::own(line->plugin) + "] " +
                         tenon::Value<std::string>::own(line->message);
      for (std::size_t i = 0; i < line->pairs.count; ++i) {
        const auto& pair = TENON_AT(tenon_log_pair, line->pairs, i);
        text += " " + tenon::Value<std::string>::own(pair.key) + "=" +
                tenon::Value<std::string>::own(pair.value);
      }
      of(self).lines.push_back(text);
    };
    call_begin = [](const tenon_host* self, tenon_call* parent, tenon_call** call) -> tenon_status {
      of(self).parent = parent;
      if (of(self).refuses) return TENON_UNAVAILABLE;
      *call = of(self).own.raw();
      return TENON_OK;
    };
    call_end = [](const tenon_host* self, tenon_call* call) {
      EXPECT_EQ(call, of(self).own.raw());
      ++of(self).ended;
    };
    plugins = [](const tenon_host*, tenon_call* call, const tenon_plugin_request* in,
                 const tenon_plugins_response** out) -> tenon_status {
      if (in->version != 1) return tenon_fail(call, TENON_NOT_FOUND, "no such version");
      auto* answer = sdk::detail::new_response<tenon_plugins_response>(call);
      answer->names = tenon::Value<std::vector<std::string>>::raw<tenon::Copy::deep>(
          call, std::vector<std::string>{"one", "two"});
      *out = answer;
      return TENON_OK;
    };
    release = [](const tenon_host* self, tenon_instance* instance) {
      of(self).released.push_back(instance->self);
    };
  }
  static const RecordingHost& of(const tenon_host* self) {
    return *static_cast<const RecordingHost*>(self);
  }

  /// Imitates a host that was built before lines had levels and pairs, and modules a file.
  void grow_old() { struct_size = offsetof(tenon_host, log_wanted); }

  bool refuses = false;
  std::int32_t level = TENON_LOG_TRACE;
  mutable tenon::Call own;
  mutable tenon_call* parent = nullptr;
  mutable int ended = 0;
  mutable std::vector<std::string> lines;
  mutable std::vector<void*> released;
};

/// Logs one line at each level.
struct Talker : sdk::Plugin {
  void talk() const {
    log.trace("level ", 0);
    log.debug("level ", 1);
    log.info("level ", 2);
    log.warn("level ", 3);
    log.error("level ", 4);
  }
  void talk_in_pairs() const {
    log.trace("read", {{"rows", 0}});
    log.debug("read", {{"rows", 1}});
    log.info("read", {{"rows", 2}});
    log.warn("read", {{"rows", 3}});
    log.error("read", {{"rows", std::uint64_t{4}}, {"path", std::string("a b")}});
  }
  bool wants(sdk::Level level) const { return log.wants(level); }
};

std::unique_ptr<Talker> talker_of(const tenon_host& host) {
  const tenon_create_request in{sizeof in, &host, TENON_TEXT("me.example/talker")};
  const sdk::detail::Frame frame{nullptr, &in};
  const sdk::detail::CurrentFrameScope inside(frame);
  return std::make_unique<Talker>();
}

using Lines = std::vector<std::string>;

TEST(SdkLog, NamesThePluginInEachLine) {
  const RecordingHost host;
  talker_of(host)->talk();
  EXPECT_EQ(host.lines, (Lines{"0 [me.example/talker] level 0", "1 [me.example/talker] level 1",
                               "2 [me.example/talker] level 2", "3 [me.example/talker] level 3",
                               "4 [me.example/talker] level 4"}));
  host.lines.clear();
  talker_of(host)->talk_in_pairs();
  EXPECT_EQ(host.lines,
            (Lines{"0 [me.example/talker] read rows=0", "1 [me.example/talker] read rows=1",
                   "2 [me.example/talker] read rows=2", "3 [me.example/talker] read rows=3",
                   "4 [me.example/talker] read rows=4 path=a b"}));
  host.lines.clear();
  sdk::Host(&host).log.write(sdk::Level::info, "of the module");
  EXPECT_EQ(host.lines, (Lines{"2 [] of the module"}));
}

TEST(SdkLog, FiltersByTheLevelOfTheHost) {
  RecordingHost host;
  host.level = TENON_LOG_WARN;
  const auto talker = talker_of(host);
  talker->talk();
  talker->talk_in_pairs();
  EXPECT_EQ(host.lines, (Lines{"3 [me.example/talker] level 3", "4 [me.example/talker] level 4",
                               "3 [me.example/talker] read rows=3",
                               "4 [me.example/talker] read rows=4 path=a b"}));
  EXPECT_FALSE(talker->wants(sdk::Level::info));
  EXPECT_TRUE(talker->wants(sdk::Level::warn));
}

TEST(SdkHost, ReturnsTheFileOfTheModule) {
  RecordingHost host;
  EXPECT_EQ(sdk::Host(&host).module_file(), "") << "of a builtin";
  host.module_file = TENON_TEXT("/photo/blur.so");
  EXPECT_EQ(sdk::Host(&host).module_file(), "/photo/blur.so");
  host.grow_old();
  EXPECT_EQ(sdk::Host(&host).module_file(), "");
  EXPECT_EQ(sdk::Host(nullptr).module_file(), "");
}

TEST(SdkLog, SendsOnlyTheMessageToOlderHosts) {
  RecordingHost host;
  host.grow_old();
  host.level = TENON_LOG_ERROR;
  const auto talker = talker_of(host);
  talker->talk_in_pairs();
  EXPECT_EQ(host.lines, (Lines{"0 read", "1 read", "2 read", "3 read", "4 read"}));
  EXPECT_TRUE(talker->wants(sdk::Level::trace));
}

TEST(SdkLog, UsesTheCallWithoutAHost) {
  const Talker talker;
  tenon::Call call;
  testing::internal::CaptureStderr();
  EXPECT_EQ(status_in(call, [&] { talker.talk_in_pairs(); }), TENON_OK);
  const std::string lines = testing::internal::GetCapturedStderr();
  EXPECT_EQ(lines.find("rows=2"), std::string::npos) << lines;
  EXPECT_NE(lines.find("[warning] read rows=3\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("[error] read rows=4 path=\"a b\"\n"), std::string::npos) << lines;
  talker.talk();  // outside a call there is no log
  EXPECT_FALSE(talker.wants(sdk::Level::error));
}

TEST(SdkLog, SendsOnlyTheMessageToOlderCalls) {
  static std::vector<std::string> lines;
  tenon::Call call;
  tenon_call_functions older = *call.raw()->functions;
  older.struct_size = offsetof(tenon_call_functions, log_wanted);
  older.log = [](tenon_call*, std::int32_t level, tenon_string text) {
    lines.push_back(std::to_string(level) + " " + std::string(text.data, text.size));
  };
  call.raw()->functions = &older;
  EXPECT_EQ(status_in(call, [&] { Talker().talk_in_pairs(); }), TENON_OK);
  EXPECT_EQ(lines, (Lines{"0 read", "1 read", "2 read", "3 read", "4 read"}));
}

TEST(SdkCall, HasTheDeadlineOfItsCaller) {
  tenon::Call call;
  const sdk::Call mine(call.raw());
  EXPECT_EQ(mine.deadline(), std::nullopt);
  const auto when = std::chrono::steady_clock::now() + 1h;
  call.set_deadline(when);
  EXPECT_EQ(mine.deadline(), when);
  EXPECT_EQ(sdk::Call(nullptr).deadline(), std::nullopt);
}

TEST(SdkCall, ReturnsTheCancelReason) {
  EXPECT_FALSE(sdk::Call(nullptr).cancelled());
  tenon::Call call;
  const sdk::Call mine(call.raw());
  EXPECT_FALSE(mine.cancelled());
  EXPECT_EQ(status_of([&] { mine.check(); }), TENON_OK);
  call.cancel();
  EXPECT_TRUE(mine.cancelled());
  EXPECT_EQ(mine.cancel_reason(), sdk::CancelReason::caller);
  EXPECT_EQ(status_of([&] { mine.check(); }), TENON_CANCELLED);
  call.reset();
  call.set_deadline(std::chrono::steady_clock::now());
  EXPECT_EQ(mine.cancel_reason(), sdk::CancelReason::deadline);
  EXPECT_EQ(status_of([&] { mine.check(); }), TENON_DEADLINE_EXCEEDED);
}

TEST(SdkCall, WaitsWithoutACall) {
  const auto begin = std::chrono::steady_clock::now();
  sdk::Call(nullptr).wait(2ms);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 2ms);
}

TEST(SdkCall, DoesNotWaitForNegativeDurations) {
  tenon::Call call;
  call.set_timeout(10s);  // ends a wait that has no timeout of its own
  for (const sdk::Call mine : {sdk::Call(call.raw()), sdk::Call(nullptr)}) {
    EXPECT_EQ(status_of([&] { mine.wait(-1ms); }), TENON_OK);
  }
}

TEST(SdkOwnCall, IsReleasedWithItsObject) {
  RecordingHost host;
  tenon::Call parent;
  {
    const sdk::OwnCall own(&host, sdk::Call(parent.raw()));
    EXPECT_EQ(sdk::Call(own).raw(), host.own.raw());
    EXPECT_EQ(host.parent, parent.raw());
    EXPECT_EQ(host.ended, 0);
  }
  EXPECT_EQ(host.ended, 1);
  host.refuses = true;
  EXPECT_EQ(status_of([&] { sdk::OwnCall own(&host); }), TENON_UNAVAILABLE);
  EXPECT_EQ(host.ended, 1);
  EXPECT_EQ(status_of([&] { sdk::OwnCall own(nullptr); }), TENON_FAILED_PRECONDITION);
}

// -- Other plugins ------------------------------------------------------------

/// Succeeds without a response.
struct Mute : test::sdk::PaintV1 {
  tenon_status raw_names(tenon_call*, const test_paint_v1_names_request*,
                         const test_paint_v1_names_response**) override {
    return TENON_OK;
  }
};

template <class P>
tenon_instance instance_of(P& plugin) {
  return {&sdk::detail::vtable_of<P>, static_cast<test::sdk::PaintV1*>(&plugin)};
}

TEST(SdkClient, CallsItsInstanceAndChecksTheResponse) {
  const RecordingHost host;
  tenon::Call call;
  const sdk::Call mine(call.raw());
  Painter painter;
  const sdk::Client<test::sdk::PaintV1> client(&host, instance_of(painter));
  const auto& answer = client.call(mine, &test_paint_v1::names, {0, TENON_TEXT("b")});
  EXPECT_EQ(tenon::ListView<std::string>(answer.names)[0], "ba");
  std::uint8_t pixel = 0;
  client.call(mine, &test_paint_v1::fill, {0, {&pixel, 1}, 7, nullptr});
  EXPECT_EQ(pixel, 7);
  Mute mute;
  const sdk::Client<test::sdk::PaintV1> silent(&host, instance_of(mute));
  EXPECT_EQ(status_of([&] { silent.call(mine, &test_paint_v1::names, {0, {}}); }), TENON_INTERNAL);
}

/// Returns what it gets.
struct Mirror : test::sdk::PaintV1 {
  void configure(const sdk::Config& config) override { radius = config.get("radius", 0); }
  PreviewResult preview(Mode mode, sdk::ListView<Point> points) override {
    PreviewResult result;
    result.image = sdk::to_bytes(points[1].label());
    result.width = static_cast<std::int32_t>(points.size());
    if (mode == Mode::Careful) result.best = tenon::own(points[0]);
    return result;
  }
  void reset() override { throw Failure(TENON_ABORTED, "nothing to forget"); }

  int radius = 0;
};

TEST(SdkClient, HasTheMethodsOfTheKind) {
  const RecordingHost host;
  tenon::Call call;
  const sdk::Call mine(call.raw());
  Painter painter;
  const sdk::Client<test::sdk::PaintV1> client(&host, instance_of(painter));
  EXPECT_EQ(client->names(mine, "b")[0], "ba");
  std::uint8_t pixel = 0;
  client->fill(mine, {&pixel, 1}, 7, std::nullopt);
  EXPECT_EQ(pixel, 7);
  client->fill(mine, {&pixel, 1}, 8, 0);
  EXPECT_EQ(pixel, 7);
  Mirror mirror;
  const sdk::Client<test::sdk::PaintV1> other(&host, instance_of(mirror));
  other->configure(mine, {{"radius", "3"}});
  EXPECT_EQ(mirror.radius, 3);
  using Point = test::sdk::PaintV1::Point;
  const std::vector<Point> points = {{.x = 1, .label = "a"}, {.x = 2, .label = "bc"}};
  const auto careful = other->preview(mine, test::sdk::PaintV1::Mode::Careful, points);
  EXPECT_EQ(careful.image, sdk::to_bytes("bc"));
  EXPECT_EQ(careful.width, 2);
  EXPECT_EQ(careful.best.value().label, "a");
  EXPECT_EQ(other->preview(mine, test::sdk::PaintV1::Mode::Fast, points).best, std::nullopt);
  EXPECT_EQ(status_of([&] { other->reset(mine); }), TENON_ABORTED);
  EXPECT_EQ(call.message(), "nothing to forget");
}

TEST(SdkClient, RefusesEmptyCalls) {
  const RecordingHost host;
  const sdk::Call empty(nullptr);
  Painter painter;
  const sdk::Client<test::sdk::PaintV1> client(&host, instance_of(painter));
  EXPECT_EQ(status_of([&] {
              client.call(empty, &test_paint_v1::names, {0, {}});
            }),
            TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] {
              client.call(empty, &test_paint_v1::fill, {0, {}, 7, nullptr});
            }),
            TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { client->names(empty, "b"); }), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { sdk::Host(&host).plugins<test::sdk::PaintV1>(empty); }),
            TENON_FAILED_PRECONDITION);
}

TEST(SdkClient, ReleasesEachInstanceOnce) {
  const RecordingHost host;
  Painter first;
  Painter second;
  {
    sdk::Client<test::sdk::PaintV1> one(&host, instance_of(first));
    {
      sdk::Client<test::sdk::PaintV1> two(&host, instance_of(second));
      one = std::move(two);
      EXPECT_EQ(one.self(), static_cast<test::sdk::PaintV1*>(&second));
      EXPECT_EQ(host.released.size(), 0u);
    }
    EXPECT_EQ(host.released, std::vector<void*>{static_cast<test::sdk::PaintV1*>(&first)});
    const sdk::Client<test::sdk::PaintV1> moved(std::move(one));
  }
  ASSERT_EQ(host.released.size(), 2u);
  EXPECT_EQ(host.released[1], static_cast<test::sdk::PaintV1*>(&second));
}

TEST(SdkHost, FindsPluginsByTheirKind) {
  const RecordingHost host;
  tenon::Call call;
  const sdk::Call mine(call.raw());
  EXPECT_EQ(sdk::Host(&host).plugins<test::sdk::PaintV1>(mine),
            (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(status_of([&] { sdk::Host(nullptr).plugins<test::sdk::PaintV1>(mine); }),
            TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { sdk::Host(nullptr).create<test::sdk::PaintV1>(mine, "x"); }),
            TENON_FAILED_PRECONDITION);
}

// -- Streams ------------------------------------------------------------------

/// A stream of two bytes.
struct Two : sdk::Reader {
  explicit Two(int& ended) : ended_(ended) {}
  ~Two() override { ++ended_; }
  std::size_t read(sdk::Call, sdk::Buffer into) override {
    if (into.size == 3) throw Failure(TENON_DATA_LOSS, "three are too many");
    const std::size_t size = std::min(into.size, left_);
    std::memset(into.data, 'x', size);
    left_ -= size;
    return size;
  }

 private:
  int& ended_;
  std::size_t left_ = 2;
};

struct Kept : sdk::Writer {
  explicit Kept(std::string& text) : text_(text) {}
  ~Kept() override { text_ += "."; }
  void write(sdk::Call, sdk::BytesView from) override {
    if (from.empty()) throw Failure(TENON_ABORTED, "nothing to write");
    text_ += from.text();
  }
  void commit(sdk::Call) override {
    if (text_.empty()) throw Failure(TENON_ABORTED, "nothing to commit");
    text_ += "!";
  }

 private:
  std::string& text_;
};

TEST(SdkStreams, RoundTripReaders) {
  EXPECT_EQ(sdk::give(std::unique_ptr<sdk::Reader>()), nullptr);
  EXPECT_EQ(sdk::take(static_cast<tenon_reader*>(nullptr)), nullptr);
  int ended = 0;
  tenon::Call call;
  const sdk::Call mine(call.raw());
  auto reader = sdk::take(sdk::give(std::make_unique<Two>(ended)));
  std::uint8_t bytes[4] = {};
  EXPECT_EQ(status_of([&] { reader->read(mine, {bytes, 3}); }), TENON_DATA_LOSS);
  EXPECT_EQ(call.message(), "three are too many");
  EXPECT_EQ(reader->read(mine, {bytes, 4}), 2u);
  EXPECT_EQ(bytes[1], 'x');
  EXPECT_EQ(reader->read(mine, {bytes, 4}), 0u);
  EXPECT_EQ(ended, 0);
  reader.reset();
  EXPECT_EQ(ended, 1);
}

TEST(SdkStreams, RoundTripWriters) {
  EXPECT_EQ(sdk::give(std::unique_ptr<sdk::Writer>()), nullptr);
  EXPECT_EQ(sdk::take(static_cast<tenon_writer*>(nullptr)), nullptr);
  std::string text;
  tenon::Call call;
  const sdk::Call mine(call.raw());
  auto writer = sdk::take(sdk::give(std::make_unique<Kept>(text)));
  EXPECT_EQ(status_of([&] { writer->commit(mine); }), TENON_ABORTED);
  EXPECT_EQ(call.message(), "nothing to commit");
  EXPECT_EQ(status_of([&] { writer->write(mine, {}); }), TENON_ABORTED);
  EXPECT_EQ(call.message(), "nothing to write");
  writer->write(mine, sdk::BytesView(sdk::to_bytes("ab")));
  writer->commit(mine);
  EXPECT_EQ(text, "ab!");
  writer.reset();
  EXPECT_EQ(text, "ab!.");
}

TEST(SdkStreams, RefuseEmptyCalls) {
  int ended = 0;
  std::string text;
  const auto reader = sdk::take(sdk::give(std::make_unique<Two>(ended)));
  const auto writer = sdk::take(sdk::give(std::make_unique<Kept>(text)));
  const sdk::Call empty(nullptr);
  std::uint8_t room[1];
  EXPECT_EQ(status_of([&] { reader->read(empty, {room, 1}); }), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { writer->write(empty, {}); }), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { writer->commit(empty); }), TENON_FAILED_PRECONDITION);
}

/// Returns how often the SDK released a stream that was passed to a method. `keeps`: the method
/// keeps the object longer than the call; `succeeds`: the method succeeds.
int releases(bool keeps, bool succeeds) {
  int ended = 0;
  tenon_reader* raw = sdk::give(std::make_unique<Two>(ended));
  std::unique_ptr<sdk::Reader> object;
  {
    sdk::detail::BorrowedStream lent(raw);
    object = lent.object();
    if (!keeps) object.reset();
    EXPECT_EQ(ended, 0);  // owned by the caller while the method runs
    if (succeeds) lent.own();
    EXPECT_EQ(ended, succeeds && !keeps ? 1 : 0);
  }
  object.reset();
  const int all = ended;
  if (!succeeds) raw->release(raw);
  EXPECT_EQ(ended, 1);
  return all;
}

TEST(SdkStreams, AreOwnedByAMethodOnlyOnSuccess) {
  EXPECT_EQ(releases(true, true), 1);
  EXPECT_EQ(releases(false, true), 1);
  EXPECT_EQ(releases(true, false), 0);
  EXPECT_EQ(releases(false, false), 0);
  sdk::detail::BorrowedStream nothing(static_cast<tenon_reader*>(nullptr));
  EXPECT_EQ(nothing.object(), nullptr);
  nothing.own();
}

/// Keeps the last object that was put.
struct Shelf : tenon::sdk::ObjectStoreV2 {
  void put_object(std::string_view, std::string_view key,
                  std::unique_ptr<sdk::Reader> body) override {
    if (key.empty()) throw Failure(TENON_INVALID_ARGUMENT, "no key");
    kept = std::move(body);
  }
  std::unique_ptr<sdk::Reader> get_object(std::string_view, std::string_view) override {
    return std::move(kept);
  }
  tenon::ObjectInfoV1 object_info(std::string_view, std::string_view) override { return {}; }
  std::vector<std::string> list_common_prefixes(std::string_view, std::string_view,
                                                std::string_view) override {
    return {};
  }
  ListObjectsResult list_objects(std::string_view, std::string_view, std::string_view,
                                 std::uint32_t) override {
    return {};
  }
  void delete_object(std::string_view, std::string_view) override {}

  std::unique_ptr<sdk::Reader> kept;
};

TEST(SdkClient, PassesStreamsAndKeepsThoseOfFailedCalls) {
  const RecordingHost host;
  tenon::Call call;
  const sdk::Call mine(call.raw());
  Shelf shelf;
  const tenon_instance instance{&sdk::detail::vtable_of<Shelf>,
                                static_cast<tenon::sdk::ObjectStoreV2*>(&shelf)};
  const sdk::Client<tenon::sdk::ObjectStoreV2> client(&host, instance);
  int ended = 0;
  EXPECT_EQ(status_of([&] { client->put_object(mine, "b", "", std::make_unique<Two>(ended)); }),
            TENON_INVALID_ARGUMENT);
  EXPECT_EQ(ended, 1);
  client->put_object(mine, "b", "k", std::make_unique<Two>(ended));
  EXPECT_EQ(ended, 1);
  auto body = client->get_object(mine, "b", "k");
  std::uint8_t bytes[4] = {};
  EXPECT_EQ(body->read(mine, {bytes, 4}), 2u);
  body.reset();
  EXPECT_EQ(ended, 2);
  EXPECT_EQ(client->get_object(mine, "b", "k"), nullptr);
}

TEST(SdkStreams, FailIfTheyAreKeptByAMethodThatFailed) {
  int ended = 0;
  std::string text;
  tenon_reader* raw_reader = sdk::give(std::make_unique<Two>(ended));
  tenon_writer* raw_writer = sdk::give(std::make_unique<Kept>(text));
  std::unique_ptr<sdk::Reader> reader;
  std::unique_ptr<sdk::Writer> writer;
  {
    sdk::detail::BorrowedStream lent_reader(raw_reader);
    sdk::detail::BorrowedStream lent_writer(raw_writer);
    reader = lent_reader.object();
    writer = lent_writer.object();
  }
  raw_reader->release(raw_reader);
  raw_writer->release(raw_writer);
  tenon::Call call;
  const sdk::Call mine(call.raw());
  std::uint8_t room[1];
  EXPECT_EQ(status_of([&] { reader->read(mine, {room, 1}); }), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { writer->write(mine, {}); }), TENON_FAILED_PRECONDITION);
  EXPECT_EQ(status_of([&] { writer->commit(mine); }), TENON_FAILED_PRECONDITION);
}

// -- States -------------------------------------------------------------------

TEST(SdkState, RoundTripsAsADocument) {
  tenon::Call call;
  test::sdk::PaintV1::Point point;
  point.x = 7;
  point.label = "left";
  const sdk::Bytes state = sdk::to_state(sdk::Call(call.raw()), point);
  const auto back = sdk::from_state<test::sdk::PaintV1::Point>(sdk::BytesView(state));
  EXPECT_EQ(back.x, 7);
  EXPECT_EQ(back.label, "left");
  for (const std::size_t size : {std::size_t{0}, state.size() - 1, state.size() + 1}) {
    const sdk::Bytes other(size);
    EXPECT_EQ(status_of([&] { sdk::from_state<test::sdk::PaintV1::Point>(sdk::BytesView(other)); }),
              TENON_INVALID_ARGUMENT);
  }
}

// -- Manifests ----------------------------------------------------------------

TEST(SdkManifest, ValidatesNames) {
  for (const char* name : {"a/b", "me.example/x-y", "a/!~"}) {
    EXPECT_TRUE(sdk::detail::is_name(name)) << name;
  }
  for (const char* name : {"", "/", "a", "a/", "/b", "a/b/c", "a/b c", "a/\"", "a/\\", "a/\x7f"}) {
    EXPECT_FALSE(sdk::detail::is_name(name)) << name;
  }
  const sdk::detail::Provided plugins[] = {sdk::detail::provided<Painter>("a/b"),
                                           sdk::detail::provided<Painter>("b")};
  EXPECT_TRUE(sdk::detail::are_names(plugins, 1));
  EXPECT_FALSE(sdk::detail::are_names(plugins, 2));
}

TEST(SdkManifest, ValidatesVersions) {
  for (const char* version : {"0.0.9", "10.20.30", "1.2.3-rc.1", "1.2.3+build"}) {
    EXPECT_TRUE(sdk::detail::is_version(version)) << version;
  }
  for (const char* version : {"", "1", "1.2", "1.2.", "1.2.3.4", "1..3", "1.2.x", "1-2-3", "1.2.3a",
                              "/.0.0", ":.0.0", ".1.2"}) {
    EXPECT_FALSE(sdk::detail::is_version(version)) << version;
  }
}

TEST(SdkManifest, IncludesTheDetails) {
  const auto details = [](const char* given) {
    const auto builtin = sdk::Builtin("me.example/x", "1.0.0", given);
    return boost::json::serialize(boost::json::parse(builtin.module()->manifest).at("details"));
  };
  EXPECT_EQ(details(""), "[null]");
  EXPECT_EQ(details(R"({"a":1})"), R"([{"a":1},null])");
  EXPECT_EQ(details(R"({"a":1},)"), R"([{"a":1},null])");
}

}  // namespace
