// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/async_destination.hpp: a base for destinations that learn later, perhaps on another
// thread, whether a record was written.
//
//   struct Sender : tenon::sdk::AsyncDestination {
//     void write_async(tenon::RecordV2View record, const tenon::sdk::AckCallback& ack) override {
//       connection.send(record.payload().after(), [ack](bool sent) {
//         sent ? ack() : ack({"not-sent", "the peer refused the record", false});
//       });
//     }
//     void flush() override { connection.send_all(); }
//   };
#pragma once

#include <tenon/sdk/writing_destination.hpp>

#include <cstddef>
#include <exception>

namespace tenon::sdk {

/// Override `write_async`, and `flush` if the plugin holds records.
class AsyncDestination : public WritingDestination {
 public:
  /// Begins to write one record. `record` is valid during the call. The plugin calls `ack`, on any
  /// thread, when the record is safe or could not be written, at the latest before `flush` returns.
  /// The host gets the acknowledgements in the order of the writes. After an exception nothing of
  /// the batch is acknowledged, and later writes throw it again unless it is retryable.
  virtual void write_async(RecordV2View record, const AckCallback& ack) = 0;

  /// Writes all pending records and calls their callbacks. If other threads call them, `stop` waits
  /// for the callbacks until its deadline; records that are pending then count as not written.
  void flush() override {}

  /// Calls `write_async` for each record.
  Refused write_all(ListView<RecordV2> records) final {
    return detail::unless_failed(failure_, call(), [&]() -> Refused {
      for (std::size_t i = 0; i < records.size(); ++i)
        write_async(records[i], callback(records, i));
      return {};
    });
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace tenon::sdk
