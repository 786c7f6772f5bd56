// SPDX-License-Identifier: BSL-1.0
#include "caller.hpp"

#include <exception>
#include <sstream>

namespace backup {
namespace {

/// How long a call may take beyond its deadline: plugins that look at it return on their own.
constexpr std::chrono::milliseconds grace(500);

}  // namespace

/// One thread for calls, and what it shares with the Caller.
struct Caller::Lane {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void(tenon::Call&)> body;  // empty: nothing to do
  std::exception_ptr thrown;
  bool ended = false;
  tenon::Call call;
};

Caller::Caller(tenon::Host& host, tenon::tools::Console& console)
    : host_(host), console_(console) {}

Caller::~Caller() {
  if (!lane_) return;
  {
    const std::lock_guard lock(lane_->mutex);
    lane_->ended = true;
    lane_->changed.notify_all();
  }
  thread_.join();
}

void Caller::serve(const std::shared_ptr<Lane>& lane) {
  std::unique_lock lock(lane->mutex);
  for (;;) {
    lane->changed.wait(lock, [&] { return lane->ended || lane->body; });
    if (lane->ended) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      lane->body(lane->call);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    lane->thrown = thrown;
    lane->body = nullptr;
    lane->changed.notify_all();
  }
}

Caller::End Caller::run(std::chrono::nanoseconds timeout, std::function<void(tenon::Call&)> body) {
  {
    const std::lock_guard lock(mutex_);
    if (cancelled_ && !cleans_up_) return End::cancelled;
    if (!lane_) {
      lane_ = std::make_shared<Lane>();
      thread_ = std::thread(&Caller::serve, lane_);
    }
    lane_->call.reset();
    lane_->call.set_timeout(timeout);
  }
  std::unique_lock lock(lane_->mutex);
  lane_->body = std::move(body);
  lane_->changed.notify_all();
  const auto returned = [&] { return !lane_->body; };
  if (lane_->changed.wait_for(lock, timeout + grace, returned)) {
    if (lane_->thrown) std::rethrow_exception(std::exchange(lane_->thrown, nullptr));
    return End::returned;
  }
  lane_->ended = true;
  lock.unlock();
  thread_.detach();
  const std::lock_guard cancelling(mutex_);
  lane_.reset();
  return End::left_behind;
}

void Caller::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (lane_) lane_->call.cancel();
  if (on_cancel_) on_cancel_();
  stopped_.notify_all();
}

void Caller::on_cancel(std::function<void()> act) {
  const std::lock_guard lock(mutex_);
  on_cancel_ = std::move(act);
  if (cancelled_ && on_cancel_) on_cancel_();
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

tenon::Error Caller::left_behind(const tenon::PluginInfo& plugin, std::string_view method,
                                 std::chrono::nanoseconds timeout) {
  has_left_calls_ = true;
  const auto restarted = host_.restart(plugin.package());
  if (!restarted) console_.say(restarted.error().to_string());
  return tenon::Error({.status = TENON_DEADLINE_EXCEEDED,
                       .message = "the call did not return within " + to_text(timeout) +
                                  " and was left behind" +
                                  (restarted ? "; its module was restarted" : ""),
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
