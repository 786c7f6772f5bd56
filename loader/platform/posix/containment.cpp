// SPDX-License-Identifier: BSL-1.0
#include "platform/containment.hpp"

#include <tenon/mutex.hpp>

#include <cxxabi.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/fork.hpp"
#include "base/own_library.hpp"
#include "platform/float_modes.hpp"
#include "platform/posix/fault.hpp"
#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

/// The buffer of __builtin_setjmp.
using JumpBuffer = void* [5];

/// The exceptions of a thread as the C++ ABI defines them, at the address that __cxa_get_globals
/// returns.
struct Exceptions {
  void* caught;
  unsigned int uncaught;
};

/// Those of this thread, once it is prepared for contained calls.
[[gnu::tls_model("initial-exec")]] constinit thread_local Exceptions* exceptions = nullptr;

struct Frame;

// Signal handlers read both, so they must exist without lazy initialisation.
[[gnu::tls_model("initial-exec")]] constinit thread_local Frame* innermost = nullptr;
[[gnu::tls_model("initial-exec")]] constinit thread_local JumpBuffer* resume_check = nullptr;

/// A contained call in progress. REQUIRED: the thread is prepared.
struct Frame {
  Frame(const ContainedCall& called, const void* stack, std::optional<Crash>& crash) noexcept
      : called(called), stack(stack), crash(crash), outer(innermost) {
    innermost = this;
  }
  ~Frame() { innermost = outer; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// Restores the state of the thread after a crash.
  void restore() const noexcept {
    float_modes.restore();
    *exceptions = exceptions_before;
  }

  const ContainedCall& called;
  const void* const stack;
  std::optional<Crash>& crash;
  Frame* const outer;
  bool inherited = false;  // the call began in the process that forked this one
  const FloatModes float_modes;
  const Exceptions exceptions_before = *exceptions;
  JumpBuffer resume;
};

// -- Processes ----------------------------------------------------------------

// A crash in a forked child must not return into its copy of the host, of which the parent knows
// nothing.

/// The process that this memory belongs to. A child that vfork started, in which no fork handler
/// runs, has another id.
constinit pid_t process = 0;

void enter_child() noexcept {
  process = getpid();
  for (Frame* frame = innermost; frame != nullptr; frame = frame->outer) frame->inherited = true;
}

bool began_here(const Frame& frame) noexcept {
  return !frame.inherited && getpid() == process;
}

// -- The stack of handlers ----------------------------------------------------

/// The alternate signal stack of a thread, which its handlers need when its stack overflows. A
/// stack that the program set is kept if it is large enough, and otherwise replaced until the
/// thread ends.
class AlternateStack {
 public:
  AlternateStack() noexcept {
    if (sigaltstack(nullptr, &before_) != 0 || is_large_enough(before_)) return;
    void* memory = mmap(nullptr, size + guard, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return;
    mprotect(memory, guard, PROT_NONE);
    memory_ = static_cast<char*>(memory);
    const stack_t mine{.ss_sp = memory_ + guard, .ss_flags = 0, .ss_size = size};
    if (sigaltstack(&mine, nullptr) == 0) return;
    munmap(std::exchange(memory_, nullptr), size + guard);
  }
  ~AlternateStack() {
    if (memory_ == nullptr) return;
    stack_t now{};
    const bool mine = sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_ + guard;
    // If the thread ends inside a signal handler, its stack is leaked.
    if (mine && sigaltstack(&before_, nullptr) != 0) return;
    munmap(memory_, size + guard);
  }
  AlternateStack(const AlternateStack&) = delete;
  AlternateStack& operator=(const AlternateStack&) = delete;

 private:
  // Previous handlers of the program run on it as well.
  static constexpr std::size_t size = 262'144;
  static constexpr std::size_t guard = 65'536;  // the largest page size

  static bool is_large_enough(const stack_t& stack) noexcept {
    return (stack.ss_flags & SS_DISABLE) == 0 && stack.ss_size >= min_alternate_stack;
  }

  stack_t before_{};
  char* memory_ = nullptr;
};

/// Returns whether the handler has enough stack. The thread may run on a smaller alternate stack
/// that the program set after its first contained call, or on which another handler runs.
bool has_stack_space(const void* context) noexcept {
  constexpr std::ptrdiff_t needed = 16'384;  // twice the measured use
  const stack_t& alternate = static_cast<const ucontext_t*>(context)->uc_stack;
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  const auto* lowest = static_cast<const char*>(alternate.ss_sp);
  const bool on_it = lowest <= here && here < lowest + alternate.ss_size;
  return !on_it || here - lowest >= needed;
}

/// The signals of faults. The system ends the process if a thread that blocks one causes it.
void unblock_faults() noexcept {
  sigset_t faults;
  sigemptyset(&faults);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigaddset(&faults, fault);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

[[gnu::noinline]] void prepare_thread() noexcept {
  static thread_local AlternateStack stack;
  unblock_faults();
  exceptions = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
}

// -- Handlers -----------------------------------------------------------------

constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr const char* names[] = {"SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT"};

sync::Mutex handlers_mutex;
const UnlockedInChildren<handlers_mutex> handlers_unlocked;

/// The installed handlers and the previous ones.
struct Handlers {
  std::size_t users TENON_GUARDED_BY(handlers_mutex) = 0;
  bool installed[std::size(signals)] TENON_GUARDED_BY(handlers_mutex) = {};
  struct sigaction before[std::size(signals)] = {};  // handlers read it, which take no lock
};
Handlers handlers;

std::size_t index_of(int signal) noexcept {
  return static_cast<std::size_t>(std::find(std::begin(signals), std::end(signals), signal) -
                                  std::begin(signals));
}

std::string_view name_of(int signal) noexcept {
  return names[index_of(signal)];
}

/// Writes the last line before a plugin ends the process.
void report(const ContainedCall& called, int signal, std::string_view why) noexcept {
  write_to_standard_error({"tenon: ", called.plugin, ": ", called.function, ": ", name_of(signal),
                           ", not contained", why, "\n"});
}

/// Calls the previous handler, or performs the default action.
void pass_on(int signal, siginfo_t* info, void* context) noexcept {
  struct sigaction& before = handlers.before[index_of(signal)];
  const bool raised = info->si_code > 0;
  const bool ignored = before.sa_handler == SIG_IGN;
  if (ignored && !raised) return;
  if (ignored || before.sa_handler == SIG_DFL) {
    struct sigaction deadly = {};
    sigaction(signal, &deadly, nullptr);
    // A synchronous signal is raised again by the same instruction.
    if (!raised) raise(signal);
    return;
  }
  const struct sigaction handler = before;
  if ((handler.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) before.sa_handler = SIG_DFL;
  sigset_t blocked = handler.sa_mask;
  if ((handler.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  sigset_t mask;
  pthread_sigmask(SIG_BLOCK, &blocked, &mask);
  if ((handler.sa_flags & SA_SIGINFO) != 0) {
    handler.sa_sigaction(signal, info, context);
  } else {
    handler.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

/// Leaves the handler of a signal that has this context. Compilers require that setjmp and longjmp
/// are in different functions.
[[noreturn, gnu::noinline]] void jump(JumpBuffer& buffer, const void* context) noexcept {
  // A handler of the program that calls this one may have blocked the signal.
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t*>(context)->uc_sigmask, nullptr);
  __builtin_longjmp(buffer, 1);
}

/// Returns whether the code that was called caused the fault. Returns false if the stack is broken,
/// so that reading it raises another fault.
[[gnu::noinline]] bool is_contained(Fault& fault, const Frame& frame) noexcept {
  JumpBuffer buffer;
  bool own = false;
  if (__builtin_setjmp(buffer) == 0) {
    resume_check = &buffer;
    own = fault.is_caused_by(*frame.called.image, frame.stack);
    resume_check = nullptr;
    if (own) return true;
  }
  fault.restore();
  return false;
}

void on_signal(int signal, siginfo_t* info, void* context) {
  if (resume_check != nullptr) jump(*std::exchange(resume_check, nullptr), context);
  const int error = errno;
  if (Frame* frame = innermost; frame != nullptr) {
    std::string_view obstacle;
    if (!began_here(*frame)) {
      obstacle = ": the call began in another process";
    } else if (!has_stack_space(context)) {
      obstacle = ": the alternate signal stack of the thread is full";
    }
    if (Fault fault(signal, *info, context);
        obstacle.empty() && frame->called.image != nullptr && is_contained(fault, *frame)) {
      frame->crash = fault.crash(name_of(signal));
      jump(frame->resume, context);
    }
    report(frame->called, signal, obstacle);
  }
  errno = error;
  pass_on(signal, info, context);
}

}  // namespace

bool can_contain() noexcept {
  return true;
}

CrashHandlers::CrashHandlers() {
  prepare_faults();
  static const bool follows = (after_fork_in_child(enter_child), true);
  static_cast<void>(follows);
  sync::Lock lock(handlers_mutex);
  if (handlers.users++ != 0) return;
  process = getpid();
  for (std::size_t i = 0; i < std::size(signals); ++i) {
    // A handler that could not be removed is still called by the handler that replaced it.
    if (handlers.installed[i]) continue;
    struct sigaction mine = {};
    mine.sa_sigaction = on_signal;
    mine.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(signals[i], nullptr, &handlers.before[i]);
    handlers.installed[i] = sigaction(signals[i], &mine, nullptr) == 0;
  }
}

CrashHandlers::~CrashHandlers() {
  sync::Lock lock(handlers_mutex);
  if (--handlers.users != 0) return;
  for (std::size_t i = 0; i < std::size(signals); ++i) {
    struct sigaction now = {};
    sigaction(signals[i], nullptr, &now);
    if (now.sa_sigaction == on_signal) {
      sigaction(signals[i], &handlers.before[i], nullptr);
      handlers.installed[i] = false;
    } else if (handlers.installed[i]) {
      leave_library_loaded();
    }
  }
}

void prepare_contained_calls() noexcept {
  if (exceptions == nullptr) [[unlikely]]
    prepare_thread();
}

void call_contained(const ContainedCall& called, void (*function)(void*), void* argument,
                    std::optional<Crash>& crash) {
  prepare_contained_calls();
  Frame frame(called, __builtin_frame_address(0), crash);
  if (__builtin_setjmp(frame.resume) == 0) {
    function(argument);
  } else {
    frame.restore();
  }
}

}}}  // namespace tenon::v0_1::platform
