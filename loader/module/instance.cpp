// SPDX-License-Identifier: BSL-1.0
#include <tenon/instance.hpp>

#include <algorithm>

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

constexpr const char* restarted_text =
    "the plugin was restarted and what was open in it is gone; begin again from your own position";

}  // namespace

std::string_view Instance::plugin() const noexcept {
  return live(*this).wanted().name;
}

bool Instance::supports(std::string_view method) const {
  const LiveInstance& instance = live(*this);
  const KindVersion& has = instance.module().version_of(instance);
  const KindVersion& target = *instance.wanted().kind->find(instance.wanted().target);
  const auto named = [&](const MethodInfo& candidate) { return candidate.name == method; };
  if (std::none_of(target.methods.begin(), target.methods.end(), named)) return false;
  const Adapter* adapter = has.adapter_to(target.version);
  return adapter == nullptr || std::find(adapter->missing.begin(), adapter->missing.end(),
                                         method) == adapter->missing.end();
}

void Instance::remember_config(const tenon_map& config) {
  live(*this).set_config(Value<TextMap>::own(config));
}

// The gate is seldom closed, and calls are seldom nested so deeply; both may take their time.
void Entry::enter_slowly() noexcept {
  if (slot_ != nullptr) {
    slot_->store(nullptr, std::memory_order_release);
    slot_ = nullptr;
    thread_record->depth--;
  }
  ServingModule& serving = instance_.serving_;
  if (serving.current.load()->bounds.load() == nullptr) {
    if (Generation* inside = static_cast<Module&>(serving).pass_gate(); inside != nullptr) {
      // The generation behind the gate waits for this thread as it is: it needs no second mark.
      serving.overflow.fetch_add(1);
      bound_ = inside->bounds.load() + instance_.index_;
      return;
    }
  }
  if (thread_record->depth < ThreadRecord::levels) return enter();
  enter_counted();
}

void Entry::enter_counted() noexcept {
  ServingModule& serving = instance_.serving_;
  serving.overflow.fetch_add(1);
  const Bound* bounds = serving.current.load()->bounds.load();
  if (bounds == nullptr) {
    serving.overflow.fetch_sub(1);
    return enter_slowly();
  }
  bound_ = bounds + instance_.index_;
}

Error Entry::refusal(std::string_view method) const {
  return Error({.status = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED,
                .message = restarted_text,
                .plugin = std::string(instance_.plugin()),
                .method = std::string(method)});
}

tenon_status Entry::refuse(tenon_call* call, std::string_view) const noexcept {
  return tenon_fail(call, TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED, restarted_text);
}

Error Entry::failure(Call& call, tenon_status status, std::string_view method) const {
  std::string message(call.message());
  if (call.cancelled() == CancelReason::restart) {
    status = TENON_ABORTED | TENON_RETRYABLE;
    message = "the plugin is being restarted";
  }
  return Error({.status = status,
                .message = std::move(message),
                .plugin = std::string(instance_.plugin()),
                .method = std::string(method)});
}

Error Entry::no_answer(Call&, std::string_view method) const {
  return Error({.status = TENON_INTERNAL,
                .message = "the plugin succeeded without an answer",
                .plugin = std::string(instance_.plugin()),
                .method = std::string(method)});
}

Blocking::Blocking(Instance& instance, Call& call) : instance_(instance), call_(call) {
  live(instance_).module().add_blocking(call_);
}

Blocking::~Blocking() {
  live(instance_).module().remove_blocking(call_);
}

void InstanceDeleter::operator()(Instance* instance) const noexcept {
  std::unique_ptr<LiveInstance> ended(static_cast<LiveInstance*>(instance));
  ended->module().release(*ended);
}

}  // namespace detail
}  // namespace tenon
