// SPDX-License-Identifier: BSL-1.0
//
// A source of version 1 adapted to version 2.
#include <tenon/call.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/source.hpp>
#include <tenon/values.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenon { namespace {

/// A source with records 1 to 3, which records its calls.
struct Origin {
  int given = 0;
  std::vector<std::string> told;

  static Origin& of(void* self) { return *static_cast<Origin*>(self); }
  static tenon_status start(tenon_call*, void* self, const tenon_source_v1_start_request* in) {
    of(self).told.push_back(
        "start " + (in->position.data == nullptr
                        ? "anew"
                        : std::string(BytesView(in->position.data, in->position.size).text())));
    return TENON_OK;
  }
  static tenon_status read(tenon_call* call, void* self, const tenon_source_v1_read_request*,
                           const tenon_source_v1_read_response** out) {
    if (of(self).given == 3) return tenon_fail(call, TENON_OUT_OF_RANGE, "no more records");
    RecordV1 record;
    record.position = to_bytes(std::to_string(++of(self).given));
    record.payload = to_bytes("payload " + std::to_string(of(self).given));
    auto* answer = new_response<tenon_source_v1_read_response>(call);
    answer->record = Value<RecordV1>::raw<Copy::deep>(call, record);
    *out = answer;
    return TENON_OK;
  }
  static tenon_status ack(tenon_call* call, void* self, const tenon_source_v1_ack_request* in) {
    const std::string position(BytesView(in->position.data, in->position.size).text());
    if (position == "bad") return tenon_fail(call, TENON_NOT_FOUND, "no such position");
    of(self).told.push_back("ack " + position);
    return TENON_OK;
  }
  static tenon_status stop(tenon_call*, void* self, const tenon_source_v1_stop_request*) {
    of(self).told.emplace_back("stop");
    return TENON_OK;
  }
  static tenon_status failing_stop(tenon_call* call, void*, const tenon_source_v1_stop_request*) {
    return tenon_fail(call, TENON_UNAVAILABLE, "the file is busy");
  }
  static tenon_status no_stop(tenon_call* call, void*, const tenon_source_v1_stop_request*) {
    return tenon_fail(call, TENON_UNIMPLEMENTED, "the plugin has no method stop");
  }
};

struct SourceStepTest : testing::Test {
  SourceStepTest() {
    table.struct_size = sizeof table;
    table.version = 1;
    table.start = Origin::start;
    table.read = Origin::read;
    table.ack = Origin::ack;
    table.stop = Origin::stop;
    self = adapter.create(&table, &origin, "me.example/origin");
  }
  ~SourceStepTest() override { adapter.destroy(self); }

  const tenon_source_v2* operator->() const {
    return static_cast<const tenon_source_v2*>(adapter.table);
  }
  tenon_status read(std::vector<RecordV2>& records) {
    const tenon_source_v2_read_batch_request in{sizeof in, 10, nullptr};
    const tenon_source_v2_read_batch_response* out = nullptr;
    const tenon_status status = (*this)->read_batch(call.raw(), self, &in, &out);
    if (status == TENON_OK) records = Value<std::vector<RecordV2>>::own(out->records);
    return status;
  }
  std::optional<Bytes> stop() {
    const tenon_source_v2_stop_request in{sizeof in};
    const tenon_source_v2_stop_response* out = nullptr;
    EXPECT_EQ((*this)->stop(call.raw(), self, &in, &out), TENON_OK);
    return Value<std::optional<Bytes>>::own(out->last_position);
  }

  const Adapter& adapter = *Source::kind().find(1)->adapter_to(2);
  Origin origin;
  tenon_source_v1 table{};
  void* self;
  Call call;
};

TEST_F(SourceStepTest, ReturnsOneRecordPerBatch) {
  std::vector<RecordV2> records;
  for (const char* position : {"1", "2", "3"}) {
    ASSERT_EQ(read(records), TENON_OK);
    ASSERT_EQ(records.size(), 1u);
    EXPECT_EQ(records[0].position, to_bytes(position));
    EXPECT_EQ(records[0].payload.after, to_bytes("payload " + std::string(position)));
  }
  EXPECT_EQ(read(records), TENON_OUT_OF_RANGE);
  EXPECT_EQ(call.message(), "no more records");
}

TEST_F(SourceStepTest, StopReturnsThePositionOfTheLastRecord) {
  std::vector<RecordV2> records;
  ASSERT_EQ(read(records), TENON_OK);
  ASSERT_EQ(read(records), TENON_OK);
  EXPECT_EQ(stop(), to_bytes("2"));
  EXPECT_EQ(origin.told, std::vector<std::string>{"stop"});
}

TEST_F(SourceStepTest, StopWithoutARecordReturnsNoPosition) {
  EXPECT_EQ(stop(), std::nullopt);
}

TEST_F(SourceStepTest, StopWorksWithoutAStopOfThePlugin) {
  table.stop = Origin::no_stop;
  std::vector<RecordV2> records;
  ASSERT_EQ(read(records), TENON_OK);
  EXPECT_EQ(stop(), to_bytes("1"));
}

TEST_F(SourceStepTest, StopForwardsFailuresOfThePlugin) {
  table.stop = Origin::failing_stop;
  std::vector<RecordV2> records;
  ASSERT_EQ(read(records), TENON_OK);
  const tenon_source_v2_stop_request in{sizeof in};
  const tenon_source_v2_stop_response* out = nullptr;
  EXPECT_EQ((*this)->stop(call.raw(), self, &in, &out), TENON_UNAVAILABLE);
  EXPECT_EQ(call.message(), "the file is busy");
  EXPECT_EQ(out, nullptr);
}

TEST_F(SourceStepTest, AcknowledgesOneByOne) {
  const std::vector<Bytes> positions = {to_bytes("1"), to_bytes(""), to_bytes("bad"),
                                        to_bytes("4")};
  const tenon_source_v2_ack_request in{
      sizeof in, Value<std::vector<Bytes>>::raw<Copy::shallow>(call.raw(), positions)};
  EXPECT_EQ((*this)->ack(call.raw(), self, &in), TENON_NOT_FOUND);
  EXPECT_EQ(origin.told, (std::vector<std::string>{"ack 1", "ack "}));
}

TEST_F(SourceStepTest, OpenCallsStart) {
  tenon_source_v2_open_request in{sizeof in, {nullptr, 0}};
  EXPECT_EQ((*this)->open(call.raw(), self, &in), TENON_OK);
  const Bytes position = to_bytes("12");
  in.position = {position.data(), position.size()};
  EXPECT_EQ((*this)->open(call.raw(), self, &in), TENON_OK);
  EXPECT_EQ(origin.told, (std::vector<std::string>{"start anew", "start 12"}));
}

TEST_F(SourceStepTest, IgnoresLifeCycleMethods) {
  const tenon_source_v2_on_created_request created{sizeof created, {}};
  EXPECT_EQ((*this)->on_created(call.raw(), self, &created), TENON_OK);
  const tenon_source_v2_on_updated_request updated{sizeof updated, {}, {}};
  EXPECT_EQ((*this)->on_updated(call.raw(), self, &updated), TENON_OK);
  const tenon_source_v2_on_deleted_request deleted{sizeof deleted, {}};
  EXPECT_EQ((*this)->on_deleted(call.raw(), self, &deleted), TENON_OK);
  EXPECT_EQ(std::vector<std::string_view>(adapter.missing.begin(), adapter.missing.end()),
            (std::vector<std::string_view>{"on_created", "on_updated", "on_deleted"}));
}

TEST(SourceKind, IsASession) {
  EXPECT_EQ(Source::kind().id, "tenon.dev/source");
  EXPECT_TRUE(Source::kind().session);
}

}}  // namespace tenon
