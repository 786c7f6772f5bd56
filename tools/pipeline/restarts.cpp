// SPDX-License-Identifier: BSL-1.0
#include "restarts.hpp"

#include <algorithm>

namespace pipeline {

Restarts::Restarts(tenon::Host& host, tenon::tools::Console& console)
    : host_(host), console_(console), thread_(&Restarts::run, this) {}

Restarts::~Restarts() {
  {
    tenon::sync::Lock lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Restarts::request() {
  tenon::sync::Lock lock(mutex_);
  requested_ = true;
  changed_.notify_all();
}

void Restarts::run() {
  tenon::sync::Lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this]() TENON_REQUIRES(mutex_) { return requested_ || ended_; });
    if (ended_) return;
    requested_ = false;
    lock.unlock();
    restart_changed();
    lock.lock();
  }
}

void Restarts::restart_changed() {
  const tenon::Host::ChangedRestarts restarts = host_.restart_changed();
  for (const tenon::ModuleInfo& module : host_.modules()) {
    if (std::find(restarts.restarted.begin(), restarts.restarted.end(), module.package) ==
        restarts.restarted.end())
      continue;
    console_.say("restarted " + module.package + ", now " + module.package_version);
  }
  for (const tenon::Error& error : restarts.failed) {
    console_.say("not restarted: " + error.to_string());
  }
  if (restarts.restarted.empty() && restarts.failed.empty()) console_.say("no module has changed");
}

}  // namespace pipeline
