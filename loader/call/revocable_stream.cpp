// SPDX-License-Identifier: BSL-1.0
#include "call/revocable_stream.hpp"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/lock_order.hpp"
#include "call/host_stream.hpp"
#include "call/plugin_status.hpp"
#include "call/quirks.hpp"
#include "call/supervised_work.hpp"
#include "call/thread_records.hpp"
#include "platform/barrier.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr tenon_status revoked = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED;
constexpr const char* revoked_text =
    "the plugin behind the stream was restarted or given back; open the stream again";

constexpr const char* busy_text = "another call is inside the stream; use it from one at a time";

// -- Leaving, see revocable_stream.hpp -------------------------------------------

/// Held while a call in a stream is cancelled.
LeafMutex revoking_mutex;
std::atomic<bool> revoking{false};

/// True if calls leave with an exchange because the system offers no barrier.
std::atomic<bool> exchanging{TENON_ORDERED_SLOTS};

/// Prepares the process for the first stream.
void prepare() noexcept {
  static const bool prepared = [] {
    if (!platform::has_process_barrier()) exchanging.store(true);
    platform::after_fork_in_child([] {
      new (&revoking_mutex) LeafMutex;
      revoking.store(false);
    });
    return true;
  }();
  static_cast<void>(prepared);
}

/// Ensures that every call that has left a stream is seen to have left, or sees `revoking`.
void show_leaves() noexcept {
  if (exchanging.load() || platform::process_barrier()) return;
  // The system refuses the barrier from now on. Stores of calls leave the store buffers within
  // microseconds.
  constexpr auto pause = std::chrono::milliseconds(10);
  exchanging.store(true);
  std::this_thread::sleep_for(pause);
}

void wait_for_revocation() noexcept {
  const sync::Lock lock(revoking_mutex);
}

}  // namespace

/// Makes a call leave the stream when it is destroyed.
class RevocableStream::LeaveOnExit {
 public:
  LeaveOnExit(RevocableStream& stream, Call& caller) noexcept : stream_(stream), caller_(caller) {}
  TENON_ALWAYS_INLINE ~LeaveOnExit() { stream_.leave(caller_); }
  LeaveOnExit(const LeaveOnExit&) = delete;
  LeaveOnExit& operator=(const LeaveOnExit&) = delete;

 private:
  RevocableStream& stream_;
  Call& caller_;
};

namespace {

/// Returns the target of the functions of a stream. The method that returned it has not ended yet.
const CallTarget& maker(const CallTargets& generation, bool is_borrowed) noexcept {
  const CallTarget* target = is_borrowed ? nullptr : innermost_target();
  return target != nullptr && target->generation == &generation ? *target : generation.own();
}

}  // namespace

RevocableStream::RevocableStream(RevocableStreams& list, std::uint32_t index, bool is_borrowed,
                                 bool is_passed_on)
    : list_(list),
      index_(index),
      is_passed_on_(is_passed_on),
      target_(maker(list.generation_, is_borrowed)),
      state_(is_borrowed ? borrowed : 0) {}

TENON_ALWAYS_INLINE RevocableStream::Entered RevocableStream::enter(Call& caller) noexcept {
  if (!call_.enter(caller)) [[unlikely]]
    return (state_.load() & closed) != 0 ? Entered::closed : Entered::busy;
  // After the end the list may be gone.
  const bool is_closed = (state_.load() & closed) != 0;
  const std::uint32_t marks = is_closed ? RevocableStreams::is_broken : list_.marks_.load();
  if (marks == 0 && !SupervisedWork::is_performed()) [[likely]]
    return Entered::direct;
  if ((marks & RevocableStreams::is_broken) == 0) return Entered::through_runner;
  leave(caller);
  return Entered::closed;
}

TENON_ALWAYS_INLINE void RevocableStream::leave(Call& caller) noexcept {
  call_.leave(exchanging.load(std::memory_order_relaxed));
  if (revoking.load()) [[unlikely]]
    wait_for_revocation();
  if (StreamCall::was_revoked(caller)) [[unlikely]]
    drop(call_inside);
}

tenon_status RevocableStream::refuse(tenon_call* call, Entered entered) noexcept {
  return entered == Entered::busy ? tenon_fail(call, TENON_FAILED_PRECONDITION, busy_text)
                                  : tenon_fail(call, revoked, revoked_text);
}

/// Handles the failure of a function that was called directly.
tenon_status RevocableStream::failed(const char* function, tenon_status status) {
  // Read before a fatal failure of this function itself begins a restart.
  const bool interrupted = call_.cancel_reason() == CancelReason::restart;
  if (!is_passed_on_) status = status_of_plugin(call_.raw(), status);
  status = list_.runner_.stream_failed(function, call_.raw(), status);
  return interrupted ? tenon_fail(call_.raw(), revoked, revoked_text) : status;
}

/// Calls a function through the runner.
template <class Body>
tenon_status RevocableStream::run(const char* function, Body body) {
  bool interrupted = false;
  tenon_status inner = TENON_OK;
  auto observed = [&] {
    inner = body(call_.raw());
    interrupted = call_.cancel_reason() == CancelReason::restart;
    return inner;
  };
  const tenon_status status =
      list_.runner_.run_stream(function, call_.raw(), StreamRunner::Body(observed));
  if (status == TENON_OK) return status;
  if (interrupted) return tenon_fail(call_.raw(), revoked, revoked_text);
  return is_passed_on_ && inner != TENON_OK ? inner : status;
}

// The thread enters the generation before the call enters the stream: a restart that finds no call
// in the stream finds none in the generation either.
template <class Body>
[[gnu::always_inline]] inline tenon_status RevocableStream::visit(const char* function,
                                                                  tenon_call* call, Body body) {
  Call& caller = Call::of(call);
  // The exchange of `enter` orders the slot.
  const GenerationGuard guard(target_, std::memory_order_relaxed);
  const Entered entered = enter(caller);
  if (entered == Entered::closed || entered == Entered::busy) [[unlikely]]
    return refuse(call, entered);
  const LeaveOnExit stay(*this, caller);
  if (entered == Entered::through_runner) [[unlikely]]
    return run(function, body);
  lock_order::expect_none();
  try {
    const tenon_status status = body(call_.raw());
    if (status == TENON_OK) [[likely]]
      return TENON_OK;
    return failed(function, status);
  } catch (...) {
    return list_.runner_.stream_threw(function, call_.raw());
  }
}

// The caller must keep the stream alive: the call in it may end it meanwhile.
void RevocableStream::revoke() noexcept {
  std::uint32_t state = state_.load();
  do {
    if ((state & closed) != 0) return;
  } while (!state_.compare_exchange_weak(state, state | closed | call_inside));
  if (!call_.has_caller() || !interrupt()) drop(call_inside);
}

/// Cancels the call in the stream, which ends the stream when it leaves. Returns false if there is
/// no call.
bool RevocableStream::interrupt() noexcept {
  const sync::Lock lock(revoking_mutex);
  revoking.store(true);
  show_leaves();
  const bool found = call_.revoke();
  revoking.store(false);
  return found;
}

/// Drops a hold. Ends the stream if it was the last.
void RevocableStream::drop(std::uint32_t hold) noexcept {
  if (state_.fetch_and(~hold) == (closed | hold)) end();
}

void RevocableStream::release() noexcept {
  const std::shared_ptr<RevocableStream> held = std::move(held_);
  revoke();
}

void RevocableStream::pass() noexcept {
  drop(borrowed);
}

void RevocableStream::take_back() noexcept {
  state_.fetch_or(closed);
  held_ = nullptr;
  list_.remove(*this);
}

/// Releases the plugin's stream. After this the generation may be unloaded.
void RevocableStream::end() noexcept {
  if (!list_.broken()) {
    GenerationGuard guard(target_);
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

// The first and the longest pause before an empty stream is read again.
constexpr tenon_duration initial_backoff = in_nanoseconds(std::chrono::microseconds(100));
constexpr tenon_duration max_backoff = in_nanoseconds(std::chrono::milliseconds(20));

tenon_status interrupted_while_empty(tenon_call* call, std::int32_t reason) {
  return reason == TENON_CANCELLED_BY_DEADLINE
             ? tenon_fail(call, TENON_DEADLINE_EXCEEDED, "the stream had nothing in time")
             : tenon_fail(call, TENON_CANCELLED, "the call was cancelled while nothing came");
}

/// Reads for a caller that relies on the number of bytes.
tenon_status read_checked(tenon_call* call, tenon_reader* stream, tenon_buffer into,
                          std::size_t* got) {
  const tenon_status status = stream->read(call, stream, into, got);
  if (status != TENON_OK || *got <= into.size) [[likely]]
    return status;
  *got = 0;
  return tenon_fail(call, TENON_INTERNAL, too_many_bytes);
}

/// Reads for a caller that takes 0 bytes for the end from a stream for which they are not; see
/// Quirk::empty_read_is_no_end.
tenon_status read_until_ready(tenon_call* call, tenon_reader* stream, tenon_buffer into,
                              std::size_t* got) {
  for (tenon_duration pause = initial_backoff;; pause = std::min(2 * pause, max_backoff)) {
    *got = 0;
    const tenon_status status = read_checked(call, stream, into, got);
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

/// A revocable stream with the C struct of its holder.
template <class Raw>
class RevocableStreamOf final : public RevocableStream {
 public:
  RevocableStreamOf(RevocableStreams& list, AbiVersion abi, std::uint32_t index, bool borrowed,
                    Raw* inner)
      : RevocableStream(list, index, borrowed, is_one(inner)),
        handle_{functions_for(abi, *inner), this},
        inner_(inner) {}

  Raw* hand_out() {
    RevocableStream::hand_out();
    return &handle_;
  }
  static bool is_one(const Raw* raw) noexcept { return raw->release == functions.release; }

 private:
  struct StreamHandle : Raw {
    RevocableStreamOf* stream;
  };
  static const Raw functions;

  static const Raw& functions_for(AbiVersion abi, const Raw& inner) noexcept;
  static RevocableStreamOf& of(Raw* raw) noexcept {
    return *static_cast<StreamHandle*>(raw)->stream;
  }

  template <auto function, const char* name, class... Arguments>
  static tenon_status forward(tenon_call* call, Raw* self, Arguments... arguments) {
    RevocableStreamOf& stream = of(self);
    return stream.visit(name, call, [inner = stream.inner_, arguments...](tenon_call* nested) {
      return (inner->*function)(nested, inner, arguments...);
    });
  }
  template <tenon_status (*function)(tenon_call*, tenon_reader*, tenon_buffer, std::size_t*)>
  static tenon_status read(tenon_call* call, Raw* self, tenon_buffer into, std::size_t* got) {
    RevocableStreamOf& stream = of(self);
    return stream.visit(read_name, call, [inner = stream.inner_, into, got](tenon_call* nested) {
      return function(nested, inner, into, got);
    });
  }
  static void release(Raw* self) { of(self).RevocableStream::release(); }
  void release_inner() override { inner_->release(inner_); }

  StreamHandle handle_;
  Raw* const inner_;
};

template <>
const tenon_reader RevocableStreamOf<tenon_reader>::functions = {sizeof(tenon_reader),
                                                                 read<read_checked>, release};

template <>
const tenon_writer RevocableStreamOf<tenon_writer>::functions = {
    sizeof(tenon_writer), forward<&tenon_writer::write, write_name, tenon_bytes>,
    forward<&tenon_writer::commit, commit_name>, release};

/// Streams that the module only passes on behave like all revocable streams, whatever the module
/// requires.
template <>
const tenon_reader& RevocableStreamOf<tenon_reader>::functions_for(
    AbiVersion abi, const tenon_reader& inner) noexcept {
  static constexpr tenon_reader patient = {sizeof(tenon_reader), read<read_until_ready>, release};
  const bool may_be_empty =
      has(abi, Quirk::empty_read_is_no_end) && !is_one(&inner) && !is_host_stream(inner);
  return may_be_empty ? patient : functions;
}

template <>
const tenon_writer& RevocableStreamOf<tenon_writer>::functions_for(AbiVersion,
                                                                   const tenon_writer&) noexcept {
  return functions;
}

}  // namespace

// -- The list -----------------------------------------------------------------

/// Replaces `stream` by a revocable one.
template <class Raw>
std::shared_ptr<RevocableStream> RevocableStreams::add(std::uint32_t index, bool borrowed,
                                                       Raw*& stream) {
  prepare();
  auto revocable = std::make_shared<RevocableStreamOf<Raw>>(*this, abi_, index, borrowed, stream);
  stream = revocable->hand_out();
  if (process_.inherited()) return revocable;
  sync::Lock lock(mutex_);
  Streams& others = of(index);
  revocable->position_ = others.size();
  others.push_back(revocable);
  ++count_;
  return revocable;
}

tenon_reader* RevocableStreams::add(std::uint32_t index, tenon_reader* inner) {
  if (inner != nullptr) add(index, false, inner);
  return inner;
}

tenon_writer* RevocableStreams::add(std::uint32_t index, tenon_writer* inner) {
  if (inner != nullptr) add(index, false, inner);
  return inner;
}

std::shared_ptr<RevocableStream> RevocableStreams::lend(tenon_reader*& stream) {
  if (stream == nullptr || RevocableStreamOf<tenon_reader>::is_one(stream)) return nullptr;
  return add(no_instance, true, stream);
}

std::shared_ptr<RevocableStream> RevocableStreams::lend(tenon_writer*& stream) {
  if (stream == nullptr || RevocableStreamOf<tenon_writer>::is_one(stream)) return nullptr;
  return add(no_instance, true, stream);
}

RevocableStreams::Streams& RevocableStreams::of(std::uint32_t index) {
  if (index == no_instance) return of_none_;
  if (of_instance_.size() <= index) of_instance_.resize(index + 1);
  return of_instance_[index];
}

bool RevocableStreams::has(std::uint32_t index) const noexcept {
  return index < of_instance_.size() && !of_instance_[index].empty();
}

void RevocableStreams::remove(const RevocableStream& stream) noexcept {
  if (process_.inherited()) return;
  std::shared_ptr<RevocableStream> last;  // destroyed after the unlock
  sync::Lock lock(mutex_);
  Streams& others = stream.index() == no_instance ? of_none_ : of_instance_[stream.index()];
  std::swap(others[stream.position_], others.back());
  others[stream.position_]->position_ = stream.position_;
  last = std::move(others.back());
  others.pop_back();
  --count_;
  changed_.notify_all();  // before the unlock: the waiting thread may destroy the list
}

std::size_t RevocableStreams::count() const {
  sync::Lock lock(mutex_);
  return count_;
}

bool RevocableStreams::wait(std::uint32_t index, Clock::time_point deadline) {
  sync::Lock lock(mutex_);
  return changed_.wait_until(mutex_, deadline,
                             [&]() TENON_REQUIRES(mutex_) { return !has(index); });
}

void RevocableStreams::list(std::uint32_t index, Streams& those) const {
  if (empty()) return;
  sync::Lock lock(mutex_);
  if (!has(index)) return;
  those.insert(those.end(), of_instance_[index].begin(), of_instance_[index].end());
}

void RevocableStreams::revoke(std::uint32_t index) noexcept {
  Streams those;  // revoked without the lock, because that runs the plugin
  list(index, those);
  for (const auto& stream : those) stream->revoke();
}

void RevocableStreams::revoke_all() noexcept {
  Streams those;
  {
    sync::Lock lock(mutex_);
    those = of_none_;
    for (const Streams& some : of_instance_) those.insert(those.end(), some.begin(), some.end());
  }
  for (const auto& stream : those) stream->revoke();
}

}}}  // namespace tenon::v0_1::detail
