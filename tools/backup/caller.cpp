// SPDX-License-Identifier: BSL-1.0
#include "caller.hpp"

#include <sstream>
#include <stdexcept>

namespace backup {
Caller::Caller(tenon::Host& host, tenon::tools::Console& console)
    : host_(host), console_(console) {}

void Caller::run(tenon::CallThread::Task task) {
  const tenon::sync::Lock lock(mutex_);
  if (cancelled_ && !cleans_up_) return;
  if (!thread_) thread_ = std::make_unique<tenon::CallThread>();
  if (auto started = thread_->start(std::move(task)); !started) {
    throw std::runtime_error(started.error().to_string());
  }
}

/// Waits for the task of the thread. Returns false if it was abandoned.
bool Caller::await_thread() {
  if (!thread_ || thread_->finish()) return true;
  const tenon::sync::Lock lock(mutex_);
  thread_.reset();
  return false;
}

void Caller::cancel() {
  std::function<void()> act;
  {
    const tenon::sync::Lock lock(mutex_);
    cancelled_ = true;
    if (thread_) thread_->canceller()();
    act = on_cancel_;
    stopped_.notify_all();
  }
  if (act) act();
}

void Caller::on_cancel(const std::function<void()>& act) {
  tenon::sync::Lock lock(mutex_);
  on_cancel_ = act;
  const bool now = cancelled_ && act;
  lock.unlock();
  if (now) act();
}

void Caller::begin_cleanup() {
  const tenon::sync::Lock lock(mutex_);
  cleans_up_ = true;
}

bool Caller::cancelled() const {
  const tenon::sync::Lock lock(mutex_);
  return cancelled_;
}

bool Caller::refuses_calls() const {
  const tenon::sync::Lock lock(mutex_);
  return cancelled_ && !cleans_up_;
}

void Caller::wait(std::chrono::nanoseconds time) {
  tenon::sync::Lock lock(mutex_);
  stopped_.wait_for(lock, time, [this]() TENON_REQUIRES(mutex_) { return cancelled_; });
}

tenon::Error Caller::cancelled_error() {
  return tenon::Error({.status = TENON_CANCELLED, .message = "the run was interrupted"});
}

tenon::Error Caller::abandon(const tenon::PluginInfo& plugin, std::string_view method,
                             std::chrono::nanoseconds timeout) {
  return abandon(plugin, method,
                 refuses_calls() ? "the call did not return when it was cancelled"
                                 : "the call did not return within " + to_text(timeout));
}

tenon::Error Caller::abandon(const tenon::PluginInfo& plugin, std::string_view method,
                             const std::string& reason) {
  has_abandoned_calls_ = true;
  const auto restarted = host_.restart(plugin.package());
  if (restarted) host_.figure({.name = "recoveries"}).add(1);
  if (!restarted) console_.say(restarted.error().to_string());
  return tenon::Error(
      {.status = TENON_DEADLINE_EXCEEDED,
       .message = reason + " and was abandoned" + (restarted ? "; its module was restarted" : ""),
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
