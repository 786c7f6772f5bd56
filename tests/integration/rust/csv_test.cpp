// SPDX-License-Identifier: BSL-1.0
//
// The example in Rust of a source: rows of a CSV file.
#include <tenon/host.hpp>
#include <tenon/source.hpp>
#include <tenon/specifier.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

using Texts = std::vector<std::string>;

class Csv : public testing::Test {
 protected:
  Csv() : host_({.app = "", .plugin_path = {world_.plugins()}, .check_calls = true}) {
    world_.place(CSV, "csv.so");
    host_.rescan();
  }

  Handle<Source> source() {
    return host_.create<Source>("example.io/csv", {{"path", path().string()}}).value();
  }
  std::filesystem::path path() const { return world_.root() / "rows.csv"; }
  void write(const std::string& text) const { world_.write("rows.csv", text); }

  /// Returns the payloads after a position, until the end or an error, which is the last text.
  Texts read(std::optional<BytesView> position = {}, std::int32_t max = 10) {
    auto some = source();
    Texts all;
    if (const auto opened = some->open(position); !opened)
      return {std::string(opened.error().message())};
    for (;;) {
      const auto batch = some->read_batch(max, {});
      if (!batch) {
        const bool at_end = batch.error().status() == TENON_OUT_OF_RANGE;
        if (!at_end) all.emplace_back(batch.error().message());
        last_ = some->stop().value();
        EXPECT_TRUE(some->teardown());
        return all;
      }
      for (const RecordV2& record : *batch) {
        all.emplace_back(BytesView(*record.payload.after).text());
      }
    }
  }

  World world_;
  Host host_;
  std::optional<Bytes> last_;
};

TEST_F(Csv, ReadsRows) {
  write("id,text\n1,one\r\n2,\"a \"\"quoted\"\", text\nof two lines\"\n");
  EXPECT_EQ(read(), (Texts{R"({"id":"1","text":"one"})",
                           R"({"id":"2","text":"a \"quoted\", text\u000aof two lines"})"}));
}

TEST_F(Csv, ResumesAfterAPosition) {
  write("id\n1\n2\n");
  EXPECT_EQ(read({}, 1).size(), 2u);
  ASSERT_TRUE(last_);
  write("id\n1\n2\n3\n");
  EXPECT_EQ(read(BytesView(*last_)), (Texts{R"({"id":"3"})"}));
}

TEST_F(Csv, ReturnsTheRowsBeforeABrokenOne) {
  write("id,text\n1,one\n2\n");
  const Texts all = read();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_NE(all[1].find("has 1 fields, expected 2"), std::string::npos) << all[1];
  EXPECT_EQ(BytesView(last_.value()).text(), "14");
}

TEST_F(Csv, RefusesWrongConfigurations) {
  for (const TextMap& config : {TextMap{}, TextMap{{"path", "x"}, {"paht", "y"}}}) {
    const auto made = host_.create<Source>("example.io/csv", config);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().status(), TENON_INVALID_ARGUMENT);
  }
  EXPECT_NE(read().at(0).find("cannot open "), std::string::npos);
}

TEST_F(Csv, Restarts) {
  write("id\n1\n");
  auto some = source();
  ASSERT_EQ(host_.restart("example.io/csv").value(), RestartOutcome::restarted);
  EXPECT_TRUE(some->open({}));
  EXPECT_EQ(some->read_batch(10, {}).value().size(), 1u);
}

}}  // namespace tenon::tests
