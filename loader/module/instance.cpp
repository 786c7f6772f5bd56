// SPDX-License-Identifier: BSL-1.0
#include <tenon/instance.hpp>

#include <algorithm>
#include <utility>

#include "module/exceptions.hpp"
#include "module/lease.hpp"
#include "module/module.hpp"
#include "module/thread_records.hpp"

namespace tenon {
namespace detail {
namespace {

LiveInstance& live(Instance& instance) {
  return static_cast<LiveInstance&>(instance);
}
const LiveInstance& live(const Instance& instance) {
  return static_cast<const LiveInstance&>(instance);
}

/// Tells the module that one of its generations is broken.
void tell(Instance& instance, Serving* generation, RestartReason why, const Call& call,
          tenon_status status, std::string_view method) {
  live(instance).module().fault(static_cast<Generation&>(*generation), why,
                                Error({.status = status,
                                       .message = std::string(call.message()),
                                       .plugin = std::string(instance.plugin()),
                                       .method = std::string(method)}));
}

constexpr const char* restarted_text =
    "the plugin was restarted and what was open in it is gone; begin again from your own position";

constexpr tenon_status interrupted = TENON_ABORTED | TENON_RETRYABLE;
constexpr const char* interrupted_text = "the plugin is being restarted";

/// `before`: what stands before the first entry of its instances.
Generation& generation_of(const Bound* before) {
  return static_cast<Generation&>(*static_cast<Serving*>(before->self));
}

}  // namespace

std::string_view Instance::plugin() const noexcept {
  return live(*this).wanted().name;
}

bool Instance::supports(std::string_view method) const {
  const LiveInstance& instance = live(*this);
  return instance.module().implements(instance, method);
}

void Instance::remember_config(const tenon_map& config) {
  live(*this).module().remember_config(live(*this), Value<TextMap>::own(config));
}

// The gate is seldom closed, and calls are seldom nested so deeply; both may take their time.
Entry::Place Entry::enter_at_gate(Instance& instance) noexcept {
  static constexpr Bound nobody{nullptr, nullptr};
  auto& module = static_cast<Module&>(instance.serving_);
  const Module::Passage passage = module.pass_gate();
  if (passage.opened) return enter(instance);
  module.overflow.fetch_add(1);  // for the way out
  if (passage.behind == nullptr) return {&nobody, nullptr};
  // The generation behind the gate waits for this thread as it is.
  return {passage.behind->bounds.load() + instance.index_, nullptr};
}

Entry::Place Entry::enter_counted(Instance& instance) noexcept {
  ServingModule& module = instance.serving_;
  module.overflow.fetch_add(1);
  const Bound* bounds = module.current.load()->bounds.load();
  if (bounds != nullptr) return {bounds + instance.index_, nullptr};
  module.overflow.fetch_sub(1);
  return enter_at_gate(instance);
}

// What is looked for and what looks both go through all that the other has written: either the call
// is seen by the look that was due, or the call sees that none is and asks for one.
TimedCall* Entry::Timed::begin(Instance& instance, const std::atomic<Serving*>& slot,
                               std::int64_t deadline, std::string_view method) noexcept {
  TimedCall& timed = thread_record->timed[&slot - thread_record->slots];
  timed.instance.store(instance.index_);
  timed.method.store(method.data());
  timed.deadline.store(deadline);
  if (deadline < instance.serving_.next_deadline.load()) {
    static_cast<Module&>(instance.serving_).look_at_deadlines_at(deadline);
  }
  return &timed;
}

Error Entry::refusal(const Instance& instance, std::string_view method, bool served) {
  if (!served) return live(instance).module().unavailable(instance.plugin(), method);
  return Error({.status = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED,
                .message = restarted_text,
                .plugin = std::string(instance.plugin()),
                .method = std::string(method)});
}

tenon_status Entry::refuse(const Instance& instance, tenon_call* call, std::string_view method,
                           bool served) noexcept {
  if (!served) {
    const Error error = live(instance).module().unavailable(instance.plugin(), method);
    const std::string_view message = error.message();
    call->functions->fail(call, error.status(), {message.data(), message.size()});
    Call::of(call).add_failed_inside(thread_record->depth, error.to_string());
    return error.status();
  }
  return tenon_fail(call, TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, restarted_text);
}

Error Entry::failure(Instance& instance, Serving* generation, Call& call, tenon_status status,
                     std::string_view method) {
  if ((status & TENON_FATAL) != 0) {
    tell(instance, generation, RestartReason::fatal_status, call, status, method);
  }
  std::string message(call.message());
  if (call.cancelled() == CancelReason::restart) {
    status = interrupted;
    message = interrupted_text;
  }
  return Error({.status = status,
                .message = std::move(message),
                .plugin = std::string(instance.plugin()),
                .method = std::string(method),
                .behind = std::string(call.failed_inside(thread_record->depth))});
}

// A caller who passes the status on must not look broken for it.
tenon_status Entry::failure_inside(Instance& instance, Serving* generation, tenon_call* raw,
                                   tenon_status status, std::string_view method) {
  Call& call = Call::of(raw);
  if ((status & TENON_FATAL) != 0) {
    tell(instance, generation, RestartReason::fatal_status, call, status, method);
  }
  const Error error({.status = status,
                     .message = std::string(call.message()),
                     .plugin = std::string(instance.plugin()),
                     .method = std::string(method),
                     .behind = std::string(call.failed_inside(thread_record->depth))});
  call.add_failed_inside(thread_record->depth, error.to_string());
  return status & ~TENON_FATAL;
}

tenon_status Entry::thrown(Instance& instance, Serving* generation, tenon_call* call,
                           std::string_view method) {
  const tenon_status status = end_exception(call);
  tell(instance, generation, RestartReason::exception, Call::of(call), status, method);
  return status;
}

Error Entry::no_answer(const Instance& instance, std::string_view method) {
  return Error({.status = TENON_INTERNAL,
                .message = "the plugin succeeded without an answer",
                .plugin = std::string(instance.plugin()),
                .method = std::string(method)});
}

tenon_status BlockingClient::failure(tenon_status status) noexcept {
  if (nested_.cancelled() != CancelReason::restart) return status;
  return tenon_fail(nested_.raw(), interrupted, interrupted_text);
}

tenon_reader* Entry::lease(const Bound* generation, std::uint32_t index, tenon_reader* answered) {
  return generation_of(generation).leases().lease(index, answered);
}

tenon_writer* Entry::lease(const Bound* generation, std::uint32_t index, tenon_writer* answered) {
  return generation_of(generation).leases().lease(index, answered);
}

LentStream::LentStream(Instance& instance, tenon_reader*& stream)
    : lease_(live(instance).client_of().lend(stream)) {}

LentStream::LentStream(Instance& instance, tenon_writer*& stream)
    : lease_(live(instance).client_of().lend(stream)) {}

LentStream::~LentStream() {
  if (lease_ != nullptr) lease_->take_back();
}

void LentStream::passed() noexcept {
  if (lease_ != nullptr) std::exchange(lease_, nullptr)->pass();
}

void InstanceDeleter::operator()(Instance* instance) const noexcept {
  auto* live = static_cast<LiveInstance*>(instance);
  if (live->module().inherited()) return;  // the object belongs to the parent of this process
  std::unique_ptr<LiveInstance> ended(live);
  ended->module().release(*ended);
}

}  // namespace detail
}  // namespace tenon
