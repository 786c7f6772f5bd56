// SPDX-License-Identifier: BSL-1.0
//
// The records on their way through a pipeline: how long they stay.
#include "pipeline/transit.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace pipeline {
namespace {

using Positions = std::vector<std::string>;

class TransitTest : public testing::Test {
 protected:
  /// Reads a batch of records with these positions.
  tenon::Call* read(const Positions& positions) {
    std::vector<tenon::RecordV2> records(positions.size());
    for (std::size_t i = 0; i < positions.size(); i++) {
      records[i].position = tenon::to_bytes(positions[i]);
    }
    tenon::Call* call = transit_.await_room();
    call->reset();
    using List = tenon::Value<std::vector<tenon::RecordV2>>;
    transit_.add(Records(List::raw<tenon::Copy::deep>(call->raw(), records)));
    return call;
  }
  static Positions positions(const Records& records) {
    Positions all;
    for (const auto record : records) all.emplace_back(record.position().text());
    return all;
  }

  Transit transit_{2};
};

/// A destination may acknowledge what it has not finished reading.
TEST_F(TransitTest, KeepsABatchThatADestinationStillReads) {
  const tenon::Call* first = read({"1", "2"});
  read({"3", "4"});
  read({"5"});
  read({"6"});
  for (const std::size_t lane : {0, 1}) {
    EXPECT_EQ(positions(transit_.offer(lane)), (Positions{"1", "2"}));
    transit_.sent(lane);
  }
  const Records still_read = transit_.offer(0);
  transit_.acknowledge(0, 4);
  transit_.offer(1);
  transit_.sent(1);
  transit_.acknowledge(1, 4);

  EXPECT_EQ(transit_.await_acknowledged(), 2u);
  transit_.settle(2);
  EXPECT_EQ(read({"7"}), first) << "its memory is used again";
  EXPECT_EQ(positions(still_read), (Positions{"3", "4"}));

  transit_.sent(0);
  EXPECT_EQ(transit_.await_acknowledged(), 4u);
}

/// One that ended in the middle of a write is not told that it has written.
TEST_F(TransitTest, DoesNotWaitForADestinationThatHasEnded) {
  read({"1", "2"});
  for (const std::size_t lane : {0, 1}) {
    transit_.offer(lane);
    transit_.acknowledge(lane, 2);
  }
  transit_.sent(0);
  for (int thread = 0; thread < 2; thread++) transit_.finish(1);
  EXPECT_EQ(transit_.await_acknowledged(), 2u);
}

}  // namespace
}  // namespace pipeline
