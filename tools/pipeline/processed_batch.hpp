// SPDX-License-Identifier: BSL-1.0
//
// The processed records of one batch.
#pragma once

#include <tenon/call.hpp>
#include <tenon/record.hpp>
#include <tenon/record/v2.h>
#include <tenon/values.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "refusal.hpp"

namespace pipeline {

using Records = tenon::ListView<tenon::Record>;

/// Used by one thread at a time. Its memory is reused for other batches.
class ProcessedBatch {
 public:
  /// Begins with the records as they were read, which must outlive the batch.
  void begin(const Records& read) {
    refused_.clear();
    records_.clear();
    origins_.clear();
    for (std::size_t i = 0; i < read.size(); ++i) add(i, read[i].raw());
  }

  /// Begins the step of the next processor, and returns its input, which is valid until the second
  /// `begin_step` after this one.
  Records begin_step() {
    records_.swap(previous_);
    origins_.swap(previous_origins_);
    records_.clear();
    origins_.clear();
    return list(previous_);
  }
  /// Sets the output for the record with this index in the step. Gives it the position of the
  /// record.
  void replace(std::size_t index, const Records& by) {
    const std::size_t origin = previous_origins_[index];
    if (is_refused(origin)) return;
    for (const auto record : by) {
      add(origin, record.raw());
      records_.back().position = previous_[index].position;
    }
  }
  /// Passes on the record with this index in the step as it is.
  void keep(std::size_t index) {
    const std::size_t origin = previous_origins_[index];
    if (!is_refused(origin)) add(origin, previous_[index]);
  }
  /// Refuses the record with this index in the step, and all other records that come from the same
  /// record that was read.
  void refuse(std::size_t index, Refusal refusal) {
    const std::size_t origin = previous_origins_[index];
    if (!refused_.emplace(origin, std::move(refusal)).second) return;
    while (!origins_.empty() && origins_.back() == origin) {
      origins_.pop_back();
      records_.pop_back();
    }
  }

  /// Returns the output of the current step.
  Records records() const { return list(records_); }
  /// Returns the index of the record that was read from which this record comes.
  std::size_t origin(std::size_t index) const { return origins_[index]; }
  /// Returns how many of the records come from the first `count` records that were read.
  std::size_t count_of(std::size_t count) const {
    return static_cast<std::size_t>(std::lower_bound(origins_.begin(), origins_.end(), count) -
                                    origins_.begin());
  }
  /// Returns the refusals, by the index of the record that was read.
  const std::map<std::size_t, Refusal>& refused() const { return refused_; }

  /// Returns the Call for a processor, whose arena holds its results.
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
