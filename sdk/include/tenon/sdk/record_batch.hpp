// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/record_batch.hpp: collects the records that a source gives at once.
//
//   std::vector<tenon::RecordV2> read_batch(std::int32_t max,
//                                           std::optional<std::int64_t> max_bytes) override {
//     tenon::sdk::RecordBatch batch(max, max_bytes);
//     while (!batch.full() && has_next()) batch.add(next());
//     return batch.take();
//   }
#pragma once

#include <tenon/record.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Belongs to one thread at a time.
class RecordBatch {
 public:
  /// Takes the limits of read_batch.
  RecordBatch(std::int32_t max, std::optional<std::int64_t> max_bytes)
      : max_(static_cast<std::size_t>(max)),
        max_bytes_(max_bytes.value_or(std::numeric_limits<std::int64_t>::max())) {}

  /// Returns whether the host takes no more records.
  bool full() const noexcept { return records_.size() >= max_ || bytes_ >= max_bytes_; }
  bool empty() const noexcept { return records_.empty(); }
  void add(RecordV2 record) {
    bytes_ += bytes_of(record);
    records_.push_back(std::move(record));
  }
  /// Returns the records; the batch is not used any more.
  std::vector<RecordV2> take() { return std::move(records_); }

 private:
  static std::size_t size_of(const std::optional<Bytes>& bytes) {
    return bytes ? bytes->size() : 0;
  }
  static std::int64_t bytes_of(const RecordV2& record) {
    std::size_t size = record.position.size() + size_of(record.key) +
                       size_of(record.payload.before) + size_of(record.payload.after);
    for (const auto& [key, value] : record.metadata) size += key.size() + value.size();
    return static_cast<std::int64_t>(size);
  }

  const std::size_t max_;
  const std::int64_t max_bytes_;
  std::vector<RecordV2> records_;
  std::int64_t bytes_ = 0;
};

}  // namespace tenon::sdk
