// SPDX-License-Identifier: BSL-1.0
#include "caller.hpp"

#include <sstream>

namespace backup {
Caller::Caller(tenon::Host& host, tenon::tools::Console& console)
    : host_(host), console_(console) {}

void Caller::run(Lane::Body body) {
  const std::lock_guard lock(mutex_);
  if (cancelled_ && !cleans_up_) return;
  if (!lane_) lane_ = std::make_unique<Lane>();
  lane_->start(std::move(body));
}

/// Waits for the body of the lane. Returns false if it was left behind.
bool Caller::await_lane() {
  if (!lane_ || lane_->finish()) return true;
  const std::lock_guard lock(mutex_);
  lane_.reset();
  return false;
}

void Caller::cancel() {
  std::function<void()> act;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    if (lane_) lane_->canceller()();
    act = on_cancel_;
    stopped_.notify_all();
  }
  if (act) act();
}

void Caller::on_cancel(const std::function<void()>& act) {
  std::unique_lock lock(mutex_);
  on_cancel_ = act;
  const bool now = cancelled_ && act;
  lock.unlock();
  if (now) act();
}

void Caller::begin_cleanup() {
  const std::lock_guard lock(mutex_);
  cleans_up_ = true;
}

bool Caller::cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void Caller::wait(std::chrono::nanoseconds time) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, time, [&] { return cancelled_; });
}

tenon::Error Caller::cancelled_error() {
  return tenon::Error({.status = TENON_CANCELLED, .message = "the run was interrupted"});
}

tenon::Error Caller::leave(const tenon::PluginInfo& plugin, std::string_view method,
                           std::chrono::nanoseconds timeout) {
  return leave(plugin, method,
               cancelled() && !cleans_up_ ? "the call did not return when it was cancelled"
                                          : "the call did not return within " + to_text(timeout));
}

tenon::Error Caller::leave(const tenon::PluginInfo& plugin, std::string_view method,
                           const std::string& how) {
  has_left_calls_ = true;
  const auto restarted = host_.restart(plugin.package());
  if (!restarted) console_.say(restarted.error().to_string());
  return tenon::Error(
      {.status = TENON_DEADLINE_EXCEEDED,
       .message = how + " and was left behind" + (restarted ? "; its module was restarted" : ""),
       .plugin = plugin.name(),
       .method = std::string(method)});
}

std::string to_text(std::chrono::nanoseconds time) {
  std::ostringstream text;
  if (time < std::chrono::seconds(1)) {
    text << std::chrono::duration<double, std::milli>(time).count() << "ms";
  } else {
    text << std::chrono::duration<double>(time).count() << "s";
  }
  return text.str();
}

}  // namespace backup
