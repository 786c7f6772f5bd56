// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/async_destination.hpp: a destination for authors who learn later, perhaps on another
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

class AsyncDestination : public WritingDestination {
 public:
  /// Begins to write one record, which is valid during the call. `ack` is called once it is safe or
  /// could not be written, at the latest when `flush` returns. The host gets the acknowledgements
  /// in the order of the writes, whatever the order of the calls. A failure ends the stream:
  /// nothing of the batch is acknowledged, and later writes fail in the same way, unless it is
  /// retryable.
  virtual void write_async(RecordV2View record, const AckCallback& ack) = 0;

  /// Writes all that is open and calls its callbacks. Callbacks that other threads call are waited
  /// for until the deadline of `stop`; then the records that are still open count as not written.
  void flush() override {}

  Refused write_all(ListView<RecordV2> records) final {
    return detail::unless_failed(failure_, call(), [&]() -> Refused {
      for (std::size_t i = 0; i < records.size(); i++)
        write_async(records[i], callback(records, i));
      return {};
    });
  }

 private:
  std::exception_ptr failure_;
};

}  // namespace tenon::sdk
