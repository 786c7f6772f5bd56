// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/record_batch.hpp: builds the batch of records that a source returns, within the limits
// of the host.
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/call.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace tenon::sdk {

/// Used by one thread and destroyed before its call ends. Records are copied to the arena of the
/// call, so a plugin that reuses one RecordV2 for all of them does not allocate memory for each.
class RecordBatch {
 public:
  /// Takes the limits of read_batch: records, and bytes of positions, keys, payloads and metadata.
  RecordBatch(Call call, std::int32_t max, std::optional<std::int64_t> max_bytes) noexcept
      : call_(call.raw()),
        max_(static_cast<std::size_t>(max)),
        max_bytes_(max_bytes.value_or(std::numeric_limits<std::int64_t>::max())) {}
  RecordBatch(const RecordBatch&) = delete;
  RecordBatch& operator=(const RecordBatch&) = delete;

  /// Returns whether a limit is reached. `add` still accepts records then.
  bool full() const noexcept { return size_ >= max_ || bytes_ >= max_bytes_; }
  /// Returns whether the batch has no records.
  bool empty() const noexcept { return size_ == 0; }

  /// Adds a deep copy of the record.
  void add(const RecordV2& record) {
    if (size_ == capacity_) grow();
    records_[size_] = Value<RecordV2>::raw<Copy::deep>(call_, record);
    bytes_ += bytes_of(records_[size_]);
    ++size_;
  }

  /// Returns the records, which are valid as long as the arena of the call.
  ListView<RecordV2> records() const noexcept {
    return ListView<RecordV2>({records_, size_, sizeof(tenon_record_v2)});
  }

 private:
  static constexpr std::size_t initial_capacity = 16;

  void grow() {
    const std::size_t capacity =
        std::min(std::max(2 * capacity_, initial_capacity), std::max(max_, size_ + 1));
    auto* records =
        static_cast<tenon_record_v2*>(tenon_allocate(call_, capacity * sizeof(tenon_record_v2)));
    std::copy_n(records_, size_, records);
    records_ = records;
    capacity_ = capacity;
  }

  static std::size_t size_of(std::optional<BytesView> bytes) { return bytes ? bytes->size() : 0; }
  static std::int64_t bytes_of(const tenon_record_v2& raw) {
    const RecordV2View record(raw);
    std::size_t size = record.position().size() + size_of(record.key()) +
                       size_of(record.payload().before()) + size_of(record.payload().after());
    for (const auto& [key, value] : record.metadata()) size += key.size() + value.size();
    return static_cast<std::int64_t>(size);
  }

  tenon_call* const call_;
  const std::size_t max_;
  const std::int64_t max_bytes_;
  tenon_record_v2* records_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace tenon::sdk
