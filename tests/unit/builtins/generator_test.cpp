// SPDX-License-Identifier: BSL-1.0
//
// The builtin source that generates records: counts, positions, rates.
#include "builtin/generator.hpp"

#include <tenon/call.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "builtin/records.hpp"
#include "unit/builtins/plugins.hpp"

namespace tenon::builtin { namespace {

class Generating {
 public:
  explicit Generating(const TextMap& config, const std::optional<Bytes>& position = {}) {
    configure(source_, config);
    source_.open(position ? std::optional<BytesView>(*position) : std::nullopt);
  }
  tenon_status read(Call& call, std::int32_t max, Records& records,
                    const std::int64_t* max_bytes = nullptr) {
    tenon_source_v2_read_batch_request in{sizeof in, max, max_bytes};
    const tenon_source_v2_read_batch_response* out = nullptr;
    const sdk::detail::Frame frame{call.raw(), nullptr};
    const tenon_status status =
        sdk::detail::guarded(frame, [&] { return source_.raw_read_batch(call.raw(), &in, &out); });
    if (status == TENON_OK) records = Value<Records>::own(out->records);
    return status;
  }

 private:
  GeneratorSource source_;
};

TEST(GeneratorTest, ResumesAtAPosition) {
  Generating generator(TextMap{{"count", "5"}, {"size", "20"}});
  Call call;
  Records records;
  ASSERT_EQ(generator.read(call, 3, records), TENON_OK);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(text(records[2].position), "3");
  EXPECT_EQ(text(*records[2].key), "3");
  EXPECT_EQ(payload(records[2]), R"({"fill":"xxxxxxxxx"})");
  ASSERT_EQ(generator.read(call, 3, records), TENON_OK);
  EXPECT_EQ(records.size(), 2u);
  EXPECT_EQ(generator.read(call, 3, records), TENON_OUT_OF_RANGE);

  Generating resumed(TextMap{{"count", "5"}}, to_bytes("4"));
  ASSERT_EQ(resumed.read(call, 3, records), TENON_OK);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(text(records[0].position), "5");
  EXPECT_EQ(payload(records[0]).size(), 100u);
}

TEST(GeneratorTest, EndsAtTheLargestPosition) {
  Generating generator(TextMap{}, to_bytes("9223372036854775805"));
  Call call;
  Records records;
  ASSERT_EQ(generator.read(call, 3, records), TENON_OK);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(text(records[1].position), "9223372036854775807");
  EXPECT_EQ(generator.read(call, 3, records), TENON_OUT_OF_RANGE);
}

TEST(GeneratorTest, LimitsTheBytesOfABatch) {
  // Each record has 20 bytes of payload, 26 of metadata, and one digit as position and as key.
  Generating generator(TextMap{{"size", "20"}});
  Call call;
  Records records;
  for (const auto& [max_bytes, count] :
       {std::pair<std::int64_t, std::size_t>{1, 1}, {48, 1}, {49, 2}, {144, 3}}) {
    ASSERT_EQ(generator.read(call, 10, records, &max_bytes), TENON_OK);
    EXPECT_EQ(records.size(), count) << max_bytes;
  }
}

TEST(GeneratorTest, KeepsItsRateUntilCancelled) {
  Generating generator(TextMap{{"rate", "1000"}});
  Call call;
  Records records;
  ASSERT_EQ(generator.read(call, 1000, records), TENON_OK);
  EXPECT_GE(records.size(), 1u);
  Generating slow(TextMap{{"rate", "0.001"}});
  call.set_timeout(std::chrono::milliseconds(1));
  EXPECT_EQ(slow.read(call, 10, records), TENON_DEADLINE_EXCEEDED);
}

TEST(GeneratorTest, GeneratesRecordsOnSchedule) {
  Generating generator(TextMap{{"rate", "1000"}}, to_bytes("1000000"));
  Call call;
  call.set_timeout(std::chrono::minutes(1));
  Records records;
  for (std::int64_t next = 1000001; next <= 1000003; ++next) {
    ASSERT_EQ(generator.read(call, 1, records), TENON_OK);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(text(records[0].position), std::to_string(next));
  }
}

TEST(GeneratorTest, GeneratesNothingInACancelledCall) {
  Generating generator(TextMap{});
  Call call;
  call.cancel();
  Records records;
  EXPECT_EQ(generator.read(call, 1, records), TENON_CANCELLED);
  call.reset();
  ASSERT_EQ(generator.read(call, 1, records), TENON_OK);
  EXPECT_EQ(text(records[0].position), "1");
}

TEST(GeneratorTest, RefusesInvalidConfigs) {
  Call call;
  Records records;
  ASSERT_EQ(Generating(TextMap{{"size", "11"}}, to_bytes("0")).read(call, 1, records), TENON_OK);
  EXPECT_EQ(payload(records[0]), R"({"fill":""})");
  for (const char* wrong : {"", "-1", "1x", "9223372036854775808", "99999999999999999999"}) {
    EXPECT_EQ(failure_of([&] { Generating(TextMap{}, to_bytes(wrong)); }),
              "the position \"" + std::string(wrong) + "\" is not a position of this plugin");
  }
  EXPECT_EQ(failure_of([] {
              Generating(TextMap{{"size", "10"}});
            }),
            "parameter \"size\" is 10, expected at least 11");
  EXPECT_THROW(Generating(TextMap{{"count", "-1"}}), std::invalid_argument);
  EXPECT_THROW(Generating(TextMap{{"rate", "-1"}}), std::invalid_argument);
}

}}  // namespace tenon::builtin
