// SPDX-License-Identifier: BSL-1.0
#include "call/lease.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "call/behaviours.hpp"
#include "call/operation.hpp"
#include "call/own_stream.hpp"
#include "call/thread_records.hpp"
#include "platform/barrier.hpp"

namespace tenon::detail {
namespace {

constexpr tenon_status revoked = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED;
constexpr const char* revoked_text =
    "the plugin behind the stream was restarted or given back; open the stream again";

constexpr const char* busy_text = "another call is inside the stream; use it from one at a time";

// -- How calls leave, see lease.hpp ---------------------------------------------

/// Held while a call that is inside a stream is cancelled.
std::mutex revoking_mutex;
std::atomic<bool> revoking{false};

/// Whether calls leave with an exchange, since the system offers no barrier.
std::atomic<bool> exchanging{TENON_ORDERED_SLOTS};

/// Before the first call of a stream.
void prepare() noexcept {
  static const bool prepared = [] {
    if (!platform::has_process_barrier()) exchanging.store(true);
    platform::after_fork_in_child([] {
      new (&revoking_mutex) std::mutex;
      revoking.store(false);
    });
    return true;
  }();
  static_cast<void>(prepared);
}

/// Until this returns, every call that has left a stream shows it, or sees `revoking`.
void show_leaves() noexcept {
  if (exchanging.load() || platform::process_barrier()) return;
  // The system refuses it from now on. What calls have stored leaves the store buffer of their
  // processor within microseconds.
  constexpr auto pause = std::chrono::milliseconds(10);
  exchanging.store(true);
  std::this_thread::sleep_for(pause);
}

void wait_for_revocation() noexcept {
  const std::lock_guard lock(revoking_mutex);
}

}  // namespace

/// One call of a function of a stream.
class Lease::Visit {
 public:
  explicit Visit(Call& call) noexcept : call_(call) {}
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;

  /// The stream is revoked while the call is inside.
  void interrupt() noexcept {
    interrupted_.store(true, std::memory_order_relaxed);
    call_.cancel(CancelReason::restart);
  }
  bool interrupted() const noexcept { return interrupted_.load(std::memory_order_relaxed); }

 private:
  Call& call_;
  std::atomic<bool> interrupted_{false};
};

/// The call is inside from construction to destruction.
class Lease::Stay {
 public:
  Stay(Lease& lease, Visit& visit) noexcept : lease_(lease), visit_(visit) {}
  ~Stay() { lease_.leave(visit_); }
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;

 private:
  Lease& lease_;
  Visit& visit_;
};

namespace {

/// Of the functions of a stream: the method that returned it is still under way.
const CallTarget& maker(const Serving& generation, bool is_lent) noexcept {
  const CallTarget* target = is_lent ? nullptr : innermost_target();
  return target != nullptr && target->generation == &generation ? *target : generation.own();
}

}  // namespace

Lease::Lease(LeaseList& list, std::uint32_t index, bool is_lent)
    : list_(list),
      index_(index),
      target_(maker(list.generation_, is_lent)),
      state_(is_lent ? lent : 0) {}

inline Lease::Entered Lease::enter(Visit& visit) noexcept {
  Visit* other = nullptr;
  if (!inside_.compare_exchange_strong(other, &visit)) [[unlikely]]
    return (state_.load() & over) != 0 ? Entered::over : Entered::busy;
  if ((state_.load() & over) == 0 && !list_.broken()) [[likely]]
    return Entered::yes;
  leave(visit);
  return Entered::over;
}

inline void Lease::leave(Visit& visit) noexcept {
  if (exchanging.load(std::memory_order_relaxed)) [[unlikely]] {
    inside_.exchange(nullptr);
  } else {
    inside_.store(nullptr, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  if (revoking.load()) [[unlikely]]
    wait_for_revocation();
  if (visit.interrupted()) [[unlikely]]
    drop(visited);
}

tenon_status Lease::refuse(tenon_call* call, Entered entered) noexcept {
  return entered == Entered::busy ? tenon_fail(call, TENON_FAILED_PRECONDITION, busy_text)
                                  : tenon_fail(call, revoked, revoked_text);
}

/// A function that was called directly returned `status`.
tenon_status Lease::failed(const char* function, Call& call, tenon_status status) {
  // Before a fatal failure of this very function begins a restart.
  const bool interrupted = call.cancelled() == CancelReason::restart;
  status = list_.runner_.stream_failed(function, call.raw(), status);
  return interrupted ? tenon_fail(call.raw(), revoked, revoked_text) : status;
}

/// Calls a function by way of the runner.
template <class Body>
tenon_status Lease::run(const char* function, Call& call, Body body) {
  bool interrupted = false;
  auto observed = [&] {
    const tenon_status status = body(call.raw());
    interrupted = call.cancelled() == CancelReason::restart;
    return status;
  };
  const tenon_status status =
      list_.runner_.run_stream(function, call.raw(), StreamRunner::Body(observed));
  return status != TENON_OK && interrupted ? tenon_fail(call.raw(), revoked, revoked_text) : status;
}

// The thread is in the generation before the call is in the stream: a restart that has found no
// call in the stream finds none in the generation either.
template <class Body>
[[gnu::always_inline]] inline tenon_status Lease::visit(const char* function, tenon_call* call,
                                                        Body body) {
  // A call of its own: what interrupts the stream leaves the caller's call as it is.
  NestedCall nested(Call::of(call));
  const Inside inside(target_, std::memory_order_relaxed);  // ordered by the exchange of `enter`
  Visit visit(nested);
  if (const Entered entered = enter(visit); entered != Entered::yes) [[unlikely]]
    return refuse(nested.raw(), entered);
  const Stay stay(*this, visit);
  if (list_.contained_ || Operation::is_performed()) [[unlikely]]
    return run(function, nested, body);
  lock_order::expect_none();
  try {
    const tenon_status status = body(nested.raw());
    if (status == TENON_OK) [[likely]]
      return TENON_OK;
    return failed(function, nested, status);
  } catch (...) {
    return list_.runner_.stream_threw(function, nested.raw());
  }
}

// Whoever calls this keeps the lease: the call that is inside may end it meanwhile.
void Lease::revoke() noexcept {
  std::uint32_t state = state_.load();
  do {
    if ((state & over) != 0) return;
  } while (!state_.compare_exchange_weak(state, state | over | visited));
  if (inside_.load() == nullptr || !interrupt()) drop(visited);
}

/// Cancels the call that is inside, which ends the stream when it leaves. False when there is none.
bool Lease::interrupt() noexcept {
  const std::lock_guard lock(revoking_mutex);
  revoking.store(true);
  show_leaves();
  Visit* const visit = inside_.load();
  if (visit != nullptr) visit->interrupt();
  revoking.store(false);
  return visit != nullptr;
}

/// The last that kept a stream from its end ends it.
void Lease::drop(std::uint32_t hold) noexcept {
  if (state_.fetch_and(~hold) == (over | hold)) end();
}

void Lease::release() noexcept {
  const std::shared_ptr<Lease> held = std::move(held_);
  revoke();
}

void Lease::pass() noexcept {
  drop(lent);
}

void Lease::take_back() noexcept {
  state_.fetch_or(over);
  held_ = nullptr;
  list_.remove(*this);
}

/// The last that happens to the plugin's stream. After it the generation may go.
void Lease::end() noexcept {
  if (!list_.broken()) {
    Inside inside(target_);
    Call call;
    auto release = [&] {
      release_inner();
      return TENON_OK;
    };
    list_.runner_.run_stream("release", call.raw(), StreamRunner::Body(release));
  }
  list_.remove(*this);
}

namespace {

constexpr tenon_duration in_nanoseconds(std::chrono::nanoseconds time) {
  return time.count();
}

// How long a stream that has nothing ready is left alone, at first and at most.
constexpr tenon_duration first_pause = in_nanoseconds(std::chrono::microseconds(100));
constexpr tenon_duration longest_pause = in_nanoseconds(std::chrono::milliseconds(20));

tenon_status interrupted_while_empty(tenon_call* call, std::int32_t reason) {
  return reason == TENON_CANCELLED_BY_DEADLINE
             ? tenon_fail(call, TENON_DEADLINE_EXCEEDED, "the stream had nothing in time")
             : tenon_fail(call, TENON_CANCELLED, "the call was cancelled while nothing came");
}

/// A read whose reader takes 0 for the end, from a stream of a module to which it is not; see
/// Behaviour::empty_read_is_no_end.
tenon_status read_something(tenon_call* call, tenon_reader* stream, tenon_buffer into,
                            std::size_t* got) {
  for (tenon_duration pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    *got = 0;
    const tenon_status status = stream->read(call, stream, into, got);
    if (status == TENON_OUT_OF_RANGE) {
      *got = 0;
      return TENON_OK;
    }
    if (status != TENON_OK || *got != 0 || into.size == 0) return status;
    const std::int32_t reason = call->functions->wait(call, pause);
    if (reason != TENON_NOT_CANCELLED) return interrupted_while_empty(call, reason);
  }
}

constexpr char read_name[] = "read";
constexpr char write_name[] = "write";
constexpr char commit_name[] = "commit";

/// A stream with its functions as its holder sees them.
template <class Raw>
class Leased final : public Lease {
 public:
  Leased(LeaseList& list, AbiVersion abi, std::uint32_t index, bool lent, Raw* inner)
      : Lease(list, index, lent), face_{functions_for(abi, *inner), this}, inner_(inner) {}

  Raw* hand_out() {
    Lease::hand_out();
    return &face_;
  }
  static bool is_one(const Raw* raw) noexcept { return raw->release == functions.release; }

 private:
  struct Face : Raw {
    Leased* lease;
  };
  static const Raw functions;

  static const Raw& functions_for(AbiVersion abi, const Raw& inner) noexcept;
  static Leased& of(Raw* raw) noexcept { return *static_cast<Face*>(raw)->lease; }

  template <auto function, const char* name, class... Arguments>
  static tenon_status forward(tenon_call* call, Raw* self, Arguments... arguments) {
    Leased& lease = of(self);
    return lease.visit(name, call, [inner = lease.inner_, arguments...](tenon_call* nested) {
      return (inner->*function)(nested, inner, arguments...);
    });
  }
  static tenon_status read_on(tenon_call* call, Raw* self, tenon_buffer into, std::size_t* got) {
    Leased& lease = of(self);
    return lease.visit(read_name, call, [inner = lease.inner_, into, got](tenon_call* nested) {
      return read_something(nested, inner, into, got);
    });
  }
  static void release(Raw* self) { of(self).Lease::release(); }
  void release_inner() override { inner_->release(inner_); }

  Face face_;
  Raw* const inner_;
};

template <>
const tenon_reader Leased<tenon_reader>::functions = {
    sizeof(tenon_reader), forward<&tenon_reader::read, read_name, tenon_buffer, std::size_t*>,
    release};

template <>
const tenon_writer Leased<tenon_writer>::functions = {
    sizeof(tenon_writer), forward<&tenon_writer::write, write_name, tenon_bytes>,
    forward<&tenon_writer::commit, commit_name>, release};

/// Whatever their module asks for, streams that come from elsewhere speak as all streams that are
/// held do.
template <>
const tenon_reader& Leased<tenon_reader>::functions_for(AbiVersion abi,
                                                        const tenon_reader& inner) noexcept {
  static constexpr tenon_reader patient = {sizeof(tenon_reader), read_on, release};
  const bool speaks_otherwise =
      has(abi, Behaviour::empty_read_is_no_end) && !is_one(&inner) && !is_own_stream(inner);
  return speaks_otherwise ? patient : functions;
}

template <>
const tenon_writer& Leased<tenon_writer>::functions_for(AbiVersion, const tenon_writer&) noexcept {
  return functions;
}

}  // namespace

// -- The list -----------------------------------------------------------------

/// Puts the lease in the place of the stream.
template <class Raw>
std::shared_ptr<Lease> LeaseList::add(std::uint32_t index, bool lent, Raw*& stream) {
  prepare();
  auto leased = std::make_shared<Leased<Raw>>(*this, abi_, index, lent, stream);
  stream = leased->hand_out();
  if (process_.inherited()) return leased;
  std::lock_guard lock(mutex_);
  Leases& others = of(index);
  leased->position_ = others.size();
  others.push_back(leased);
  count_++;
  return leased;
}

tenon_reader* LeaseList::lease(std::uint32_t index, tenon_reader* inner) {
  if (inner != nullptr) add(index, false, inner);
  return inner;
}

tenon_writer* LeaseList::lease(std::uint32_t index, tenon_writer* inner) {
  if (inner != nullptr) add(index, false, inner);
  return inner;
}

std::shared_ptr<Lease> LeaseList::lend(tenon_reader*& stream) {
  if (stream == nullptr || Leased<tenon_reader>::is_one(stream)) return nullptr;
  return add(no_instance, true, stream);
}

std::shared_ptr<Lease> LeaseList::lend(tenon_writer*& stream) {
  if (stream == nullptr || Leased<tenon_writer>::is_one(stream)) return nullptr;
  return add(no_instance, true, stream);
}

LeaseList::Leases& LeaseList::of(std::uint32_t index) {
  if (index == no_instance) return of_none_;
  if (of_instance_.size() <= index) of_instance_.resize(index + 1);
  return of_instance_[index];
}

bool LeaseList::has(std::uint32_t index) const noexcept {
  return index < of_instance_.size() && !of_instance_[index].empty();
}

void LeaseList::remove(const Lease& lease) noexcept {
  if (process_.inherited()) return;
  std::shared_ptr<Lease> last;  // ends after the lock
  std::lock_guard lock(mutex_);
  Leases& others = lease.index() == no_instance ? of_none_ : of_instance_[lease.index()];
  std::swap(others[lease.position_], others.back());
  others[lease.position_]->position_ = lease.position_;
  last = std::move(others.back());
  others.pop_back();
  count_--;
  changed_.notify_all();  // before the unlock: whoever waits may end the list
}

std::size_t LeaseList::count() const {
  std::lock_guard lock(mutex_);
  return count_;
}

bool LeaseList::wait(std::uint32_t index, Clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, deadline, [&] { return !has(index); });
}

void LeaseList::revoke(std::uint32_t index) noexcept {
  Leases those;  // revoked after the lock: that runs the plugin
  {
    std::lock_guard lock(mutex_);
    if (has(index)) those = of_instance_[index];
  }
  for (const auto& lease : those) lease->revoke();
}

void LeaseList::revoke_all() noexcept {
  Leases those;
  {
    std::lock_guard lock(mutex_);
    those = of_none_;
    for (const Leases& some : of_instance_) those.insert(those.end(), some.begin(), some.end());
  }
  for (const auto& lease : those) lease->revoke();
}

}  // namespace tenon::detail
