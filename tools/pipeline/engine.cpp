// SPDX-License-Identifier: BSL-1.0
#include "engine.hpp"

#include "backoff.hpp"

#include <tenon/record/v2.h>

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace pipeline {
namespace {

/// How long methods may take to return after they were cancelled.
constexpr std::chrono::seconds longest_cancellation(1);

// Places of plugins.
constexpr std::size_t source_place = 0;
constexpr std::size_t letters_place = 1;
constexpr std::size_t destination_place(std::size_t number) {
  return number + 2;
}

/// Names this thread for debuggers and `top -H`. The system takes 15 bytes.
void name_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

bool failed_with(const tenon::Error& error, tenon_status code) {
  return TENON_CODE(error.status()) == code;
}

/// Tells a plugin when it gets a configuration that was not in use before.
template <class K>
tenon::Result<void> prepare(tenon::Handle<K>& plugin, const UsedPlugin& now,
                            const UsedPlugin* before, CallSlot& calls) {
  tenon::Result<void> done;
  if (before == nullptr || before->plugin != now.plugin) {
    const CallSlot::Scope call(calls, "on_created");
    done = plugin->on_created(now.config);
  } else if (before->config != now.config) {
    const CallSlot::Scope call(calls, "on_updated");
    done = plugin->on_updated(before->config, now.config);
  }
  if (done_or_nothing_to_do(done)) return {};
  return done;
}

bool same_place(const UsedPlugin& stage, const UsedPlugin& recorded) {
  return stage.id == recorded.id && stage.plugin == recorded.plugin;
}

/// Finds the plugin that was last used under an id.
std::vector<UsedPlugin>::iterator find(std::vector<UsedPlugin>& all, std::string_view id) {
  return std::find_if(all.begin(), all.end(), [&](const UsedPlugin& one) { return one.id == id; });
}

/// Opens a destination, whose config was `before`.
tenon::Result<void> open(Stage<tenon::Destination>& stage, const UsedPlugin* before,
                         CallSlot& calls) {
  if (auto prepared = prepare(*stage.plugin, stage.used, before, calls); !prepared) return prepared;
  const CallSlot::Scope call(calls, "open");
  auto opened = (*stage.plugin)->open();
  return done_or_nothing_to_do(opened) ? tenon::Result<void>() : opened;
}

/// The positions of records, read in place: each stands where its record has it.
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
       .message = "the system has no thread left for the pipeline",
       .found = failed.code().message(),
       .needed = "two threads for each destination, one for processors, and three more",
       .fix = "raise the limit of threads for this process or user"});
}

Engine::Engine(tenon::Host& host, const PipelineFile& file, Stages& stages, PositionStore& store,
               const Messages& messages)
    : host_(host),
      file_(file),
      stages_(stages),
      store_(store),
      messages_(messages),
      calls_([&](const std::string& call) { messages_.say(call); }, grace_of_stop),
      source_calls_(calls_.add(label_of(stages.source.used))),
      ack_calls_(calls_.add(label_of(stages.source.used))),
      letter_calls_(calls_.add(stages.dead_letters ? label_of(stages.dead_letters->used) : "")),
      transit_(stages.destinations.size(), file.window, !stages.processors.empty()),
      processing_(stages.processors, transit_, calls_),
      dead_letters_(file.name, stages, letter_calls_),
      busy_(destination_place(stages.destinations.size()) + stages.processors.size()) {
  for (std::size_t i = 0; i < stages.destinations.size(); i++) {
    auto& destination = stages.destinations[i];
    const std::string name = label_of(destination.used);
    deliveries_.push_back(
        std::make_unique<Delivery>(destination, transit_, i, calls_.add(name), calls_.add(name)));
  }
}

std::vector<tenon::Error> Engine::run() {
  if (open_all()) carry();
  tear_down();
  for (std::thread& thread : threads_) thread.join();
  tear_down();  // those whose methods returned late
  return std::move(errors_);
}

/// Tears down the plugins that no thread uses.
void Engine::tear_down() {
  const auto end = [&](auto& stage, CallSlot& calls, std::size_t place) {
    {
      const std::lock_guard lock(mutex_);
      if (busy_[place] != 0) return;
    }
    const CallSlot::Scope call(calls, "teardown");
    stage.plugin.reset();
  };
  end(stages_.source, source_calls_, source_place);
  for (std::size_t i = 0; i < stages_.processors.size(); i++) {
    end(stages_.processors[i], processing_.calls(i), processor_place(i));
  }
  for (std::size_t i = 0; i < deliveries_.size(); i++) {
    end(stages_.destinations[i], deliveries_[i]->writing_calls(), destination_place(i));
  }
  if (stages_.dead_letters) end(*stages_.dead_letters, letter_calls_, letters_place);
  const std::lock_guard lock(mutex_);
  torn_down_ = true;
  changed_.notify_all();
}

void Engine::stop() {
  reading_.cancel();
  calls_.end();
}

void Engine::abandon() {
  stop();
  transit_.abandon();
  processing_.cancel();
  for (auto& delivery : deliveries_) delivery->cancel();
  dead_letters_.cancel();
  acknowledging_.cancel();
  const std::lock_guard lock(mutex_);
  abandoned_ = true;
  changed_.notify_all();
}

void Engine::await_teardown(std::chrono::steady_clock::time_point deadline) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline, [&] { return torn_down_; });
  }
  for (const std::string& call : calls_.longer_than({})) messages_.say(call);
}

/// Keeps an error of a stage; nothing more is read then. Returns whether there was none.
bool Engine::note(const tenon::Result<void>& result, const UsedPlugin& stage) {
  return result || note(labelled(result.error(), stage));
}

/// The same with an error that names its stage.
bool Engine::note(const tenon::Result<void>& result) {
  if (result) return true;
  {
    const std::lock_guard lock(mutex_);
    errors_.push_back(result.error());
  }
  transit_.fail();
  stop();
  return false;
}

/// Those of processors come after those of destinations.
std::size_t Engine::processor_place(std::size_t number) const {
  return destination_place(stages_.destinations.size()) + number;
}

// -- Opening ------------------------------------------------------------------

bool Engine::open_all() {
  adopt_ids();
  const UsedPlugin& source = stages_.source.used;
  if (!note(delete_removed(), source) || !note(prepare_source(), source) ||
      !note(open_source(), source) || !note(record_source(), source) ||
      !note(processing_.open_all())) {
    return false;
  }
  for (std::size_t i = 0; i < stages_.destinations.size(); i++) {
    auto& stage = stages_.destinations[i];
    std::vector<UsedPlugin>& recorded = store_.state().destinations;
    const auto before = find(recorded, *stage.used.id);
    auto opened =
        open(stage, before != recorded.end() ? &*before : nullptr, deliveries_[i]->writing_calls());
    if (!note(opened, stage.used)) return false;
    if (!note(record_destination(stage.used), stage.used)) return false;
  }
  return open_dead_letters();
}

bool Engine::open_dead_letters() {
  if (!stages_.dead_letters) return true;
  auto& stage = *stages_.dead_letters;
  std::optional<UsedPlugin>& recorded = store_.state().dead_letters;
  if (!note(open(stage, recorded ? &*recorded : nullptr, letter_calls_), stage.used)) return false;
  if (recorded == stage.used) return true;
  recorded = stage.used;
  return note(store_.save(), stage.used);
}

/// Gives ids to the destinations of a position that was stored without them, in their order.
void Engine::adopt_ids() {
  std::vector<UsedPlugin>& recorded = store_.state().destinations;
  for (const auto& stage : stages_.destinations) {
    const UsedPlugin& used = stage.used;
    if (find(recorded, *used.id) != recorded.end()) continue;
    const auto same = std::find_if(recorded.begin(), recorded.end(), [&](const UsedPlugin& one) {
      return !one.id && one.plugin == used.plugin;
    });
    if (same != recorded.end()) same->id = used.id;
  }
}

/// Calls on_deleted of the destinations that are no longer in the pipeline. If that fails, the
/// destination stays recorded, and the next run tries again.
tenon::Result<void> Engine::delete_removed() {
  std::vector<UsedPlugin>& recorded = store_.state().destinations;
  const auto removed = [&](const UsedPlugin& one) {
    const auto& stages = stages_.destinations;
    return std::none_of(stages.begin(), stages.end(),
                        [&](const auto& stage) { return same_place(stage.used, one); });
  };
  const std::size_t before = recorded.size();
  recorded.erase(std::remove_if(recorded.begin(), recorded.end(),
                                [&](const UsedPlugin& one) { return removed(one) && forget(one); }),
                 recorded.end());
  std::optional<UsedPlugin>& letters = store_.state().dead_letters;
  const bool keep =
      stages_.dead_letters && letters && same_place(stages_.dead_letters->used, *letters);
  if (letters && !keep && forget(*letters)) {
    letters.reset();
  } else if (recorded.size() == before) {
    return {};
  }
  return store_.save();
}

/// Calls on_deleted of a removed destination. Returns whether that succeeded.
bool Engine::forget(const UsedPlugin& removed) {
  const CallSlot::Scope call(calls_.add(label_of(removed)), "on_deleted");
  const auto deleted = delete_plugin<tenon::Destination>(host_, removed, messages_);
  if (deleted) return true;
  messages_.say("cannot remove a destination: " + labelled(deleted.error(), removed).to_string());
  return false;
}

tenon::Result<void> Engine::prepare_source() {
  const auto& before = store_.state().source;
  return prepare(*stages_.source.plugin, stages_.source.used, before ? &*before : nullptr,
                 source_calls_);
}

/// At the last position that is durable.
tenon::Result<void> Engine::open_source() {
  const CallSlot::Scope call(source_calls_, "open");
  auto opened = (*stages_.source.plugin)->open(store_.state().position);
  return done_or_nothing_to_do(opened) ? tenon::Result<void>() : opened;
}

tenon::Result<void> Engine::record_source() {
  std::optional<UsedPlugin>& recorded = store_.state().source;
  if (recorded == stages_.source.used) return {};
  recorded = stages_.source.used;
  return store_.save();
}

tenon::Result<void> Engine::record_destination(const UsedPlugin& used) {
  std::vector<UsedPlugin>& recorded = store_.state().destinations;
  const auto before = find(recorded, *used.id);
  if (before == recorded.end()) {
    recorded.push_back(used);
  } else if (*before != used) {
    *before = used;
  } else {
    return {};
  }
  return store_.save();
}

// -- Carrying -----------------------------------------------------------------

void Engine::carry() {
  try {
    start_all();
  } catch (const std::system_error& failed) {
    note(no_thread(failed));
    transit_.end_reading();
    transit_.end_processing();
  }
  std::unique_lock lock(mutex_);
  const auto idle = [&] {
    return std::all_of(busy_.begin(), busy_.end(), [](int threads) { return threads == 0; });
  };
  changed_.wait(lock, [&] { return idle() || abandoned_; });
  changed_.wait_for(lock, longest_cancellation, idle);
}

/// The reading thread comes last: without it the others have nothing to do and end.
void Engine::start_all() {
  for (std::size_t i = 0; i < deliveries_.size(); i++) {
    Delivery& delivery = *deliveries_[i];
    const UsedPlugin& destination = stages_.destinations[i].used;
    const std::string number = std::to_string(i + 1);
    start("write " + number, {destination_place(i)},
          [&] { note(delivery.write_all(), destination); });
    start("ack " + number, {destination_place(i)},
          [&] { note(delivery.collect_all(), destination); });
  }
  if (!stages_.processors.empty()) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < stages_.processors.size(); i++) {
      places.push_back(processor_place(i));
    }
    start("process", places, [&] { note(processing_.process_all()); });
  }
  const UsedPlugin& source = stages_.source.used;
  start("settle", {source_place, letters_place}, [&] { note(settle_all(), source); });
  start("read", {source_place}, [&] {
    note(read_all(), source);
    note(stop_source(), source);
    transit_.end_reading();
  });
}

/// Runs `work` on a thread that uses the plugins at `places`.
void Engine::start(const std::string& name, const std::vector<std::size_t>& places,
                   const std::function<void()>& work) {
  const auto count = [this, places](int change) {
    const std::lock_guard lock(mutex_);
    for (const std::size_t place : places) busy_[place] += change;
    changed_.notify_all();
  };
  count(1);
  try {
    threads_.emplace_back([=, this] {
      name_thread(name + " " + file_.name);
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
  while (const auto room = transit_.await_room()) {
    reading_.use(*room.call);
    const auto records = [&] {
      const CallSlot::Scope call(source_calls_, "read_batch");
      return source->read_batch(*room.call, room.records, room.bytes);
    }();
    reading_.forget();
    if (records) {
      delay.reset();
      if (!records->empty()) {
        transit_.add(*records);
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
    } else if (interrupted(*room.call)) {
      continue;
    } else if (error.retryable()) {
      reading_.wait(delay.next());
    } else {
      return error;
    }
  }
  return {};
}

/// The plugin was restarted and has lost its position. It resumes after the stored position; so
/// that nothing is read twice, every record must be settled before.
tenon::Result<void> Engine::reopen_source() {
  if (!transit_.await_settled()) return {};
  if (auto opened = open_source(); !opened) return opened;
  if (const auto info = host_.find<tenon::Source>(file_.source.reference)) {
    stages_.source.used = used(*stages_.source.used.id, *info, stages_.source.used.config);
  }
  return record_source();
}

tenon::Result<void> Engine::stop_source() {
  const CallSlot::Scope call(source_calls_, "stop");
  const auto stopped = (*stages_.source.plugin)->stop();
  // After a restart nothing is open that could be stopped.
  if (stopped || stopped.error().restarted()) return {};
  if (failed_with(stopped.error(), TENON_UNIMPLEMENTED)) return {};
  return stopped.error();
}

// -- Settling -----------------------------------------------------------------

tenon::Result<void> Engine::settle_all() {
  tenon::Result<void> settled;
  while (settled) {
    const auto until = transit_.await_acknowledged();
    if (!until) break;
    settled = settle(*until);
  }
  transit_.end_settling();
  return settled ? dead_letters_.stop() : settled;
}

tenon::Result<void> Engine::settle(Transit::Number until) {
  if (const auto refused = transit_.refused()) {
    auto taken = dead_letters_.take(*refused);
    if (taken) transit_.pass_refused();
    return taken;
  }
  store_.state().position = transit_.position_before(until).own();
  if (auto saved = store_.save(); !saved) return saved;
  return acknowledge(until);
}

tenon::Result<void> Engine::acknowledge(Transit::Number until) {
  for (;;) {
    const Records records = transit_.unsettled(until);
    if (records.empty()) return {};
    acknowledging_.use(settle_call_);
    const CallSlot::Scope call(ack_calls_, "ack");
    auto acknowledged = (*stages_.source.plugin)->ack(settle_call_, positions_of(records));
    // A source that was restarted learns it from the position at which it is opened.
    if (!done_or_nothing_to_do(acknowledged) && !acknowledged.error().restarted()) {
      return acknowledged;
    }
    transit_.settle(records.size());
  }
}

}  // namespace pipeline
