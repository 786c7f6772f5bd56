// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/blocking.hpp>
#include <tenon/detail/streams.hpp>

#include <algorithm>
#include <utility>

#include "call/exceptions.hpp"
#include "call/plugin_status.hpp"
#include "call/revocable_stream.hpp"
#include "call/thread_records.hpp"
#include "module/module_core.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

LiveInstance& live(Instance& instance) {
  return static_cast<LiveInstance&>(instance);
}
const LiveInstance& live(const Instance& instance) {
  return static_cast<const LiveInstance&>(instance);
}

ModuleCore& module_of(const LiveInstance& instance) {
  return static_cast<ModuleCore&>(instance.serving());
}
ModuleCore& module_of(Instance& instance) {
  return module_of(live(instance));
}

/// Reports to the module that one of its generations has failed.
void report(Instance& instance, const CallTarget& target, RestartReason why, const Call& call,
            tenon_status status, const char* method) {
  module_of(instance).fault(static_cast<Generation&>(*target.generation), why,
                            Error({.status = status,
                                   .message = std::string(call.message()),
                                   .plugin = std::string(instance.plugin()),
                                   .method = method}));
}

constexpr const char* restarted_text =
    "the plugin was restarted and its session has ended; begin again from your own position";

constexpr tenon_status interrupted = TENON_ABORTED | TENON_RETRYABLE;
constexpr const char* interrupted_text = "the plugin is being restarted";

/// Returns the status of a failed method without internal flags. If crashes are contained, the
/// status of the plugin itself was already replaced.
tenon_status status_of(const CallTarget& target, tenon_call* call, tenon_status status) {
  // Adapters add this to failures.
  if (status > streams_taken) status &= ~streams_taken;
  const bool is_final = static_cast<const Generation&>(*target.generation).contains_crashes();
  return is_final ? status : status_of_plugin(call, status);
}

RevocableStreams& streams_of(const CallTarget& target) {
  return static_cast<Generation&>(*target.generation).streams();
}

}  // namespace

std::string_view Instance::plugin() const noexcept {
  return live(*this).spec().name;
}

bool Instance::supports(std::string_view method) const {
  const LiveInstance& instance = live(*this);
  return module_of(instance).implements(instance, method);
}

PluginInfo Instance::info() const {
  return module_of(live(*this)).plugin_info(live(*this));
}

void Instance::remember_config(const tenon_map& config) {
  module_of(*this).remember_config(live(*this), Value<TextMap>::own(config));
}

namespace {

/// The targets of calls that leave the gate without entering, by ModuleCore::Gate.
constexpr CallTarget not_entered[4]{};

/// Returns why a call that is not allowed has failed. `target`: the one that it got.
Error refusal_of(const LiveInstance& instance, const char* method, const CallTarget& target) {
  struct {
    tenon_status status;
    const char* message;
  } why{TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, restarted_text};
  if (target.table == nullptr) {
    if (&target == &not_entered[static_cast<int>(ModuleCore::Gate::in_loader)]) {
      why = {TENON_UNAVAILABLE | TENON_RETRYABLE,
             "the module is being restarted, and a signal handler that has interrupted the loader "
             "must not wait for it"};
    } else if (&target == &not_entered[static_cast<int>(ModuleCore::Gate::cancelled)]) {
      why = {TENON_CANCELLED, "the call was cancelled while the module was being restarted"};
    } else if (&target == &not_entered[static_cast<int>(ModuleCore::Gate::too_late)]) {
      why = {TENON_DEADLINE_EXCEEDED,
             "the deadline of the call passed while the module was being restarted"};
    } else {
      return module_of(instance).unavailable(instance.plugin(), method);
    }
  }
  return Error({.status = why.status,
                .message = why.message,
                .plugin = std::string(instance.plugin()),
                .method = method});
}

}  // namespace

CallGuard::Entered CallGuard::enter_slowly(Instance& instance, tenon_call* call) noexcept {
  CallSwitch& module = instance.serving_;
  if (!ThreadRecord::is_slot(next_free_slot())) {
    if (this_thread_record() != nullptr) return enter_counted(instance, call);
    attach_thread();
  }
  Slot* slot = next_free_slot();
  take_slot(slot);
  const CallTarget* target = nullptr;
  const CallTarget* targets = nullptr;
  for (const CallTarget* now = module.published_.load(); now != targets;
       now = module.published_.load()) {
    targets = now;
    target = targets + instance.index_;
    slot->store(target);
  }
  if (target->table != nullptr) return {target, slot};
  if (const Generation* builder = live(instance).builder()) {
    target = builder->objects().targets() + instance.index_;
    slot->store(target);
    // If it still does not serve, a restart that retires it later finds the slot.
    if (live(instance).builder() == builder) return {target, slot};
    slot->store(nullptr, std::memory_order_release);
    release_slot(slot);
    return enter_slowly(instance, call);
  }
  if (!CallSwitch::is_gate(*target)) return {target, slot};
  slot->store(nullptr, std::memory_order_release);
  release_slot(slot);
  return enter_at_gate(instance, call);
}

// All slots of the thread are taken.
CallGuard::Entered CallGuard::enter_counted(Instance& instance, tenon_call* call) noexcept {
  CallSwitch& module = instance.serving_;
  module.overflow.fetch_add(1);
  const CallTarget* target = module.published_.load() + instance.index_;
  if (target->table != nullptr) return {target, nullptr};
  if (const Generation* builder = live(instance).builder()) {
    return {builder->objects().targets() + instance.index_, nullptr};
  }
  if (!CallSwitch::is_gate(*target)) return {target, nullptr};
  module.overflow.fetch_sub(1);
  return enter_at_gate(instance, call);
}

CallGuard::Entered CallGuard::enter_at_gate(Instance& instance, tenon_call* call) noexcept {
  ModuleCore& module = module_of(instance);
  const ModuleCore::GateWait wait = module.pass_gate(call);
  if (wait.result == ModuleCore::Gate::opened) return enter_slowly(instance, call);
  module.overflow.fetch_add(1);  // leave_counted subtracts it
  if (wait.behind == nullptr) return {&not_entered[static_cast<int>(wait.result)], nullptr};
  // The thread is already in that generation, which waits for it.
  return {wait.behind->objects().targets() + instance.index_, nullptr};
}

void CallGuard::leave_counted(Instance& instance) noexcept {
  instance.serving_.overflow.fetch_sub(1, std::memory_order_release);
}

// Both sides store, then load, so at least one sees the other: either the planned check sees the
// call, or the call sees that no check is planned and plans one.
TimedCall* CallGuard::Timed::begin(Instance& instance, Slot& slot, std::int64_t deadline,
                                   const char* method) noexcept {
  ThreadRecord& record = ThreadRecord::of(&slot);
  TimedCall& timed = record.timed[record.index_of(&slot)];
  deadline = std::max(deadline, reported_deadline + 1);
  timed.instance.store(instance.index_);
  timed.method.store(method);
  timed.deadline.store(deadline);
  if (deadline < instance.serving_.next_deadline.load()) {
    module_of(instance).check_deadlines_at(deadline);
  }
  return &timed;
}

Error CallGuard::refusal(const Instance& instance, const char* method, const CallTarget& target) {
  return refusal_of(live(instance), method, target);
}

tenon_status CallGuard::refuse(const Instance& instance, tenon_call* call, const char* method,
                               const CallTarget& target) noexcept {
  if (target.table == nullptr) {
    const Error error = refusal_of(live(instance), method, target);
    const std::string_view message = error.message();
    call->functions->fail(call, error.status(), {message.data(), message.size()});
    Call::of(call).add_failed_inside(call_depth(), error.to_string());
    return error.status();
  }
  return tenon_fail(call, TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, restarted_text);
}

Error CallGuard::failure(Instance& instance, const CallTarget& target, Call& call,
                         tenon_status status, const char* method) {
  status = status_of(target, call.raw(), status);
  if ((status & TENON_FATAL) != 0) {
    report(instance, target, RestartReason::fatal_status, call, status, method);
  }
  std::string message(call.message());
  if (call.cancel_reason() == CancelReason::restart) {
    status = interrupted;
    message = interrupted_text;
  }
  return Error({.status = status,
                .message = std::move(message),
                .plugin = std::string(instance.plugin()),
                .method = method,
                .cause = std::string(call.failed_inside(call_depth()))});
}

// The caller may return the status without being fatal itself.
tenon_status CallGuard::failure_inside(Instance& instance, const CallTarget& target,
                                       tenon_call* raw, tenon_status status, const char* method) {
  Call& call = Call::of(raw);
  status = status_of(target, raw, status);
  if ((status & TENON_FATAL) != 0) {
    report(instance, target, RestartReason::fatal_status, call, status, method);
  }
  const Error error({.status = status,
                     .message = std::string(call.message()),
                     .plugin = std::string(instance.plugin()),
                     .method = method,
                     .cause = std::string(call.failed_inside(call_depth()))});
  call.add_failed_inside(call_depth(), error.to_string());
  return status & ~TENON_FATAL;
}

tenon_status CallGuard::thrown(Instance& instance, const CallTarget& target, tenon_call* call,
                               const char* method) {
  const tenon_status status = end_exception(call, "the plugin");
  report(instance, target, RestartReason::exception, Call::of(call), status, method);
  return status;
}

tenon_status CallGuard::call_caught(Instance& instance, const CallTarget& target, tenon_call* call,
                                    const char* method, tenon_status (*body)(const void* context),
                                    const void* context) {
  try {
    return body(context);
  } catch (...) {
    return thrown(instance, target, call, method);
  }
}

Error CallGuard::no_answer(const Instance& instance, const char* method) {
  return Error({.status = TENON_INTERNAL,
                .message = "the plugin returned success without a response",
                .plugin = std::string(instance.plugin()),
                .method = method});
}

Error CallGuard::no_stream(const Instance& instance, const char* method, const char* name) {
  return Error(
      {.status = TENON_INTERNAL,
       .message = "the plugin returned success without the stream '" + std::string(name) + "'",
       .plugin = std::string(instance.plugin()),
       .method = method});
}

Error CallGuard::no_data(const Instance& instance, const char* method, const char* name) {
  return size_without_data(std::string(instance.plugin()), method, name);
}

tenon_status BlockingClient::failure(tenon_status status) noexcept {
  if (nested_.cancel_reason() != CancelReason::restart) return status;
  return tenon_fail(nested_.raw(), interrupted, interrupted_text);
}

namespace {

// A thread that is in no generation has called the adapter itself.
template <class Raw>
Raw* revocable_here(Raw* stream) {
  const CallTarget* target = innermost_target();
  if (target == nullptr) return stream;
  return streams_of(*target).add(RevocableStreams::no_instance, stream);
}

}  // namespace

tenon_reader* revocable(tenon_reader* stream) {
  return revocable_here(stream);
}

tenon_writer* revocable(tenon_writer* stream) {
  return revocable_here(stream);
}

tenon_reader* CallGuard::revocable(const CallTarget& target, std::uint32_t index,
                                   tenon_reader* stream) {
  return streams_of(target).add(index, stream);
}

tenon_writer* CallGuard::revocable(const CallTarget& target, std::uint32_t index,
                                   tenon_writer* stream) {
  return streams_of(target).add(index, stream);
}

LentStream::LentStream(Instance& instance, tenon_reader*& stream)
    : stream_(live(instance).client_of().lend(stream)) {}

LentStream::LentStream(Instance& instance, tenon_writer*& stream)
    : stream_(live(instance).client_of().lend(stream)) {}

LentStream::~LentStream() {
  if (stream_ != nullptr) stream_->take_back();
}

void LentStream::passed() noexcept {
  if (stream_ != nullptr) std::exchange(stream_, nullptr)->pass();
}

void InstanceDeleter::operator()(Instance* instance) const noexcept {
  auto* live = static_cast<LiveInstance*>(instance);
  if (module_of(*live).inherited()) return;  // the object belongs to the parent of this process
  std::unique_ptr<LiveInstance> ended(live);
  module_of(*ended).release(*ended);
}

}}}  // namespace tenon::v0_1::detail
