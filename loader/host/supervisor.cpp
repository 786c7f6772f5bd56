// SPDX-License-Identifier: BSL-1.0
#include <tenon/supervisor.hpp>

#include <sstream>

#include "base/forked.hpp"
#include "base/log.hpp"
#include "call/events.hpp"
#include "host/host_core.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

/// Returns a text such as "1.5 s".
std::string text_of(std::chrono::nanoseconds time) {
  std::ostringstream text;
  if (time < std::chrono::seconds(1)) {
    text << std::chrono::duration<double, std::milli>(time).count() << " ms";
  } else {
    text << std::chrono::duration<double>(time).count() << " s";
  }
  return text.str();
}

Error abandoned_error(std::string message, const PluginInfo& plugin, std::string_view function) {
  return Error({.code = "call-abandoned",
                .status = TENON_DEADLINE_EXCEEDED,
                .message = std::move(message),
                .plugin = plugin.name(),
                .method = std::string(function)});
}

}  // namespace

Supervisor::Supervisor(Host& host) : host_(host), core_(host.core_) {}
Supervisor::~Supervisor() = default;

void Supervisor::cancel() {
  const sync::Lock lock(mutex_);
  cancelled_ = true;
  for (const CallThread* thread : running_) thread->canceller()();
}

void Supervisor::resume() {
  const sync::Lock lock(mutex_);
  cancelled_ = false;
}

bool Supervisor::is_cancelled() const {
  const sync::Lock lock(mutex_);
  return cancelled_;
}

Result<void> Supervisor::check(const Kind& kind, const PluginInfo& plugin,
                               std::string_view method) {
  const auto error = [&](tenon_status status, std::string message) {
    return Error({.status = status,
                  .message = std::move(message),
                  .plugin = plugin.name(),
                  .method = std::string(method)});
  };
  for (const MethodInfo& known : kind.latest().methods) {
    if (known.name != method) continue;
    if (known.threading != Threading::main) return {};
    return error(TENON_FAILED_PRECONDITION,
                 "the method must run on the main thread, so it cannot be supervised");
  }
  return error(TENON_INVALID_ARGUMENT, std::string(kind.id) + " has no such method");
}

Result<detail::InstancePtr> Supervisor::create(const Kind& kind, const PluginInfo& plugin,
                                               std::string reference,
                                               const std::optional<TextMap>& config,
                                               std::chrono::nanoseconds timeout, Overdue then) {
  const MethodInfo* const configure = kind.latest().configure();
  if (config && configure != nullptr) {
    if (auto allowed = check(kind, plugin, configure->name); !allowed) return allowed.error();
  }
  using Created = Result<detail::InstancePtr>;
  return supervise<Created>(
      plugin, "create", timeout, then,
      [core = core_, &kind, reference = std::move(reference), config](Call&) -> Created {
        // A user of the core, as this thread may still be here when the host has been destroyed.
        if (const auto user = core->pin()) return user->create(kind, reference, config);
        return detail::forked_error(reference);
      });
}

Result<void> Supervisor::run(const PluginInfo& plugin, std::string_view function,
                             std::chrono::nanoseconds timeout, std::function<void(Call&)> make,
                             bool destroys) {
  if (core_->inherited()) return detail::forked_error({}, plugin.name(), function);
  struct Running {
    ~Running() {
      const sync::Lock lock(supervisor.mutex_);
      std::erase(supervisor.running_, &thread);
    }
    Supervisor& supervisor;
    const CallThread& thread;
  };
  const auto made = std::make_shared<bool>(false);
  CallThread thread;
  const Running running{*this, thread};
  if (destroys || !is_cancelled()) {
    auto started = thread.start([timeout, make = std::move(make), made](auto& context) {
      Call* const call = context.begin(timeout);
      if (call == nullptr) return;
      make(*call);
      *made = true;
    });
    if (!started) return started;
    if (!destroys) {
      const sync::Lock lock(mutex_);
      running_.push_back(&thread);
      if (cancelled_) thread.canceller()();  // meanwhile
    }
  }
  if (thread.finish()) {
    if (*made) return {};
    return Error({.status = TENON_CANCELLED,
                  .message = "the supervisor was cancelled",
                  .plugin = plugin.name(),
                  .method = std::string(function)});
  }
  has_abandoned_ = true;
  const std::string limit =
      is_cancelled() && !destroys ? "when it was cancelled" : "within " + text_of(timeout);
  return abandoned_error("it did not return " + limit + ", and was abandoned with its thread",
                         plugin, function);
}

Result<void> Supervisor::restart(const PluginInfo& plugin, const Error& abandoned) {
  const auto restarted = host_.restart(plugin.package());
  if (restarted) return {};
  return abandoned_error(std::string(abandoned.message()) + "; its module was not restarted: " +
                             std::string(restarted.error().message()),
                         plugin, abandoned.method());
}

void Supervisor::release(const PluginInfo& plugin, std::chrono::nanoseconds timeout,
                         std::shared_ptr<void> instance) noexcept {
  // If there is no thread, the instance is destroyed here, at the end.
  const auto kept = std::make_shared<std::shared_ptr<void>>(std::move(instance));
  const auto destroyed = run(
      plugin, "destroy", timeout, [kept](Call&) { kept->reset(); }, true);
  if (!destroyed && !core_->inherited())
    core_->log()->write(LogLevel::warn, detail::in_one_line(destroyed.error()));
}

}}  // namespace tenon::v0_1
