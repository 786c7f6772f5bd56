// SPDX-License-Identifier: BSL-1.0
//
// Values of all types that a plugin in Rust gets and returns. The module is cases.rs.
#include <tenon/host.hpp>
#include <tenon/stream.hpp>

#include <gtest/gtest.h>
#include <test/all_types.hpp>
#include <test/entry_steps.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/world.hpp"
#include "text_reader.hpp"

namespace test {
// Nothing converts an entry here.
bool EntryStep1To2::up(tenon::Conversion&, const EntryV1Storage&, EntryV2Storage&) {
  return true;
}
bool EntryStep1To2::down(tenon::Conversion&, const EntryV2Storage&, EntryV1Storage&) {
  return true;
}
}  // namespace test

namespace tenon::tests { namespace {

using Texts = std::vector<std::string>;

/// A writer of the host that keeps what is committed.
class Sheet : public HostWriter {
 public:
  Sheet(std::string& text, std::atomic<int>& live) : text_(text), live_(live) { ++live_; }
  ~Sheet() override { --live_; }

  Result<void> write(Call&, BytesView from) override {
    written_ += from.text();
    return {};
  }
  Result<void> commit(Call&) override {
    text_ = written_;
    return {};
  }

 private:
  std::string& text_;
  std::string written_;
  std::atomic<int>& live_;
};

class RustValues : public testing::Test {
 protected:
  RustValues() { world_.place(CASES, "cases.so"); }

  Reader text(std::string_view value) {
    return std::make_unique<TextReader>(std::string(value), live_);
  }
  static std::string all(Reader reader) {
    std::string text;
    std::uint8_t room[16];
    for (;;) {
      const auto got = reader.read(room);
      if (!got) return "error: " + std::string(got.error().message());
      if (*got == 0) return text;
      text.append(reinterpret_cast<char*>(room), *got);
    }
  }

  World world_;
  std::atomic<int> live_ = 0;
};

TEST_F(RustValues, Cross) {
  using test::AllTypes;
  Host host({.app = "", .plugin_path = {world_.plugins()}});
  auto echo = host.create<AllTypes>("echo").value();
  const test::AllTypesV1Pair pair{"pair", AllTypes::Colour::Green, {}};
  test::EntryV1 entry;
  entry.title = "title";
  entry.bag = to_bytes(R"({"x@2":{"type":"int32","value":1}})");
  RecordV2 record;
  record.position = {1};
  std::vector<std::uint8_t> buffer{1, 2, 3};
  std::string written;
  const auto pass = [&](std::string_view text) {
    return echo->echo(true, -1, -2, -3, -4, 1, 2, 3, 4, .5f, .25, text, BytesView("bytes"),
                      Duration(6), Timestamp(Duration(7)), "{}", AllTypes::Colour::Delete, pair,
                      entry, record, {1, 2}, {"a", ""}, {{"x"}, {}}, {pair}, {entry, entry},
                      {true, false}, {AllTypes::Colour::Red}, {{"pi", 3.14}}, {{"k", "v"}},
                      {{"l", {{1}, {}}}}, {{"p", pair}}, false, std::nullopt, std::nullopt,
                      std::nullopt, 8, std::nullopt, std::nullopt, std::nullopt, std::nullopt,
                      std::nullopt, std::nullopt, "there", std::nullopt, std::nullopt, std::nullopt,
                      std::nullopt, std::nullopt, pair, std::nullopt, std::vector<std::int32_t>{},
                      std::nullopt, {buffer.data(), buffer.size()}, this->text("one"),
                      std::make_unique<Sheet>(written, live_), this->text("two"), std::nullopt);
  };
  {
    auto answer = pass("text").value();
    EXPECT_EQ(answer.a_bool, true);
    EXPECT_EQ(answer.a_int8, -1);
    EXPECT_EQ(answer.a_int64, -4);
    EXPECT_EQ(answer.a_uint16, 2u);
    EXPECT_EQ(answer.a_uint64, 4u);
    EXPECT_EQ(answer.a_float32, .5f);
    EXPECT_EQ(answer.a_float64, .25);
    EXPECT_EQ(answer.a_string, "text");
    EXPECT_EQ(answer.a_bytes, to_bytes("bytes"));
    EXPECT_EQ(answer.a_duration, Duration(6));
    EXPECT_EQ(answer.a_timestamp, Timestamp(Duration(7)));
    EXPECT_EQ(answer.an_enum, AllTypes::Colour::Delete);
    EXPECT_EQ(answer.a_struct, pair);
    EXPECT_EQ(answer.a_document, entry);
    EXPECT_EQ(answer.a_standard_document, record);
    EXPECT_EQ(answer.a_list, (std::vector<std::int32_t>{1, 2}));
    EXPECT_EQ(answer.a_list_of_text, (Texts{"a", ""}));
    EXPECT_EQ(answer.a_list_of_lists, (std::vector<Texts>{{"x"}, {}}));
    EXPECT_EQ(answer.a_list_of_structs, std::vector<test::AllTypesV1Pair>{pair});
    EXPECT_EQ(answer.a_list_of_documents, (std::vector<test::EntryV1>{entry, entry}));
    EXPECT_EQ(answer.a_list_of_bool, (std::vector<bool>{true, false}));
    EXPECT_EQ(answer.a_list_of_enums, std::vector{AllTypes::Colour::Red});
    EXPECT_EQ(answer.a_map.at("pi"), 3.14);
    EXPECT_EQ(answer.a_map_of_text.at("k"), "v");
    EXPECT_EQ(answer.a_map_of_lists.at("l"), (std::vector<Bytes>{{1}, {}}));
    EXPECT_EQ(answer.a_map_of_structs.at("p"), pair);
    EXPECT_EQ(answer.no_bool, false);  // present, and false
    EXPECT_EQ(answer.no_int8, std::nullopt);
    EXPECT_EQ(answer.no_int64, 8);
    EXPECT_EQ(answer.no_string, "there");
    EXPECT_EQ(answer.no_bytes, std::nullopt);
    EXPECT_EQ(answer.no_enum, std::nullopt);
    EXPECT_EQ(answer.no_struct, pair);
    EXPECT_EQ(answer.no_document, std::nullopt);
    EXPECT_EQ(answer.no_list, std::vector<std::int32_t>{});
    EXPECT_EQ(answer.no_map, std::nullopt);
    EXPECT_EQ(answer.joined_later, std::nullopt);
    EXPECT_EQ(buffer, (std::vector<std::uint8_t>{2, 3, 4}));
    EXPECT_EQ(all(std::move(answer.a_reader)), "one");
    EXPECT_EQ(all(std::move(*answer.no_reader)), "two");
    EXPECT_FALSE(answer.no_writer);
    ASSERT_TRUE(answer.a_writer.write(BytesView("written")));
    EXPECT_EQ(written, "");
    ASSERT_TRUE(answer.a_writer.commit());
    EXPECT_EQ(written, "written");
  }
  EXPECT_EQ(live_, 0);
  const auto refused = pass("\xff");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().status(), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(refused.error().message(), "a_string is not UTF-8");
}

}}  // namespace tenon::tests
