// SPDX-License-Identifier: BSL-1.0
//
// The latest interface of a kind that uses every type, through a host.
#include <tenon/detail/steps.hpp>

#include <gtest/gtest.h>
#include <test/all_types.hpp>
#include <test/evolve_added.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace test {
/// Whether creating the hand-written step of test.example/evolve_added throws.
extern bool refuses_step;
/// Whether the function that makes this step returns nullptr.
extern bool lacks_step;
}  // namespace test

namespace {

using test::AllTypes;
using Request = test_all_types_v1_echo_request;
using Response = test_all_types_v1_echo_response;

tenon_status configure(tenon_call* call, void*, const test_all_types_v1_configure_request* in) {
  if (tenon_get(in->config, "good").data != nullptr) return TENON_OK;
  return tenon_fail(call, TENON_INVALID_ARGUMENT, "not good");
}

/// A writer whose release throws.
tenon_writer broken_writer{sizeof broken_writer, nullptr, nullptr,
                           [](tenon_writer*) { throw std::runtime_error("not released"); }};

/// Returns its request, without the reader if the text is "no reader" or "no reader, a broken
/// writer". Up to the buffer, request and response have the same members.
tenon_status echo(tenon_call* call, void*, const Request* in, const Response** out) {
  static_assert(offsetof(Request, a_buffer) == offsetof(Response, a_reader));
  auto* answer = tenon::new_response<Response>(call);
  std::memcpy(answer, in, offsetof(Request, a_buffer));
  answer->struct_size = sizeof *answer;
  for (std::size_t i = 0; i < in->a_buffer.size; ++i) ++in->a_buffer.data[i];
  answer->a_reader = in->a_reader;
  const std::string_view text(in->a_string.data, in->a_string.size);
  if (text.starts_with("no reader")) {
    in->a_reader->release(in->a_reader);
    answer->a_reader = nullptr;
  }
  answer->a_writer = in->a_writer;
  if (text == "no reader, a broken writer") {
    in->a_writer->release(in->a_writer);
    answer->a_writer = &broken_writer;
  }
  answer->no_reader = in->no_reader;
  answer->no_writer = in->no_writer;
  if (in->joined_later != nullptr) answer->joined_later = TENON_TEXT("later");
  *out = answer;
  return TENON_OK;
}

tenon_status wait(tenon_call* call, void*, const test_all_types_v1_wait_request*) {
  call->functions->wait(call, -1);
  return tenon_fail(call, TENON_CANCELLED, "woken");
}

tenon_status nothing(tenon_call*, void*, const test_all_types_v1_nothing_request*) {
  return TENON_OK;
}

constexpr test_all_types_v1 table = {sizeof table, 1,    0,       nullptr, configure,
                                     echo,         wait, nullptr, nothing};
constexpr test_evolve_added_v1 keeper = {sizeof keeper, 1, 0, nullptr, nullptr};
#define PLUGINS(P)                                  \
  P(test_all_types, 1, "test.example/echo", &table) \
  P(test_evolve_added, 1, "test.example/keeper", &keeper)

}  // namespace

TENON_MODULE("test.example/echo", "1.0.0", PLUGINS, {"summary": "Answers what it gets"});

namespace {

/// A reader that returns a text once.
class Words : public tenon::HostReader {
 public:
  explicit Words(std::string text) : text_(std::move(text)) { ++alive; }
  ~Words() override { --alive; }
  tenon::Result<std::size_t> read(tenon::Call&, std::span<std::uint8_t> into) override {
    const std::size_t size = std::min(text_.size(), into.size());
    std::memcpy(into.data(), text_.data(), size);
    text_.erase(0, size);
    return size;
  }

  static inline int alive = 0;

 private:
  std::string text_;
};

/// A writer that collects a text.
class Sink : public tenon::HostWriter {
 public:
  explicit Sink(std::string& text) : text_(text) { ++alive; }
  ~Sink() override { --alive; }
  tenon::Result<void> write(tenon::Call&, tenon::BytesView from) override {
    written_ += from.text();
    return {};
  }
  tenon::Result<void> commit(tenon::Call&) override {
    text_ = written_;
    return {};
  }

  static inline int alive = 0;

 private:
  std::string& text_;
  std::string written_;
};

std::string text_of(tenon::Reader& reader) {
  std::uint8_t room[16];
  const std::size_t got = reader.read(room).value();
  return {reinterpret_cast<char*>(room), got};
}

/// All arguments of echo, which must be returned.
struct Arguments {
  test::AllTypesV1Pair pair{"pair", test::AllTypesV1Colour::Green, {}};
  test::EntryV1 entry;
  tenon::RecordV2 record;
  std::vector<std::uint8_t> buffer{1, 2, 3};
  std::string written;

  Arguments() {
    entry.title = "title";
    record.position = {1};
  }
  tenon::Result<AllTypes::EchoResult> pass_to(
      tenon::Handle<AllTypes>& handle, const std::string& text = "text",
      tenon::Reader reader = std::make_unique<Words>("one")) {
    return handle->echo(
        true, -1, -2, -3, -4, 1, 2, 3, 4, .5f, .25, text, tenon::BytesView("bytes"),
        tenon::Duration(6), tenon::Timestamp(tenon::Duration(7)), "{}", AllTypes::Colour::Delete,
        pair, entry, record, {1, 2}, {"a", ""}, {{"x"}, {}}, {pair}, {entry, entry}, {true, false},
        {AllTypes::Colour::Red}, {{"pi", 3.14}}, {{"k", "v"}}, {{"l", {{1}, {}}}}, {{"p", pair}},
        false, std::nullopt, std::nullopt, std::nullopt, 8, std::nullopt, std::nullopt,
        std::nullopt, std::nullopt, std::nullopt, std::nullopt, "there", std::nullopt, std::nullopt,
        std::nullopt, std::nullopt, std::nullopt, pair, std::nullopt, std::vector<std::int32_t>{},
        std::nullopt, {buffer.data(), buffer.size()}, std::move(reader),
        std::make_unique<Sink>(written), std::make_unique<Words>("two"), std::nullopt);
  }
};

struct InterfaceTest : testing::Test {
  tenon::Host host{{.app = "tenon-tests", .builtins = {&tenon_module_v1}}};
};

TEST_F(InterfaceTest, RoundTripsEachTypeOwned) {
  auto handle = host.create<AllTypes>("test.example/echo").value();
  Arguments arguments;
  auto answer = arguments.pass_to(handle);
  ASSERT_TRUE(answer) << answer.error().to_string();
  EXPECT_EQ(answer->a_bool, true);
  EXPECT_EQ(answer->a_int8, -1);
  EXPECT_EQ(answer->a_uint64, 4u);
  EXPECT_EQ(answer->a_float32, .5f);
  EXPECT_EQ(answer->a_string, "text");
  EXPECT_EQ(answer->a_bytes, tenon::to_bytes("bytes"));
  EXPECT_EQ(answer->a_timestamp, tenon::Timestamp(tenon::Duration(7)));
  EXPECT_EQ(answer->an_enum, AllTypes::Colour::Delete);
  EXPECT_EQ(answer->a_struct, arguments.pair);
  EXPECT_EQ(answer->a_document, arguments.entry);
  EXPECT_EQ(answer->a_standard_document, arguments.record);
  EXPECT_EQ(answer->a_list_of_lists, (std::vector<std::vector<std::string>>{{"x"}, {}}));
  EXPECT_EQ(answer->a_list_of_documents.size(), 2u);
  EXPECT_EQ(answer->a_list_of_bool, (std::vector<bool>{true, false}));
  EXPECT_EQ(answer->a_map_of_lists.at("l"), (std::vector<tenon::Bytes>{{1}, {}}));
  EXPECT_EQ(answer->a_map_of_structs.at("p"), arguments.pair);
  EXPECT_EQ(answer->no_bool, false);  // present, and false
  EXPECT_EQ(answer->no_int8, std::nullopt);
  EXPECT_EQ(answer->no_int64, 8);
  EXPECT_EQ(answer->no_string, "there");
  EXPECT_EQ(answer->no_struct, arguments.pair);
  EXPECT_EQ(answer->no_list, std::vector<std::int32_t>{});
  EXPECT_EQ(answer->no_map, std::nullopt);
  EXPECT_EQ(arguments.buffer, (std::vector<std::uint8_t>{2, 3, 4}));
  EXPECT_EQ(text_of(answer->a_reader), "one");
  EXPECT_EQ(text_of(*answer->no_reader), "two");
  EXPECT_FALSE(answer->no_writer);
  ASSERT_TRUE(answer->a_writer.write(tenon::BytesView("written")));
  EXPECT_EQ(arguments.written, "");
  ASSERT_TRUE(answer->a_writer.commit());
  EXPECT_EQ(arguments.written, "written");
  EXPECT_EQ(answer->joined_later, std::nullopt);  // the parameter has a default
}

TEST_F(InterfaceTest, ReportsHowACallFailed) {
  const auto handle = host.create<AllTypes>("test.example/echo", {{"bad", "1"}});
  ASSERT_FALSE(handle);
  EXPECT_NE(handle.error().to_string().find("not good"), std::string::npos);

  auto good = host.create<AllTypes>("test.example/echo", {{"good", "1"}}).value();
  EXPECT_TRUE(good->nothing());
  const auto shown = good->show();
  ASSERT_FALSE(shown);
  EXPECT_EQ(shown.error().to_string(),
            "test.example/echo: show: unimplemented: the plugin has no method show");
}

TEST_F(InterfaceTest, RefusesAnEmptyStream) {
  auto handle = host.create<AllTypes>("test.example/echo").value();
  Arguments arguments;
  const auto answer = arguments.pass_to(handle, "text", tenon::Reader());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().to_string(),
            "test.example/echo: echo: invalid-argument: the stream 'a_reader' is empty");
  EXPECT_EQ(Words::alive, 0);
  EXPECT_EQ(Sink::alive, 0);
}

TEST_F(InterfaceTest, ReleasesTheStreamsOfAResponseThatLacksOne) {
  auto handle = host.create<AllTypes>("test.example/echo").value();
  Arguments arguments;
  const auto answer = arguments.pass_to(handle, "no reader");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), "the plugin returned success without the stream 'a_reader'");
  EXPECT_EQ(Words::alive, 0);
  EXPECT_EQ(Sink::alive, 0);
}

TEST_F(InterfaceTest, CatchesAnExceptionOfAStreamThatItReleases) {
  auto handle = host.create<AllTypes>("test.example/echo").value();
  Arguments arguments;
  const auto answer = arguments.pass_to(handle, "no reader, a broken writer");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), "the plugin returned success without the stream 'a_reader'");
}

TEST_F(InterfaceTest, CancelsAMethodThatBlocks) {
  auto handle = host.create<AllTypes>("test.example/echo").value();
  tenon::Call call;
  call.cancel();
  const auto waited = handle->wait(call);
  ASSERT_FALSE(waited);
  EXPECT_EQ(waited.error().code(), "cancelled");
}

TEST_F(InterfaceTest, ReportsAnExceptionOfAHandWrittenStep) {
  test::refuses_step = true;
  const auto refused = host.create<test::EvolveAdded>("test.example/keeper");
  test::refuses_step = false;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "test.example/keeper: create: internal: the hand-written step threw an exception: no "
            "step");
  EXPECT_TRUE(host.create<test::EvolveAdded>("test.example/keeper"));
}

TEST_F(InterfaceTest, ReportsAMissingHandWrittenStep) {
  test::lacks_step = true;
  const auto refused = host.create<test::EvolveAdded>("test.example/keeper");
  test::lacks_step = false;
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().to_string(),
            "test.example/keeper: create: internal: the function that makes the hand-written step "
            "returned nullptr");
  EXPECT_TRUE(host.create<test::EvolveAdded>("test.example/keeper"));
}

}  // namespace
