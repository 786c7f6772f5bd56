// SPDX-License-Identifier: BSL-1.0
#include "pipeline_run.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "backoff.hpp"
#include "common/command_line.hpp"

namespace pipeline {
namespace {

using namespace std::chrono_literals;

bool is_io_error(const tenon::Error& error) {
  return error.code() == "cannot-write" || error.code() == "in-use" ||
         error.code() == "no-thread" || error.code() == "untrusted-file";
}

/// Returns whether another attempt may succeed: the error is retryable, or the module was restarted
/// or crashed.
bool is_transient(const tenon::Error& error) {
  return error.retryable() || error.restarted() || TENON_CODE(error.status()) == TENON_CRASHED;
}

/// Returns a duration as "1.5 s".
std::string seconds(std::chrono::milliseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(time).count());
  return text;
}

}  // namespace

void PipelineRun::run(Stages first) noexcept {
  Exit exit = io_failed;
  try {
    exit = run_attempts(std::move(first));
  } catch (const std::exception& error) {
    messages_.say(error.what());
  }
  const tenon::sync::Lock lock(mutex_);
  exit_ = exit;
  changed_.notify_all();
}

std::optional<Exit> PipelineRun::await_end() {
  tenon::sync::Lock lock(mutex_);
  changed_.wait(lock, [this]() TENON_REQUIRES(mutex_) { return exit_ || given_up_; });
  if (exit_) return exit_;
  lock.unlock();
  const auto deadline = std::chrono::steady_clock::now() + longest_teardown;
  await_teardown(deadline);
  lock.lock();
  changed_.wait_until(lock, deadline,
                      [this]() TENON_REQUIRES(mutex_) { return exit_.has_value(); });
  return exit_;
}

/// Ends the run because there was no progress.
void PipelineRun::give_up(const tenon::Error& error) {
  messages_.say(error.to_string());
  host_.set_health(file_.name, error.to_string());
  abandon();
  const tenon::sync::Lock lock(mutex_);
  given_up_ = true;
  changed_.notify_all();
}

Exit PipelineRun::run_attempts(Stages first) {
  Backoff delay(1s, 10min);
  std::optional<Stages> stages(std::move(first));
  for (;;) {
    std::vector<tenon::Error> errors;
    if (stages) {
      const auto before = counts().acknowledged;
      host_.set_health(file_.name, {});
      errors = attempt(*stages);
      for (const tenon::Error& error : errors) messages_.say(error.to_string());
      if (!errors.empty()) host_.set_health(file_.name, errors.front().to_string());
      if (is_abandoned()) return failed;
      if (std::any_of(errors.begin(), errors.end(), is_io_error)) return io_failed;
      if (errors.empty()) return done;
      if (is_stopped() || !std::all_of(errors.begin(), errors.end(), is_transient)) return failed;
      if (counts().acknowledged != before) delay.reset();
    }
    const auto time = delay.next();
    messages_.say("resumes in " + seconds(time));
    if (!wait(time)) return failed;
    figures_.recoveries.add(1);
    stages = recreate_stages();
    if (is_abandoned()) return failed;
  }
}

/// Creates the plugins of the next attempt. Problems are reported.
std::optional<Stages> PipelineRun::recreate_stages() {
  try {
    const auto calls = std::make_shared<OpenCalls>(
        [&](const std::string& call) { messages_.say(call); }, stop_grace_period);
    set_creating(calls);
    Diagnostics diagnostics;
    tenon::tools::PluginOrigins origins;
    const StallWatch watch(
        file_.stall, messages_, [&](auto time) { return stalls(*calls, time); },
        [&](const tenon::Error& error) { give_up(error); });
    auto stages = create_stages(host_, file_, messages_, *calls, origins, diagnostics);
    set_creating(nullptr);
    tenon::tools::print(diagnostics);
    return stages;
  } catch (const std::system_error& failed) {
    messages_.say(no_thread(failed).to_string());
    return std::nullopt;
  }
}

void PipelineRun::set_creating(std::shared_ptr<OpenCalls> calls) {
  const tenon::sync::Lock lock(mutex_);
  creating_ = std::move(calls);
  if (creating_ && stopped_) creating_->end();
}

/// Runs one attempt. If another one follows, records that are not committed are not counted,
/// because they are read again.
std::vector<tenon::Error> PipelineRun::attempt(Stages& stages) {
  std::shared_ptr<Engine> engine;
  std::optional<StallWatch> watch;
  try {
    engine = std::make_shared<Engine>(host_, file_, stages, store_, messages_);
    watch.emplace(
        file_.stall, messages_, [&](auto time) { return engine->stalls(time); },
        [&](const tenon::Error& error) { give_up(error); });
  } catch (const std::system_error& failed) {
    return {no_thread(failed)};
  }
  {
    const tenon::sync::Lock lock(mutex_);
    engine_ = engine;
    if (stopped_) engine->stop();
  }
  auto errors = engine->run();
  watch.reset();
  const bool again = !errors.empty() && std::all_of(errors.begin(), errors.end(), is_transient);
  const Counts counts = again ? engine->committed_counts() : engine->counts();
  const tenon::sync::Lock lock(mutex_);
  engine_.reset();
  earlier_ += counts;
  return errors;
}

/// Returns whether the time has passed without a request to stop.
bool PipelineRun::wait(std::chrono::milliseconds time) {
  tenon::sync::Lock lock(mutex_);
  return !changed_.wait_for(lock, time, [this]() TENON_REQUIRES(mutex_) { return stopped_; });
}

void PipelineRun::stop() {
  {
    const tenon::sync::Lock lock(mutex_);
    stopped_ = true;
    if (creating_) creating_->end();
    changed_.notify_all();
  }
  if (const auto running = engine()) running->stop();
}

void PipelineRun::abandon() {
  {
    const tenon::sync::Lock lock(mutex_);
    abandoned_ = true;
  }
  if (const auto running = engine()) running->abandon();
}

void PipelineRun::await_teardown(std::chrono::steady_clock::time_point deadline) const {
  if (const auto running = engine()) running->await_teardown(deadline);
  const auto calls = [&] {
    const tenon::sync::Lock lock(mutex_);
    return creating_ ? creating_->longer_than({}) : std::vector<std::string>();
  }();
  for (const std::string& call : calls) messages_.say(call);
}

Counts PipelineRun::counts() const {
  const tenon::sync::Lock lock(mutex_);
  Counts counts = earlier_;
  if (engine_) counts += engine_->counts();
  return counts;
}

bool PipelineRun::is_stopped() const {
  const tenon::sync::Lock lock(mutex_);
  return stopped_;
}

bool PipelineRun::is_abandoned() const {
  const tenon::sync::Lock lock(mutex_);
  return abandoned_;
}

std::shared_ptr<Engine> PipelineRun::engine() const {
  const tenon::sync::Lock lock(mutex_);
  return engine_;
}

}  // namespace pipeline
