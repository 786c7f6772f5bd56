// SPDX-License-Identifier: BSL-1.0
#include "stall_watch.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "common/duration_setting.hpp"

namespace pipeline {
namespace {

using namespace std::chrono_literals;

/// Returns the time between two checks, a tenth of the shorter limit at most.
std::chrono::nanoseconds interval_of(const StallLimits& limits) {
  const auto shorter = std::min(limits.report_after, limits.fail_after.value_or(1h));
  return std::clamp<std::chrono::nanoseconds>(shorter / 10, 1ms, 3s);
}

std::string text_of(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", std::chrono::duration<double>(time).count());
  return text;
}

}  // namespace

std::vector<Stall> stalls(const OpenCalls& calls, std::chrono::nanoseconds time) {
  std::vector<Stall> stalls;
  for (const OpenCall& call : calls.calls()) {
    if (call.lasted < time || call.method == "read_batch" || call.method == "next_acks") continue;
    stalls.push_back({call.plugin, std::string(call.method) + " has not returned", call.lasted});
  }
  return stalls;
}

StallWatch::StallWatch(const StallLimits& limits, const Messages& messages, Find find,
                       GiveUp give_up)
    : limits_(limits),
      messages_(messages),
      find_(std::move(find)),
      give_up_(std::move(give_up)),
      next_report_(limits.report_after),
      thread_(&StallWatch::run, this) {}

StallWatch::~StallWatch() {
  {
    const tenon::sync::Lock lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void StallWatch::run() {
  const auto interval = interval_of(limits_);
  tenon::sync::Lock lock(mutex_);
  while (!changed_.wait_for(lock, interval, [this]() TENON_REQUIRES(mutex_) { return ended_; })) {
    lock.unlock();
    report();
    check_limit();
    lock.lock();
  }
}

void StallWatch::report() {
  if (find_(limits_.report_after).empty()) {
    next_report_ = limits_.report_after;
    return;
  }
  const std::vector<Stall> stalls = find_(next_report_);
  if (stalls.empty()) return;
  next_report_ = std::min(2 * next_report_, tenon::tools::longest_duration);
  for (const Stall& stall : stalls) {
    messages_.say(stall.plugin + ": no progress for " + text_of(stall.lasted) + ": " +
                  stall.problem);
  }
}

void StallWatch::check_limit() {
  if (given_up_ || !limits_.fail_after) return;
  const std::vector<Stall> stalls = find_(*limits_.fail_after);
  if (stalls.empty()) return;
  given_up_ = true;
  const Stall& stall = stalls.front();
  give_up_(tenon::Error({.code = "no-progress",
                         .message = "the pipeline made no progress for " + text_of(stall.lasted),
                         .where = stall.plugin,
                         .found = stall.problem,
                         .needed = "progress within " + text_of(*limits_.fail_after),
                         .fix = "repair the plugin, or raise \"stall\": {\"fail_after\": ...}; the "
                                "next run resumes after the last position"}));
}

}  // namespace pipeline
