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

Processing::Processing(std::vector<Stage<tenon::Processor>>& stages, InFlightWindow& window,
                       OpenCalls& calls)
    : stages_(stages), window_(window) {
  for (const auto& stage : stages) calls_.push_back(&calls.add(label_of(stage.used)));
}

tenon::Result<void> Processing::open_all() {
  for (std::size_t i = 0; i < stages_.size(); ++i) {
    if (auto opened = open(i); !opened) return opened;
  }
  return {};
}

tenon::Result<void> Processing::open(std::size_t number) {
  const CallSlot::Scope call(calls(number), "open");
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
  while (const auto work = window_.await_unprocessed()) {
    work->processed.begin(work->read);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      if (auto done = step(i, work->processed); !done) return done;
    }
    window_.add_processed();
  }
  return {};
}

tenon::Result<void> Processing::step(std::size_t number, ProcessedBatch& batch) {
  auto& processor = *stages_[number].plugin;
  tenon::Call& call = batch.call(number);
  const Records records = batch.begin_step();
  if (records.empty()) return {};
  for (;;) {
    calling_.attach(call);
    const auto results = [&] {
      const CallSlot::Scope scope(calls(number), "process");
      return processor->process(call, records);
    }();
    calling_.detach();
    if (results) return apply(number, *results, records.size(), batch);
    if (results.error().restarted()) {
      if (auto opened = open(number); !opened) return opened;
    } else if (!interrupted_by_restart(call)) {
      return labelled(results.error(), stages_[number].used);
    }
  }
}

tenon::Result<void> Processing::apply(std::size_t number,
                                      tenon::ListView<tenon::Processor::Result> results,
                                      std::size_t count, ProcessedBatch& batch) const {
  if (results.size() != count) return wrong_results(stages_[number].used, results.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto result = results[i];
    if (const auto error = result.error()) {
      batch.refuse(i, refusal(number, *error));
    } else {
      batch.replace(i, result.records());
    }
  }
  return {};
}

}  // namespace pipeline
