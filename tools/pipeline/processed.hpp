// SPDX-License-Identifier: BSL-1.0
//
// What became of the records of one batch.
#pragma once

#include "refusal.hpp"

#include <tenon/record/v2.h>
#include <tenon/call.hpp>
#include <tenon/record.hpp>
#include <tenon/values.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace pipeline {

using Records = tenon::ListView<tenon::Record>;

/// Belongs to one thread at a time. Its memory is used again for other batches.
class Processed {
 public:
  /// Begins with the records as they were read. They live longer.
  void begin(const Records& read) {
    refused_.clear();
    records_.clear();
    origins_.clear();
    for (std::size_t i = 0; i < read.size(); i++) add(i, read[i].raw());
  }

  /// The records to process next. They are valid until the `begin_step` after the next.
  Records begin_step() {
    records_.swap(previous_);
    origins_.swap(previous_origins_);
    records_.clear();
    origins_.clear();
    return list(previous_);
  }
  /// The record with this index in the step became these. They get its position.
  void replace(std::size_t index, const Records& by) {
    const std::size_t origin = previous_origins_[index];
    if (is_refused(origin)) return;
    for (const auto record : by) {
      add(origin, record.raw());
      records_.back().position = previous_[index].position;
    }
  }
  /// The record with this index in the step is refused, and with it all that its origin became.
  void refuse(std::size_t index, Refusal refusal) {
    const std::size_t origin = previous_origins_[index];
    if (!refused_.emplace(origin, std::move(refusal)).second) return;
    while (!origins_.empty() && origins_.back() == origin) {
      origins_.pop_back();
      records_.pop_back();
    }
  }

  Records records() const { return list(records_); }
  /// The index of the record that was read, of which this one came.
  std::size_t origin(std::size_t index) const { return origins_[index]; }
  /// How many of the records came from the first `count` that were read.
  std::size_t count_of(std::size_t count) const {
    return static_cast<std::size_t>(std::lower_bound(origins_.begin(), origins_.end(), count) -
                                    origins_.begin());
  }
  /// By the index of the record that was read.
  const std::map<std::size_t, Refusal>& refused() const { return refused_; }

  /// Holds what a processor returned.
  tenon::Call& call(std::size_t processor) {
    while (calls_.size() <= processor) calls_.push_back(std::make_unique<tenon::Call>());
    return *calls_[processor];
  }

 private:
  static Records list(const std::vector<tenon_record_v2>& records) {
    return Records({records.data(), records.size(), sizeof(tenon_record_v2)});
  }
  bool is_refused(std::size_t origin) const {
    return !refused_.empty() && refused_.count(origin) != 0;
  }
  void add(std::size_t origin, const tenon_record_v2& record) {
    origins_.push_back(origin);
    records_.push_back(record);
  }

  std::vector<tenon_record_v2> records_;
  std::vector<std::size_t> origins_;  // of each record, ascending
  std::vector<tenon_record_v2> previous_;
  std::vector<std::size_t> previous_origins_;
  std::map<std::size_t, Refusal> refused_;
  std::vector<std::unique_ptr<tenon::Call>> calls_;
};

}  // namespace pipeline
