// SPDX-License-Identifier: BSL-1.0
//
// Windows asks the handlers of the functions on the stack about a fault, the innermost first, so
// that those of the plugin are asked before the one here. A contained call is made by a function
// in assembler, which saves the registers that its caller needs. If its handler contains the fault,
// the thread continues there.
//
// abort raises no fault, but calls the handler of SIGABRT. Each C library has one of its own: that
// of this program is used.
#include "platform/containment.hpp"

#include <tenon/mutex.hpp>

#include <cxxabi.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "base/own_library.hpp"
#include "platform/float_modes.hpp"
#include "platform/process.hpp"
#include "platform/windows/system.hpp"

extern "C" {

/// Calls `function(argument)`. Returns whether its crash was contained; `frame` is a Frame.
bool tenon_call_guarded(void (*function)(void*), void* argument, void* frame);
/// Where the call returns to, and where the thread continues after a contained crash.
extern const char tenon_guarded_return[], tenon_guarded_crash[];

/// Called by Windows.
EXCEPTION_DISPOSITION tenon_on_exception(EXCEPTION_RECORD* record, void* stack, CONTEXT* context,
                                         void*) noexcept;

}  // extern "C"

// `frame` is stored at the offset 192 from the stack pointer.
__asm__(R"(
  .text
  .p2align 4
  .globl tenon_call_guarded
  .def tenon_call_guarded; .scl 2; .type 32; .endef
  .seh_proc tenon_call_guarded
tenon_call_guarded:
  pushq %rbp
  .seh_pushreg %rbp
  pushq %rbx
  .seh_pushreg %rbx
  pushq %rsi
  .seh_pushreg %rsi
  pushq %rdi
  .seh_pushreg %rdi
  pushq %r12
  .seh_pushreg %r12
  pushq %r13
  .seh_pushreg %r13
  pushq %r14
  .seh_pushreg %r14
  pushq %r15
  .seh_pushreg %r15
  subq $200, %rsp
  .seh_stackalloc 200
  movaps %xmm6, 32(%rsp)
  .seh_savexmm %xmm6, 32
  movaps %xmm7, 48(%rsp)
  .seh_savexmm %xmm7, 48
  movaps %xmm8, 64(%rsp)
  .seh_savexmm %xmm8, 64
  movaps %xmm9, 80(%rsp)
  .seh_savexmm %xmm9, 80
  movaps %xmm10, 96(%rsp)
  .seh_savexmm %xmm10, 96
  movaps %xmm11, 112(%rsp)
  .seh_savexmm %xmm11, 112
  movaps %xmm12, 128(%rsp)
  .seh_savexmm %xmm12, 128
  movaps %xmm13, 144(%rsp)
  .seh_savexmm %xmm13, 144
  movaps %xmm14, 160(%rsp)
  .seh_savexmm %xmm14, 160
  movaps %xmm15, 176(%rsp)
  .seh_savexmm %xmm15, 176
  .seh_endprologue
  .seh_handler tenon_on_exception, @except
  movq %r8, 192(%rsp)
  movq %rcx, %rax
  movq %rdx, %rcx
  callq *%rax
  .globl tenon_guarded_return
tenon_guarded_return:
  xorl %eax, %eax
  jmp 1f
  .globl tenon_guarded_crash
tenon_guarded_crash:
  movl $1, %eax
1:
  movaps 32(%rsp), %xmm6
  movaps 48(%rsp), %xmm7
  movaps 64(%rsp), %xmm8
  movaps 80(%rsp), %xmm9
  movaps 96(%rsp), %xmm10
  movaps 112(%rsp), %xmm11
  movaps 128(%rsp), %xmm12
  movaps 144(%rsp), %xmm13
  movaps 160(%rsp), %xmm14
  movaps 176(%rsp), %xmm15
  addq $200, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rdi
  popq %rsi
  popq %rbx
  popq %rbp
  ret
  .seh_endproc
)");

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

constexpr std::size_t frame_at = 192;

/// The exceptions of a thread as the C++ ABI defines them, at the address that __cxa_get_globals
/// returns.
struct Exceptions {
  void* caught;
  unsigned int uncaught;
};

/// A contained call in progress.
struct Frame {
  Frame(const ContainedCall& called, std::optional<Crash>& crash) noexcept
      : called(called), crash(crash) {}

  /// Restores the state of the thread after a crash.
  void restore() const noexcept {
    float_modes.restore();
    *exceptions = exceptions_before;
    // The page that reports the end of the stack, once.
    if (crash->stack_overflow) _resetstkoflw();
  }

  const ContainedCall& called;
  std::optional<Crash>& crash;
  const FloatModes float_modes;
  Exceptions* const exceptions = reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
  const Exceptions exceptions_before = *exceptions;
};

// Functions of the C library that take no lock and change no data but their arguments'. Others are
// those without a stack frame.
constexpr const char* leaf_names[] = {"memchr",  "memcmp",  "memcpy",  "memmove", "memset",
                                      "strcat",  "strchr",  "strcmp",  "strcpy",  "strlen",
                                      "strncat", "strncmp", "strncpy", "strnlen", "strrchr",
                                      "strstr",  "wcscmp",  "wcscpy",  "wcslen",  "wcsncpy"};
// Those between a call of abort, or a failed assert, and the handler.
constexpr const char* abort_names[] = {"abort", "raise", "_assert", "_wassert"};

/// The C library of this program.
struct Library {
  ImageMap map;
  std::array<const void*, std::size(leaf_names)> leaves{};
  std::array<const void*, std::size(abort_names)> aborts{};
};
const Library* c_library = nullptr;

void prepare() {
  static const Library found = [] {
    Library library;
    // The import is a jump in this program; the library itself is found by its name.
    for (const wchar_t* name : {L"msvcrt.dll", L"ucrtbase.dll"}) {
      const HMODULE image = GetModuleHandleW(name);
      if (image == nullptr) continue;
      const auto find = [image](const char* function) {
        return reinterpret_cast<const void*>(GetProcAddress(image, function));
      };
      library.map = ImageMap::of(path_of(image));
      std::ranges::transform(leaf_names, library.leaves.begin(), find);
      std::ranges::transform(abort_names, library.aborts.begin(), find);
      break;
    }
    return library;
  }();
  c_library = &found;
}

/// Walks from a function outwards.
class StackWalk {
 public:
  explicit StackWalk(const CONTEXT& context) noexcept : context_(context) { look_up(); }

  const char* code() const noexcept { return reinterpret_cast<const char*>(context_.Rip); }
  const void* stack() const noexcept { return reinterpret_cast<const void*>(context_.Rsp); }
  /// Returns whether the function has no stack frame; its return address is the last on the stack.
  bool is_leaf() const noexcept { return function_ == nullptr; }
  /// Returns where the function begins.
  const void* begin() const noexcept {
    return is_leaf() ? nullptr : reinterpret_cast<const void*>(base_ + function_->BeginAddress);
  }
  /// Goes to the caller. Returns false if the stack ends or is broken.
  bool next() noexcept {
    const auto& block = *reinterpret_cast<const NT_TIB*>(NtCurrentTeb());
    const auto before = context_.Rsp;
    if (before % 8 != 0 || before < reinterpret_cast<std::uintptr_t>(block.StackLimit) ||
        before + 8 > reinterpret_cast<std::uintptr_t>(block.StackBase)) {
      return false;
    }
    if (is_leaf()) {
      context_.Rip = *reinterpret_cast<const DWORD64*>(context_.Rsp);
      context_.Rsp += 8;
    } else {
      void* data = nullptr;
      DWORD64 frame = 0;
      RtlVirtualUnwind(UNW_FLAG_NHANDLER, base_, context_.Rip, function_, &context_, &data, &frame,
                       nullptr);
    }
    if (context_.Rip == 0 || context_.Rsp <= before) return false;
    look_up();
    return true;
  }

 private:
  void look_up() noexcept { function_ = RtlLookupFunctionEntry(context_.Rip, &base_, nullptr); }

  CONTEXT context_;
  RUNTIME_FUNCTION* function_ = nullptr;
  DWORD64 base_ = 0;
};

template <class Functions>
bool is_one_of(const Functions& functions, const void* function) noexcept {
  return function != nullptr && std::ranges::find(functions, function) != functions.end();
}

/// Goes out to the innermost contained call. Returns false if there is none.
bool find_contained_call(StackWalk& walk) noexcept {
  while (walk.code() != tenon_guarded_return) {
    if (!walk.next()) return false;
  }
  return true;
}

Frame& frame_of(const void* stack) noexcept {
  return **reinterpret_cast<Frame* const*>(static_cast<const char*>(stack) + frame_at);
}

/// Returns whether all callers up to the innermost contained call are of the image, and then all
/// are of others. REQUIRED: `walk` is in the image.
bool is_called_by_host(StackWalk walk, const ImageMap& image) noexcept {
  bool outside = false;
  while (walk.next() && walk.code() != tenon_guarded_return) {
    const bool own = image.contains_code(walk.code() - 1);
    if (own && outside) return false;
    outside = !own;
  }
  return walk.code() == tenon_guarded_return;
}

/// Returns the instruction of the image that failed, or that called the function that failed;
/// nullptr if code of the image alone did not cause the fault.
const char* own_code(const EXCEPTION_RECORD& record, StackWalk walk,
                     const ImageMap& image) noexcept {
  if (!image.contains_code(walk.code())) {
    const bool calls_no_code =
        record.ExceptionCode == EXCEPTION_ACCESS_VIOLATION &&
        record.ExceptionInformation[1] == reinterpret_cast<std::uintptr_t>(walk.code());
    const bool is_safe = c_library->map.contains_code(walk.code())
                             ? walk.is_leaf() || is_one_of(c_library->leaves, walk.begin())
                             : calls_no_code;
    if (!is_safe || !walk.next() || !image.contains_code(walk.code() - 1)) return nullptr;
  }
  return is_called_by_host(walk, image) ? walk.code() : nullptr;
}

/// Has a thread with this context continue after the contained call.
void leave(CONTEXT& context, const void* stack) noexcept {
  constexpr DWORD direction = 0x400;  // of string instructions
  context.Rip = reinterpret_cast<std::uintptr_t>(tenon_guarded_crash);
  context.Rsp = reinterpret_cast<std::uintptr_t>(stack);
  context.EFlags &= ~direction;
}

/// Writes the last line before a plugin ends the process.
void report(const ContainedCall& called, std::string_view fault) noexcept {
  write_to_standard_error(
      {"tenon: ", called.plugin, ": ", called.function, ": ", fault, ", not contained\n"});
}

std::string_view name_of(DWORD code) noexcept {
  switch (code) {
    case EXCEPTION_ACCESS_VIOLATION:
      return "EXCEPTION_ACCESS_VIOLATION";
    case EXCEPTION_ARRAY_BOUNDS_EXCEEDED:
      return "EXCEPTION_ARRAY_BOUNDS_EXCEEDED";
    case EXCEPTION_DATATYPE_MISALIGNMENT:
      return "EXCEPTION_DATATYPE_MISALIGNMENT";
    case EXCEPTION_FLT_DENORMAL_OPERAND:
    case EXCEPTION_FLT_DIVIDE_BY_ZERO:
    case EXCEPTION_FLT_INEXACT_RESULT:
    case EXCEPTION_FLT_INVALID_OPERATION:
    case EXCEPTION_FLT_OVERFLOW:
    case EXCEPTION_FLT_STACK_CHECK:
    case EXCEPTION_FLT_UNDERFLOW:
      return "a floating-point exception";
    case EXCEPTION_ILLEGAL_INSTRUCTION:
      return "EXCEPTION_ILLEGAL_INSTRUCTION";
    case EXCEPTION_IN_PAGE_ERROR:
      return "EXCEPTION_IN_PAGE_ERROR";
    case EXCEPTION_INT_DIVIDE_BY_ZERO:
      return "EXCEPTION_INT_DIVIDE_BY_ZERO";
    case EXCEPTION_INT_OVERFLOW:
      return "EXCEPTION_INT_OVERFLOW";
    case EXCEPTION_PRIV_INSTRUCTION:
      return "EXCEPTION_PRIV_INSTRUCTION";
    case EXCEPTION_STACK_OVERFLOW:
      return "EXCEPTION_STACK_OVERFLOW";
    default:
      return {};
  }
}

using Handler = void (*)(int);

sync::Mutex handler_mutex;
std::size_t users TENON_GUARDED_BY(handler_mutex) = 0;
Handler before = SIG_DFL;  // of SIGABRT

/// The handler of SIGABRT, which abort calls.
void on_abort(int signal) noexcept {
  std::signal(SIGABRT, on_abort);  // the C library has removed it
  CONTEXT context;
  RtlCaptureContext(&context);
  StackWalk walk(context);
  StackWalk call = walk;
  if (find_contained_call(call)) {
    Frame& frame = frame_of(call.stack());
    const ImageMap* image = frame.called.image;
    bool more = walk.next();
    while (more && is_one_of(c_library->aborts, walk.begin())) more = walk.next();
    if (more && image != nullptr && image->contains_code(walk.code() - 1) &&
        is_called_by_host(walk, *image)) {
      frame.crash = Crash{"SIGABRT", walk.code() - 1};
      leave(context, call.stack());
      RtlRestoreContext(&context, nullptr);
    }
    report(frame.called, "SIGABRT");
  }
  if (before != SIG_DFL && before != SIG_IGN) before(signal);
}

}  // namespace

extern "C" EXCEPTION_DISPOSITION tenon_on_exception(EXCEPTION_RECORD* record, void* stack,
                                                    CONTEXT* context, void*) noexcept {
  constexpr DWORD unwinding = 0x2 | 0x4;
  const std::string_view fault = name_of(record->ExceptionCode);
  if (fault.empty() || (record->ExceptionFlags & (EXCEPTION_NONCONTINUABLE | unwinding)) != 0) {
    return ExceptionContinueSearch;
  }
  const StackWalk walk(*context);
  StackWalk call = walk;
  if (!find_contained_call(call) || call.stack() != stack) return ExceptionContinueSearch;
  Frame& frame = frame_of(stack);
  const char* code =
      frame.called.image != nullptr ? own_code(*record, walk, *frame.called.image) : nullptr;
  if (code == nullptr) {
    report(frame.called, fault);
    return ExceptionContinueSearch;
  }
  frame.crash = Crash{fault, code, record->ExceptionCode == EXCEPTION_STACK_OVERFLOW};
  leave(*context, stack);
  return ExceptionContinueExecution;
}

bool can_contain() noexcept {
  return true;
}

CrashHandlers::CrashHandlers() {
  prepare();
  const sync::Lock lock(handler_mutex);
  if (users++ == 0) before = std::signal(SIGABRT, on_abort);
}

CrashHandlers::~CrashHandlers() {
  const sync::Lock lock(handler_mutex);
  if (--users != 0) return;
  const Handler now = std::signal(SIGABRT, before);
  if (now == on_abort) return;
  // The program has installed another one, which may call this one.
  std::signal(SIGABRT, now);
  leave_library_loaded();
}

void prepare_contained_calls() noexcept {
  static thread_local const bool prepared = [] {
    // For the handler after the stack has overflowed.
    ULONG size = 65'536;
    return SetThreadStackGuarantee(&size) != 0;
  }();
  static_cast<void>(prepared);
}

void call_contained(const ContainedCall& called, void (*function)(void*), void* argument,
                    std::optional<Crash>& crash) {
  prepare_contained_calls();
  Frame frame(called, crash);
  if (tenon_call_guarded(function, argument, &frame)) frame.restore();
}

}}}  // namespace tenon::v0_1::platform
