// SPDX-License-Identifier: BSL-1.0
#include "engine.hpp"

#include <tenon/record/v2.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "backoff.hpp"
#include "platform/program.hpp"
#include "record_text.hpp"

namespace pipeline {
namespace {

/// The time that methods get to return after they were cancelled.
constexpr std::chrono::seconds longest_cancellation(1);

// Indexes of plugins in Engine::busy_.
constexpr std::size_t source_index = 0;
constexpr std::size_t letters_index = 1;
constexpr std::size_t destination_index(std::size_t number) {
  return number + 2;
}

bool failed_with(const tenon::Error& error, tenon_status code) {
  return TENON_CODE(error.status()) == code;
}

/// Calls on_created or on_updated of a plugin if its configuration differs from that of the
/// previous run. Returns whether the plugin has that method.
template <class K>
tenon::Result<bool> prepare(Stage<K>& stage, const UsedPlugin* before, CallSlot& calls) {
  auto& plugin = *stage.plugin;
  const UsedPlugin& now = stage.used;
  tenon::Result<void> done;
  if (before == nullptr || before->plugin != now.plugin) {
    const CallSlot::Scope call(calls, "on_created");
    done = plugin->on_created(stage.config);
  } else if (before->config != now.config) {
    const auto earlier = tenon::tools::resolved_config(before->config, {&stage.config}).config;
    const CallSlot::Scope call(calls, "on_updated");
    done = plugin->on_updated(earlier, stage.config);
  } else {
    return false;
  }
  if (done) return true;
  return ok_or_unimplemented(done) ? tenon::Result<bool>(false) : std::move(done).error();
}

bool is_same_stage(const UsedPlugin& stage, const UsedPlugin& recorded) {
  return stage.id == recorded.id && stage.plugin == recorded.plugin;
}

/// Finds the entry of a stage. Another plugin that was used under its id has an entry of its own
/// until it is deleted.
std::vector<UsedPlugin>::iterator find(std::vector<UsedPlugin>& all, const UsedPlugin& stage) {
  return std::find_if(all.begin(), all.end(),
                      [&](const UsedPlugin& one) { return is_same_stage(stage, one); });
}

/// Prepares a plugin and opens it with `do_open`. `before` is its entry of the previous run.
/// `record` saves its new entry. A plugin that may have created resources is recorded before it is
/// opened, so that it is asked to remove them even if it can never be opened.
template <class K, class Open, class Record>
tenon::Result<void> open(Stage<K>& stage, const UsedPlugin* before, CallSlot& calls, Open do_open,
                         Record record) {
  if (before != nullptr) {
    tenon::tools::keep_hashes(before->config, stage.config, stage.used.config);
  }
  const auto prepared = prepare(stage, before, calls);
  if (!prepared) return prepared.error();
  if (*prepared) {
    if (auto recorded = record(); !recorded) return recorded;
  }
  {
    const CallSlot::Scope call(calls, "open");
    auto opened = do_open(*stage.plugin);
    if (!ok_or_unimplemented(opened)) return opened;
  }
  return record();
}

tenon::Result<void> open_destination(tenon::Handle<tenon::Destination>& plugin) {
  return plugin->open();
}

/// Returns the positions of records without copying them: a list over the same memory.
tenon::ListView<tenon::Bytes> positions_of(const Records& records) {
  const tenon_list& list = records.raw();
  const char* first = static_cast<const char*>(list.data) + offsetof(tenon_record_v2, position);
  return tenon::ListView<tenon::Bytes>({first, list.count, list.stride});
}

}  // namespace

tenon::Error no_thread(const std::system_error& failed) {
  return tenon::Error(
      {.code = "no-thread",
       .status = TENON_RESOURCE_EXHAUSTED | TENON_RETRYABLE,
       .message = "the system cannot start a thread for the pipeline",
       .found = failed.code().message(),
       .needed = "two threads for each destination, two more if it has processors, one for other "
                 "processors, and four more",
       .fix = "raise the thread limit of this process or user"});
}

Engine::Engine(tenon::Host& host, const PipelineFile& file, Stages& stages, PositionStore& store,
               const Messages& messages)
    : host_(host),
      file_(file),
      stages_(stages),
      store_(store),
      messages_(messages),
      figures_(host, file.name),
      calls_([&](const std::string& call) { messages_.say(call); }, stop_grace_period),
      source_calls_(add_slot(stages.source.used)),
      ack_calls_(add_slot(stages.source.used)),
      letter_calls_(stages.dead_letters ? add_slot(stages.dead_letters->used) : calls_.add("")),
      processor_calls_(add_processor_slots()),
      window_(stages.destinations.size(), file.window, has_processors(std::nullopt),
              file.source.batch.value_or(BatchLimits{})),
      processing_(stages.processors, file.processors, processor_calls_, std::nullopt, window_),
      dead_letters_(file.name, stages, letter_calls_),
      busy_(destination_index(stages.destinations.size()) + stages.processors.size()) {
  for (std::size_t i = 0; i < stages.destinations.size(); ++i) {
    auto& destination = stages.destinations[i];
    branches_.push_back(has_processors(i)
                            ? std::make_unique<Branch>(stages.processors, file.processors,
                                                       processor_calls_, i, window_)
                            : nullptr);
    InFlightWindow& window = branches_[i] ? branches_[i]->window() : window_;
    deliveries_.push_back(
        std::make_unique<Delivery>(destination, file.destinations[i], window, branches_[i] ? 0 : i,
                                   add_slot(destination.used), add_slot(destination.used)));
  }
}

/// Adds a slot for a thread that calls a stage.
CallSlot& Engine::add_slot(const UsedPlugin& stage) {
  const std::string label = label_of(stage);
  return calls_.add(
      label, host_.figure({.name = "calls", .unit = "seconds", .part = file_.name + "/" + label}));
}

/// Adds a slot for each processor.
std::vector<CallSlot*> Engine::add_processor_slots() {
  std::vector<CallSlot*> slots;
  for (const auto& stage : stages_.processors) slots.push_back(&add_slot(stage.used));
  return slots;
}

/// Returns whether a destination has processors of its own; without one, whether all records have.
bool Engine::has_processors(std::optional<std::size_t> destination) const {
  return std::any_of(file_.processors.begin(), file_.processors.end(),
                     [&](const StageUse& use) { return use.destination == destination; });
}

std::vector<tenon::Error> Engine::run() {
  if (open_all()) run_threads();
  tear_down();
  for (std::thread& thread : threads_) thread.join();
  tear_down();  // plugins whose methods returned late
  const tenon::sync::Lock lock(mutex_);
  return abandoned_ ? std::vector<tenon::Error>() : std::move(errors_);
}

/// Tears down the plugins that no thread uses.
void Engine::tear_down() {
  const auto end = [&](auto& stage, CallSlot& calls, std::size_t index) {
    {
      const tenon::sync::Lock lock(mutex_);
      if (busy_[index] != 0) return;
    }
    const CallSlot::Scope call(calls, "teardown");
    stage.plugin.reset();
  };
  end(stages_.source, source_calls_, source_index);
  for (std::size_t i = 0; i < stages_.processors.size(); ++i) {
    end(stages_.processors[i], *processor_calls_[i], processor_index(i));
  }
  for (std::size_t i = 0; i < deliveries_.size(); ++i) {
    end(stages_.destinations[i], deliveries_[i]->writing_calls(), destination_index(i));
  }
  if (stages_.dead_letters) end(*stages_.dead_letters, letter_calls_, letters_index);
  const tenon::sync::Lock lock(mutex_);
  torn_down_ = true;
  changed_.notify_all();
}

void Engine::stop() {
  reading_.cancel();
  window_.flush();
  calls_.end();
}

void Engine::abandon() {
  std::vector<tenon::Error> errors;
  {
    const tenon::sync::Lock lock(mutex_);
    abandoned_ = true;
    errors = errors_;
  }
  for (const tenon::Error& error : errors) messages_.say(error.to_string());
  stop();
  window_.abandon();
  processing_.cancel();
  for (auto& branch : branches_) {
    if (branch) branch->abandon();
  }
  for (auto& delivery : deliveries_) delivery->cancel();
  dead_letters_.cancel();
  acknowledging_.cancel();
  changed_.notify_all();
}

void Engine::await_teardown(std::chrono::steady_clock::time_point deadline) {
  {
    tenon::sync::Lock lock(mutex_);
    changed_.wait_until(lock, deadline, [this]() TENON_REQUIRES(mutex_) { return torn_down_; });
  }
  for (const std::string& call : calls_.longer_than({})) messages_.say(call);
}

/// The oldest record, and the calls that it may wait for.
struct Engine::Waiting {
  InFlightWindow::Oldest record;
  std::vector<const CallSlot*> slots;  // at least one
};

std::optional<Engine::Waiting> Engine::waiting() const {
  using Step = InFlightWindow::Step;
  auto oldest = window_.oldest();
  if (!oldest) return std::nullopt;
  const std::size_t destination = oldest->destination;
  std::optional<std::size_t> own;  // the destination, if the record is in its branch
  if (oldest->step == Step::writing || oldest->step == Step::acknowledging) {
    if (branches_[destination]) {
      own = destination;
      oldest = branches_[destination]->window().oldest();
      if (!oldest) return std::nullopt;
    }
  }
  std::vector<const CallSlot*> slots;
  if (oldest->step == Step::processing) {
    for (std::size_t i = 0; i < processor_calls_.size(); ++i) {
      if (file_.processors[i].destination == own) slots.push_back(processor_calls_[i]);
    }
  } else if (oldest->step == Step::committing) {
    slots = {&letter_calls_, &ack_calls_};
  } else {
    const Delivery& delivery = *deliveries_[destination];
    if (oldest->step == Step::writing) slots.push_back(&delivery.writing_calls());
    slots.push_back(&delivery.collecting_calls());
  }
  return Waiting{*std::move(oldest), std::move(slots)};
}

std::vector<Stall> Engine::stalls(std::chrono::nanoseconds time) const {
  const auto waiting_for = waiting();
  if (!waiting_for) return pipeline::stalls(calls_, time);
  const auto& [oldest, slots] = *waiting_for;
  const auto lasted = std::chrono::steady_clock::now() - oldest.since;
  if (lasted < time) return {};
  const std::string record = "the record at position " + position_text(oldest.position);
  for (const CallSlot* slot : slots) {
    const auto call = slot->call();
    if (!call) continue;
    const bool is_acknowledged = oldest.step == InFlightWindow::Step::acknowledging;
    return {{call->plugin,
             std::string(call->method) + (is_acknowledged ? " has not acknowledged " + record
                                                          : " has not returned, at " + record),
             lasted}};
  }
  return {{slots.back()->plugin(), record + " is not committed", lasted}};
}

/// Records an error of a stage and stops reading. Returns whether the result is a success.
bool Engine::record_error(const tenon::Result<void>& result, const UsedPlugin& stage) {
  return result || record_error(labelled(result.error(), stage));
}

/// Records an error that names its stage already.
bool Engine::record_error(const tenon::Result<void>& result) {
  if (result) return true;
  {
    const tenon::sync::Lock lock(mutex_);
    errors_.push_back(result.error());
  }
  window_.fail();
  stop();
  return false;
}

/// Indexes of processors follow those of destinations.
std::size_t Engine::processor_index(std::size_t number) const {
  return destination_index(stages_.destinations.size()) + number;
}

/// Returns the indexes of the processors of a destination, or of all records.
std::vector<std::size_t> Engine::processor_indexes(std::optional<std::size_t> destination) const {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < file_.processors.size(); ++i) {
    if (file_.processors[i].destination == destination) indexes.push_back(processor_index(i));
  }
  return indexes;
}

// -- Opening ------------------------------------------------------------------

bool Engine::open_all() {
  const UsedPlugin& source = stages_.source.used;
  if (!record_error(delete_removed(), source) || !record_error(open_source(), source) ||
      !record_error(processing_.open_all())) {
    return false;
  }
  for (const auto& branch : branches_) {
    if (branch && !record_error(branch->open_all())) return false;
  }
  for (std::size_t i = 0; i < stages_.destinations.size(); ++i) {
    auto& stage = stages_.destinations[i];
    std::vector<UsedPlugin>& recorded = store_.state().destinations;
    const auto before = find(recorded, stage.used);
    auto opened =
        open(stage, before != recorded.end() ? &*before : nullptr, deliveries_[i]->writing_calls(),
             open_destination, [&] { return record_destination(stage.used); });
    if (!record_error(opened, stage.used)) return false;
  }
  return open_dead_letters();
}

bool Engine::open_dead_letters() {
  if (!stages_.dead_letters) return true;
  auto& stage = *stages_.dead_letters;
  if (!record_error(make_private(stage), stage.used)) return false;
  std::optional<UsedPlugin>& recorded = store_.state().dead_letters;
  return record_error(open(stage, recorded ? &*recorded : nullptr, letter_calls_, open_destination,
                           [&] { return record(recorded, stage.used); }),
                      stage.used);
}

/// Calls on_deleted of destinations that are no longer in the pipeline. If that fails, the
/// destination remains in the state, and the next run tries again.
tenon::Result<void> Engine::delete_removed() {
  std::vector<UsedPlugin>& recorded = store_.state().destinations;
  std::optional<UsedPlugin>& letters = store_.state().dead_letters;
  const bool letters_removed =
      letters && !(stages_.dead_letters && is_same_stage(stages_.dead_letters->used, *letters));
  if (letters_removed) recorded.push_back(*std::exchange(letters, std::nullopt));
  const auto deleted = std::erase_if(recorded, [&](const UsedPlugin& one) {
    const auto& stages = stages_.destinations;
    const bool used = std::any_of(stages.begin(), stages.end(), [&](const auto& stage) {
      return is_same_stage(stage.used, one);
    });
    return !used && delete_destination(one);
  });
  return letters_removed || deleted != 0 ? store_.save() : tenon::Result<void>();
}

/// Calls on_deleted of a removed destination. Returns whether that succeeded.
bool Engine::delete_destination(const UsedPlugin& removed) {
  const CallSlot::Scope call(calls_.add(label_of(removed)), "on_deleted");
  const auto deleted = delete_plugin<tenon::Destination>(host_, removed, file_, messages_);
  if (deleted) return true;
  messages_.say("cannot remove a destination: " + labelled(deleted.error(), removed).to_string());
  return false;
}

/// Prepares the source, and opens it at the last durable position.
tenon::Result<void> Engine::open_source() {
  std::optional<UsedPlugin>& recorded = store_.state().source;
  return open(
      stages_.source, recorded ? &*recorded : nullptr, source_calls_,
      [&](auto& source) { return open_at_position(source); },
      [&] { return record(recorded, stages_.source.used); });
}

tenon::Result<void> Engine::open_at_position(tenon::Handle<tenon::Source>& source) {
  auto opened = source->open(store_.state().position);
  if (opened || !store_.state().position || !failed_with(opened.error(), TENON_OUT_OF_RANGE)) {
    return opened;
  }
  const tenon::Error& error = opened.error();
  return tenon::Error({.code = "wrong-position",
                       .status = error.status(),
                       .message = std::string(error.message()),
                       .where = store_.path().string(),
                       .fix = std::string(error.fix()),
                       .plugin = std::string(error.plugin()),
                       .method = std::string(error.method())});
}

/// Records the source or the destination of dead letters.
tenon::Result<void> Engine::record(std::optional<UsedPlugin>& recorded, const UsedPlugin& used) {
  if (recorded == used) return {};
  recorded = used;
  return store_.save();
}

tenon::Result<void> Engine::record_destination(const UsedPlugin& used) {
  std::vector<UsedPlugin>& recorded = store_.state().destinations;
  const auto before = find(recorded, used);
  if (before == recorded.end()) {
    recorded.push_back(used);
  } else if (*before != used) {
    *before = used;
  } else {
    return {};
  }
  return store_.save();
}

// -- Running ------------------------------------------------------------------

void Engine::run_threads() {
  try {
    start_all();
  } catch (const std::system_error& failed) {
    record_error(no_thread(failed));
    window_.end_reading();
    window_.end_processing();
    for (const auto& branch : branches_) {
      if (branch) branch->end_processing();
    }
  }
  tenon::sync::Lock lock(mutex_);
  const auto idle = [this]() TENON_REQUIRES(mutex_) {
    return std::all_of(busy_.begin(), busy_.end(), [](int threads) { return threads == 0; });
  };
  changed_.wait(lock, [&]() TENON_REQUIRES(mutex_) { return idle() || abandoned_; });
  changed_.wait_for(lock, longest_cancellation, idle);
}

/// Starts the reading thread last: if a thread before it cannot be started, the others have nothing
/// to do and end.
void Engine::start_all() {
  for (std::size_t i = 0; i < deliveries_.size(); ++i) {
    Delivery& delivery = *deliveries_[i];
    const UsedPlugin& destination = stages_.destinations[i].used;
    const std::string number = std::to_string(i + 1);
    start("write " + number, {destination_index(i)},
          [&] { record_error(delivery.write_all(), destination); });
    start("ack " + number, {destination_index(i)},
          [&] { record_error(delivery.collect_all(), destination); });
    if (!branches_[i]) continue;
    Branch& branch = *branches_[i];
    start("process " + number, processor_indexes(i), [&] { record_error(branch.process_all()); });
    start("commit " + number, {}, [&] { branch.commit_all(); });
  }
  if (has_processors(std::nullopt)) {
    start("process", processor_indexes(std::nullopt),
          [&] { record_error(processing_.process_all()); });
  }
  const UsedPlugin& source = stages_.source.used;
  start("commit", {source_index, letters_index}, [&] { record_error(commit_all(), source); });
  start("read", {source_index}, [&] {
    record_error(read_all(), source);
    window_.flush();
    record_error(stop_source(), source);
    window_.end_reading();
  });
}

/// Runs `work` on a new thread that uses the plugins at `plugins`.
void Engine::start(const std::string& name, const std::vector<std::size_t>& plugins,
                   const std::function<void()>& work) {
  const auto count = [this, plugins](int change) {
    const tenon::sync::Lock lock(mutex_);
    for (const std::size_t plugin : plugins) busy_[plugin] += change;
    changed_.notify_all();
  };
  count(1);
  try {
    threads_.emplace_back([=, this] {
      tenon::platform::name_thread(name + " " + file_.name);
      work();
      count(-1);
    });
  } catch (const std::system_error&) {
    count(-1);
    throw;
  }
}

tenon::Result<void> Engine::read_all() {
  auto& source = *stages_.source.plugin;
  Backoff delay(std::chrono::milliseconds(100), std::chrono::seconds(5));
  while (const auto budget = window_.await_capacity()) {
    reading_.attach(*budget.call);
    const auto records = [&] {
      const CallSlot::Scope call(source_calls_, "read_batch");
      return source->read_batch(*budget.call, budget.records, budget.bytes);
    }();
    reading_.detach();
    if (records) {
      delay.reset();
      if (!records->empty()) {
        figures_.read.add(static_cast<double>(records->size()));
        figures_.read_bytes.add(static_cast<double>(window_.add(*records)));
      } else if (reading_.cancelled()) {
        return {};
      }
      continue;
    }
    const tenon::Error& error = records.error();
    if (failed_with(error, TENON_OUT_OF_RANGE)) return {};
    if (reading_.cancelled() && (failed_with(error, TENON_CANCELLED) || error.retryable())) {
      return {};
    }
    if (error.restarted()) {
      if (auto reopened = reopen_source(); !reopened) return reopened;
    } else if (interrupted_by_restart(*budget.call)) {
      continue;
    } else if (error.retryable()) {
      window_.flush();
      reading_.wait(delay.next());
    } else {
      return error;
    }
  }
  return {};
}

/// Opens the source again after a restart of its plugin. It resumes after the stored position, so
/// all records have to be committed before; otherwise some would be read twice.
tenon::Result<void> Engine::reopen_source() {
  if (!window_.await_all_committed()) return {};
  if (auto opened = open_source(); !opened) return opened;
  Stage<tenon::Source>& source = stages_.source;
  tenon::tools::PluginOrigins origins;
  source.used = used(source.used.id, source.plugin->info(), source.used.config, origins);
  return record(store_.state().source, source.used);
}

tenon::Result<void> Engine::stop_source() {
  const CallSlot::Scope call(source_calls_, "stop");
  const auto stopped = (*stages_.source.plugin)->stop();
  // A restarted source is not open, so there is nothing to stop.
  if (stopped || stopped.error().restarted()) return {};
  if (failed_with(stopped.error(), TENON_UNIMPLEMENTED)) return {};
  return stopped.error();
}

// -- Committing ---------------------------------------------------------------

tenon::Result<void> Engine::commit_all() {
  tenon::Result<void> committed;
  while (committed) {
    const auto until = window_.await_committable();
    if (!until) break;
    committed = commit(*until);
  }
  window_.end_committing();
  return committed ? dead_letters_.stop() : committed;
}

tenon::Result<void> Engine::commit(InFlightWindow::Number until) {
  if (const auto refused = window_.refused()) {
    auto added = dead_letters_.add(*refused);
    if (added) {
      window_.resolve_refused();
      figures_.failed.add(1);
    }
    return added;
  }
  store_.state().position = window_.position_before(until).own();
  if (auto saved = store_.save(); !saved) return saved;
  return acknowledge(until);
}

tenon::Result<void> Engine::acknowledge(InFlightWindow::Number until) {
  for (;;) {
    const Records records = window_.uncommitted(until);
    if (records.empty()) return {};
    acknowledging_.attach(ack_call_);
    const CallSlot::Scope call(ack_calls_, "ack");
    auto acknowledged = (*stages_.source.plugin)->ack(ack_call_, positions_of(records));
    // A restarted source gets the position when it is opened again.
    if (!ok_or_unimplemented(acknowledged) && !acknowledged.error().restarted()) {
      return acknowledged;
    }
    window_.commit(records.size());
    figures_.done.add(static_cast<double>(records.size()));
  }
}

}  // namespace pipeline
