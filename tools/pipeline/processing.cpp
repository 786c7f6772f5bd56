// SPDX-License-Identifier: BSL-1.0
#include "processing.hpp"

#include <string>
#include <utility>

namespace pipeline {
namespace {

tenon::Error wrong_results(const UsedPlugin& used, std::size_t found, std::size_t needed) {
  return tenon::Error({.code = "wrong-results",
                       .message = "the processor does not return a result for each record",
                       .where = label_of(used),
                       .found = std::to_string(found) + " results",
                       .needed = std::to_string(needed) + ", one for each record",
                       .fix = "report this to the author of the plugin"});
}

Refusal refusal(std::size_t number, tenon::Processor::ResultErrorView error) {
  return {Refusal::By::processor,
          number,
          {.code = std::string(error.code()),
           .message = std::string(error.message()),
           .retryable = error.retryable()}};
}

}  // namespace

Processing::Processing(std::vector<Stage<tenon::Processor>>& stages,
                       const std::vector<StageUse>& uses, const std::vector<CallSlot*>& calls,
                       std::optional<std::size_t> destination, InFlightWindow& window)
    : stages_(stages), uses_(uses), calls_(calls), window_(window) {
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i].destination == destination) numbers_.push_back(i);
  }
}

tenon::Result<void> Processing::open_all() {
  for (const std::size_t number : numbers_) {
    if (auto opened = open(number); !opened) return opened;
  }
  return {};
}

tenon::Result<void> Processing::open(std::size_t number) {
  const CallSlot::Scope call(*calls_[number], "open");
  const auto opened = (*stages_[number].plugin)->open();
  if (ok_or_unimplemented(opened)) return {};
  return labelled(opened.error(), stages_[number].used);
}

tenon::Result<void> Processing::process_all() {
  auto done = process_until_end();
  window_.end_processing();
  return done;
}

tenon::Result<void> Processing::process_until_end() {
  for (;;) {
    const auto processed = process_next();
    if (!processed) return processed.error();
    if (!*processed) return {};
  }
}

tenon::Result<bool> Processing::process_next() {
  const auto work = window_.await_unprocessed();
  if (!work) return false;
  work->processed.begin(work->read);
  for (std::size_t i = 0; i < numbers_.size(); ++i) {
    const auto done = step(numbers_[i], work->processed.call(i), work->processed);
    if (!done) return done.error();
  }
  window_.add_processed();
  return true;
}

tenon::Result<void> Processing::step(std::size_t number, tenon::Call& call, ProcessedBatch& batch) {
  auto& processor = *stages_[number].plugin;
  const Records all = batch.begin_step();
  const Records records = uses_[number].condition ? select(number, all) : all;
  if (records.empty()) {
    apply(number, {}, all.size(), batch);
    return {};
  }
  for (;;) {
    calling_.attach(call);
    const auto results = [&] {
      const CallSlot::Scope scope(*calls_[number], "process");
      return processor->process(call, records);
    }();
    calling_.detach();
    if (results) {
      if (results->size() != records.size()) {
        return wrong_results(stages_[number].used, results->size(), records.size());
      }
      apply(number, *results, all.size(), batch);
      return {};
    }
    if (results.error().restarted()) {
      if (auto opened = open(number); !opened) return opened;
    } else if (!interrupted_by_restart(call)) {
      return labelled(results.error(), stages_[number].used);
    }
  }
}

/// Returns the records that meet the condition of a processor, until the next call.
Records Processing::select(std::size_t number, const Records& records) {
  selected_.clear();
  is_selected_.assign(records.size(), false);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!uses_[number].condition->holds(records[i])) continue;
    is_selected_[i] = true;
    selected_.push_back(records[i].raw());
  }
  return Records({selected_.data(), selected_.size(), sizeof(tenon_record_v2)});
}

/// Applies the results for the selected records, and passes on the others of `count` records.
void Processing::apply(std::size_t number, tenon::ListView<tenon::Processor::Result> results,
                       std::size_t count, ProcessedBatch& batch) const {
  const bool has_condition = uses_[number].condition.has_value();
  std::size_t next = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (has_condition && !is_selected_[i]) {
      batch.keep(i);
      continue;
    }
    const auto result = results[next++];
    if (const auto error = result.error()) {
      batch.refuse(i, refusal(number, *error));
    } else {
      batch.replace(i, result.records());
    }
  }
}

}  // namespace pipeline
