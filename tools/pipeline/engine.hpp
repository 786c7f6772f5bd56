// SPDX-License-Identifier: BSL-1.0
//
// Runs a pipeline: opens its plugins and moves records from the source through the processors to
// all destinations. Commits records that all destinations have acknowledged: makes their position
// durable, and acknowledges them to the source.
//
// One thread reads, one processes if there are processors (processing.hpp), two work for each
// destination (delivery.hpp) and two more for its own processors (branch.hpp), and one commits. The
// thread of the caller waits for them and tears down the plugins.
#pragma once

#include <tenon/host.hpp>
#include <tenon/mutex.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "branch.hpp"
#include "canceller.hpp"
#include "dead_letters.hpp"
#include "delivery.hpp"
#include "figures.hpp"
#include "in_flight_window.hpp"
#include "open_calls.hpp"
#include "position_store.hpp"
#include "processing.hpp"
#include "stages.hpp"

namespace pipeline {

/// Returns the error of a pipeline whose threads cannot be started.
tenon::Error no_thread(const std::system_error& failed);

/// One run of a pipeline.
class Engine {
 public:
  /// All arguments must outlive the Engine. The plugins have to be configured.
  Engine(tenon::Host& host, const PipelineFile& file, Stages& stages, PositionStore& store,
         const Messages& messages);

  /// Runs until the source ends, `stop` is called or an error occurs, and returns the errors.
  /// Records that were read are still delivered and acknowledged if the destinations accept them.
  /// All plugins are torn down at the end. Called once.
  std::vector<tenon::Error> run();

  /// Stops reading. Calls that do not return are reported after `stop_grace_period`. May be called
  /// from any thread.
  void stop();

  /// Reports the errors that were recorded, delivers nothing more, cancels all calls, and tears
  /// down the plugins whose methods return. Later errors are ignored. The process has to exit after
  /// that, because `run` waits for all methods. May be called from any thread.
  void abandon();

  /// Waits for the teardown after `abandon`, and reports methods that have not returned by the
  /// deadline. May be called from any thread.
  void await_teardown(std::chrono::steady_clock::time_point deadline);

  /// Returns the plugin that the oldest record has waited for since `time` or longer. If there is
  /// no such record, returns the calls that have lasted for that time, except those that wait for
  /// new records. May be called from any thread.
  std::vector<Stall> stalls(std::chrono::nanoseconds time) const;

  /// Returns the progress. May be called from any thread.
  Counts counts() const { return window_.counts(); }
  /// Returns the progress without records that are not committed.
  Counts committed_counts() const { return window_.committed_counts(); }

 private:
  struct Waiting;
  std::optional<Waiting> waiting() const;
  CallSlot& add_slot(const UsedPlugin& stage);
  std::vector<CallSlot*> add_processor_slots();
  bool has_processors(std::optional<std::size_t> destination) const;
  std::vector<std::size_t> processor_indexes(std::optional<std::size_t> destination) const;
  void tear_down();
  bool open_all();
  tenon::Result<void> delete_removed();
  bool delete_destination(const UsedPlugin& removed);
  tenon::Result<void> open_source();
  tenon::Result<void> open_at_position(tenon::Handle<tenon::Source>& source);
  tenon::Result<void> record(std::optional<UsedPlugin>& recorded, const UsedPlugin& used);
  tenon::Result<void> record_destination(const UsedPlugin& used);
  bool open_dead_letters();

  void run_threads();
  void start(const std::string& name, const std::vector<std::size_t>& plugins,
             const std::function<void()>& work);
  void start_all();
  tenon::Result<void> read_all();
  tenon::Result<void> reopen_source();
  tenon::Result<void> stop_source();
  tenon::Result<void> commit_all();
  tenon::Result<void> commit(InFlightWindow::Number until);
  tenon::Result<void> acknowledge(InFlightWindow::Number until);

  bool record_error(const tenon::Result<void>& result, const UsedPlugin& stage);
  bool record_error(const tenon::Result<void>& result);
  std::size_t processor_index(std::size_t number) const;

  tenon::Host& host_;
  const PipelineFile& file_;
  Stages& stages_;
  PositionStore& store_;
  const Messages& messages_;
  Figures figures_;
  OpenCalls calls_;
  CallSlot& source_calls_;
  CallSlot& ack_calls_;
  CallSlot& letter_calls_;
  const std::vector<CallSlot*> processor_calls_;
  InFlightWindow window_;
  Processing processing_;
  DeadLetters dead_letters_;
  std::vector<std::unique_ptr<Branch>> branches_;  // nullptr: the destination has no processors
  std::vector<std::unique_ptr<Delivery>> deliveries_;
  Canceller reading_;
  Canceller acknowledging_;
  tenon::Call ack_call_;
  mutable tenon::sync::Mutex mutex_;
  tenon::sync::ConditionVariable changed_;
  std::vector<tenon::Error> errors_ TENON_GUARDED_BY(mutex_);
  // The number of threads that use the plugin at each index.
  std::vector<int> busy_ TENON_GUARDED_BY(mutex_);
  bool abandoned_ TENON_GUARDED_BY(mutex_) = false;
  // Except plugins whose methods have not returned.
  bool torn_down_ TENON_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace pipeline
