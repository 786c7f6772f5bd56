// SPDX-License-Identifier: BSL-1.0
#include "control/control_events.hpp"

#include <exception>
#include <string_view>

#include "control/control_messages.hpp"
#include "platform/event.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::size_t most_recent = 100;
constexpr std::size_t most_queued = 1'000;

std::string key_of(std::string_view package, std::string_view version) {
  return std::string(package).append("@").append(version);
}

void add(ModuleHistory& module, const Event& event) {
  ++module.counts[static_cast<std::size_t>(event.type)];
  switch (event.type) {
    case Event::Type::faulted:
    case Event::Type::restart_failed:
    case Event::Type::quarantined:
    case Event::Type::unload_prevented:
      module.last_failure = event.to_string();
      break;
    case Event::Type::restarted:
      module.load_time = event.load_time;
      module.calls_waited = event.calls_waited;
      module.last_failure.clear();
      break;
    case Event::Type::released:
      module.last_failure.clear();
      break;
    default:
      break;
  }
}

}  // namespace

ControlEvents::ControlEvents() noexcept : wake_(platform::create_event()) {}

ControlEvents::~ControlEvents() {
  platform::close_event(wake_);
}

void ControlEvents::report(const Event& event) noexcept try {
  const auto now = std::chrono::system_clock::now();
  {
    const sync::Lock lock(mutex_);
    add(modules_[key_of(event.package, event.package_version)], event);
    const std::uint64_t number = ++last_number_;
    recent_.events.emplace_back(number, event_json(event, number, now));
    if (recent_.events.size() > most_recent) recent_.events.pop_front();
    if (!subscribed_) return;
    if (queue_.events.size() >= most_queued) {
      ++queue_.lost;
    } else {
      queue_.events.push_back(recent_.events.back());
    }
  }
  platform::signal_event(wake_);
} catch (const std::exception&) {  // out of memory
}

ModuleHistory ControlEvents::history(const std::string& package, const std::string& version) const {
  const sync::Lock lock(mutex_);
  const auto found = modules_.find(key_of(package, version));
  return found != modules_.end() ? found->second : ModuleHistory();
}

ControlEvents::Queue ControlEvents::subscribe() {
  const sync::Lock lock(mutex_);
  subscribed_ = true;
  return recent_;
}

void ControlEvents::unsubscribe() noexcept {
  const sync::Lock lock(mutex_);
  subscribed_ = false;
  queue_ = {};
}

ControlEvents::Queue ControlEvents::take() noexcept {
  const sync::Lock lock(mutex_);
  return std::exchange(queue_, {});
}

}}}  // namespace tenon::v0_1::detail
