// SPDX-License-Identifier: BSL-1.0
#include "branch.hpp"

#include <utility>

namespace pipeline {

tenon::Result<void> Branch::process_all() {
  auto done = process_until_end();
  if (!done) pipeline_.close(destination_);
  end_processing();
  pipeline_.finish_thread(destination_);
  return done;
}

tenon::Result<void> Branch::process_until_end() {
  while (pipeline_.await_work(destination_)) {
    const Records records = pipeline_.offer(destination_);
    if (records.empty()) {
      end_processing();
      pipeline_.mark_stopped(destination_);
      continue;
    }
    if (!window_.await_capacity()) return {};
    window_.add(records);
    const auto processed = processing_.process_next();
    if (!processed) return processed.error();
    pipeline_.pass_on(destination_);
  }
  return {};
}

void Branch::commit_all() {
  while (const auto until = window_.await_committable()) {
    if (auto refused = window_.refused()) {
      if (!refuse(*std::move(refused))) break;
      window_.resolve_refused();
      continue;
    }
    for (auto count = window_.uncommitted(*until).size(); count != 0;
         count = window_.uncommitted(*until).size()) {
      // In this order: the records are in the memory of the pipeline's window.
      window_.commit(count);
      pipeline_.acknowledge(destination_, count);
    }
  }
  window_.end_committing();
  pipeline_.close(destination_);
  pipeline_.finish_thread(destination_);
}

/// Passes a refusal on. Returns false if it will never be resolved.
bool Branch::refuse(InFlightWindow::Refused refused) {
  Refusal refusal = std::move(refused.refusals.front());
  if (refusal.by == Refusal::By::destination) refusal.number = destination_;
  return pipeline_.refuse(destination_, std::move(refusal), refused.record);
}

void Branch::end_processing() {
  window_.end_reading();
  window_.end_processing();
}

void Branch::abandon() {
  window_.abandon();
  processing_.cancel();
}

}  // namespace pipeline
