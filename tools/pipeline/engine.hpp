// SPDX-License-Identifier: BSL-1.0
//
// Runs a pipeline: opens its plugins, carries records from the source through the processors to all
// destinations, and acknowledges to the source what has reached all of them, once that is durable.
//
// One thread reads, one processes if there are processors (processing.hpp), two work for each
// destination (delivery.hpp), and one settles what all destinations have acknowledged. The caller's
// thread waits for them and tears the plugins down.
#pragma once

#include "canceller.hpp"
#include "dead_letters.hpp"
#include "delivery.hpp"
#include "open_calls.hpp"
#include "position_store.hpp"
#include "processing.hpp"
#include "stages.hpp"
#include "transit.hpp"

#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace pipeline {

/// The error of a pipeline for which there is no thread.
tenon::Error no_thread(const std::system_error& failed);

class Engine {
 public:
  /// All of them live longer. The plugins are configured.
  Engine(tenon::Host& host, const PipelineFile& file, Stages& stages, PositionStore& store,
         const Messages& messages);

  /// Runs until the source ends, `stop` is called or something fails, and returns what failed. The
  /// records that were read are delivered and acknowledged as far as the destinations accept them.
  /// All plugins are torn down at the end. Once.
  std::vector<tenon::Error> run();

  /// Stops reading. Calls that do not return are reported after some seconds. May be called from
  /// any thread.
  void stop();

  /// Delivers nothing more, and tears down the plugins whose methods return. The process has to end
  /// then: `run` does not return before every method has. May be called from any thread.
  void abandon();

  /// Waits for that, and reports the methods that have not returned. After `abandon`, from any
  /// thread.
  void await_teardown(std::chrono::steady_clock::time_point deadline);

  /// From any thread.
  Counts counts() const { return transit_.counts(); }
  /// The same, without the records that were not acknowledged.
  Counts settled_counts() const { return transit_.settled_counts(); }

 private:
  void tear_down();
  bool open_all();
  tenon::Result<void> prepare_source();
  void adopt_ids();
  tenon::Result<void> delete_removed();
  bool forget(const UsedPlugin& removed);
  tenon::Result<void> open_source();
  tenon::Result<void> record_source();
  tenon::Result<void> record_destination(const UsedPlugin& used);
  bool open_dead_letters();

  void carry();
  void start(const std::string& name, const std::vector<std::size_t>& places,
             const std::function<void()>& work);
  void start_all();
  tenon::Result<void> read_all();
  tenon::Result<void> reopen_source();
  tenon::Result<void> stop_source();
  tenon::Result<void> settle_all();
  tenon::Result<void> settle(Transit::Number until);
  tenon::Result<void> acknowledge(Transit::Number until);

  bool note(const tenon::Result<void>& result, const UsedPlugin& stage);
  bool note(const tenon::Result<void>& result);
  std::size_t processor_place(std::size_t number) const;

  tenon::Host& host_;
  const PipelineFile& file_;
  Stages& stages_;
  PositionStore& store_;
  const Messages& messages_;
  OpenCalls calls_;
  CallSlot& source_calls_;
  CallSlot& ack_calls_;
  CallSlot& letter_calls_;
  Transit transit_;
  Processing processing_;
  DeadLetters dead_letters_;
  std::vector<std::unique_ptr<Delivery>> deliveries_;
  Canceller reading_;
  Canceller acknowledging_;
  tenon::Call settle_call_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<tenon::Error> errors_;
  std::vector<int> busy_;  // how many threads use the plugin at each place
  bool abandoned_ = false;
  bool torn_down_ = false;  // as far as methods returned
  std::vector<std::thread> threads_;
};

}  // namespace pipeline
