// SPDX-License-Identifier: BSL-1.0
#include "platform/posix/fault.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

// Functions of the C library that may hold a lock or have changed data partly when they fail.
// Functions that these call need no entry: their caller is in the C library, which is sufficient.
constexpr const char* unsafe_names[] = {"malloc",
                                        "free",
                                        "calloc",
                                        "realloc",
                                        "reallocarray",
                                        "memalign",
                                        "valloc",
                                        "pvalloc",
                                        "aligned_alloc",
                                        "posix_memalign",
                                        "malloc_usable_size",
                                        "fopen",
                                        "fdopen",
                                        "freopen",
                                        "fclose",
                                        "fread",
                                        "fwrite",
                                        "fputs",
                                        "fputc",
                                        "putc",
                                        "putchar",
                                        "puts",
                                        "fgets",
                                        "fgetc",
                                        "getc",
                                        "getchar",
                                        "ungetc",
                                        "fseek",
                                        "fseeko",
                                        "ftell",
                                        "ftello",
                                        "rewind",
                                        "fflush",
                                        "setvbuf",
                                        "setbuf",
                                        "fprintf",
                                        "printf",
                                        "vfprintf",
                                        "vprintf",
                                        "fscanf",
                                        "scanf",
                                        "vfscanf",
                                        "getline",
                                        "getdelim",
                                        "perror",
                                        "flockfile",
                                        "funlockfile",
                                        "ftrylockfile"};

struct Library {
  ImageMap map;
  const void* exception_cleanup = nullptr;  // of the C++ runtime
  const void* abort = nullptr;
  const void* assert_fail = nullptr;
  const void* unsafe[std::size(unsafe_names)] = {};
};
const Library* c_library = nullptr;

/// Returns the function of the C++ runtime that destroys an exception. It has no symbol.
const void* find_exception_cleanup() {
  struct Probe {};
  try {
    throw Probe();
  } catch (const Probe& probe) {
    // In the Itanium C++ ABI, the header of an exception ends where its object begins.
    const auto* header = reinterpret_cast<const _Unwind_Exception*>(&probe) - 1;
    return reinterpret_cast<const void*>(header->exception_cleanup);
  }
}

/// Returns the start of the function that contains an instruction.
const void* function_at(const void* code) noexcept {
  // The function expects a return address, which follows the instruction.
  return _Unwind_FindEnclosingFunction(const_cast<char*>(static_cast<const char*>(code)) + 1);
}

bool is_unsafe(const void* code) noexcept {
  const void* function = function_at(code);
  for (const void* one : c_library->unsafe) {
    if (one == function) return true;
  }
  return false;
}

/// Checks the stack frames from the function that failed to the one that began the call.
class StackCheck {
 public:
  StackCheck(const ImageMap& image, const void* frame, const void* failed, const void* failed_stack,
             const void* return_address, bool aborted)
      : image_(image),
        frame_(reinterpret_cast<std::uintptr_t>(frame)),
        failed_(failed),
        failed_stack_(reinterpret_cast<std::uintptr_t>(failed_stack)),
        return_address_(return_address),
        stage_(aborted ? Stage::before_abort : Stage::failed) {}

  /// Checks a frame: `next` is the address at which it resumes, `code` its current instruction,
  /// `stack` its end. Returns whether the walk continues.
  bool check(const void* next, const void* code, std::uintptr_t stack) noexcept {
    if (!begun_) {
      begun_ = next == failed_;  // frames of the signal handler come first
      if (!begun_) return true;
      stack = failed_stack_;  // on aarch64 the unwinder gives the address of the signal's frame
    } else if (stack < stack_ || (stack == stack_ && next == next_)) {
      return false;  // the stack is broken
    }
    next_ = next;
    stack_ = stack;
    if (stack > frame_) {
      own_ = stage_ == Stage::outside;
      return false;
    }
    stage_ = stage_of(next, code);
    if (stage_ == Stage::image && own_code_ == nullptr) own_code_ = code;
    return stage_ != Stage::foreign;
  }

  /// Returns the instruction of the image that caused the fault; nullptr if the image did not.
  const void* own_code() const noexcept { return own_ ? own_code_ : nullptr; }

 private:
  /// The kind of the last frame.
  enum class Stage {
    failed,              // none yet: the function that failed comes next
    leaf,                // a leaf function of the C library
    before_abort,        // a function that abort called
    abort,               // abort itself
    before_assert_fail,  // a function that __assert_fail called, and that called abort
    assert_fail,         // __assert_fail, which a failed assert calls
    image,               // a function of the image
    exception_cleanup,   // the function that destroys an exception, and called the image
    outside,             // a caller of the image
    foreign,             // a function that must not take part
  };

  Stage stage_of(const void* next, const void* code) const noexcept {
    const bool in_image = image_.contains_code(code);
    const bool in_library = c_library->map.contains_code(code);
    switch (stage_) {
      case Stage::failed:
        if (in_image) return Stage::image;
        return in_library && !is_unsafe(code) ? Stage::leaf : Stage::foreign;
      case Stage::leaf:  // in a leaf function the return address is still where it was pushed
        return in_image && next == return_address_ ? Stage::image : Stage::foreign;
      case Stage::before_abort:
        if (!in_library) return Stage::foreign;
        return function_at(code) == c_library->abort ? Stage::abort : Stage::before_abort;
      case Stage::abort:
        if (in_image) return Stage::image;
        [[fallthrough]];
      case Stage::before_assert_fail:
        if (!in_library) return Stage::foreign;
        return function_at(code) == c_library->assert_fail ? Stage::assert_fail
                                                           : Stage::before_assert_fail;
      case Stage::assert_fail:  // it has printed the message and holds no lock
        return in_image ? Stage::image : Stage::foreign;
      case Stage::image:
        if (in_image) return Stage::image;
        return function_at(code) == c_library->exception_cleanup ? Stage::exception_cleanup
                                                                 : Stage::outside;
      case Stage::exception_cleanup:  // its callers end in tail calls, up to the catch clause
        return in_image ? Stage::image : Stage::outside;
      case Stage::outside:
        return in_image ? Stage::foreign : Stage::outside;
      default:
        return Stage::foreign;
    }
  }

  const ImageMap& image_;
  const std::uintptr_t frame_;
  const void* const failed_;
  const std::uintptr_t failed_stack_;
  const void* const return_address_;
  Stage stage_;
  bool begun_ = false;
  bool own_ = false;
  const void* own_code_ = nullptr;
  const void* next_ = nullptr;
  std::uintptr_t stack_ = 0;
};

mcontext_t& registers(void* context) noexcept {
  return static_cast<ucontext_t*>(context)->uc_mcontext;
}

}  // namespace

void prepare_faults() {
  static const Library found = [] {
    Library library;
    void* handle = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return library;
    library.abort = dlsym(handle, "abort");
    library.assert_fail = dlsym(handle, "__assert_fail");
    for (std::size_t i = 0; i < std::size(unsafe_names); ++i) {
      library.unsafe[i] = dlsym(handle, unsafe_names[i]);
    }
    library.map = ImageMap::of(image_at(library.abort));
    library.exception_cleanup = find_exception_cleanup();
    dlclose(handle);
    return library;
  }();
  c_library = &found;
  // The first walk initialises the unwinder, which may allocate.
  _Unwind_Backtrace([](_Unwind_Context*, void*) { return _URC_NO_REASON; }, nullptr);
}

Fault::Fault(int signal, siginfo_t& info, void* context) noexcept
    : signal_(signal), info_(info), context_(context), code_(code()), stack_(stack()) {}

#if defined(__x86_64__)

const void* Fault::code() const noexcept {
  return reinterpret_cast<const void*>(registers(context_).gregs[REG_RIP]);
}
const void* Fault::stack() const noexcept {
  return reinterpret_cast<const void*>(registers(context_).gregs[REG_RSP]);
}
void Fault::set(const void* code, const void* stack) noexcept {
  registers(context_).gregs[REG_RIP] = reinterpret_cast<greg_t>(code);
  registers(context_).gregs[REG_RSP] = reinterpret_cast<greg_t>(stack);
}
const void* Fault::return_address() const noexcept {
  return *static_cast<const void* const*>(stack());
}
void Fault::return_to_caller() noexcept {
  set(return_address(), static_cast<const char*>(stack()) + sizeof(void*));
}

#elif defined(__aarch64__)

const void* Fault::code() const noexcept {
  return reinterpret_cast<const void*>(registers(context_).pc);
}
const void* Fault::stack() const noexcept {
  return reinterpret_cast<const void*>(registers(context_).sp);
}
void Fault::set(const void* code, const void* stack) noexcept {
  registers(context_).pc = reinterpret_cast<std::uintptr_t>(code);
  registers(context_).sp = reinterpret_cast<std::uintptr_t>(stack);
}
const void* Fault::return_address() const noexcept {
  return reinterpret_cast<const void*>(registers(context_).regs[30]);
}
void Fault::return_to_caller() noexcept {
  set(return_address(), stack());
}

#endif

void Fault::restore() noexcept {
  set(code_, stack_);
}

bool Fault::is_caused_by(const ImageMap& image, const void* frame) noexcept {
  if (signal_ == SIGABRT) {
    if (info_.si_code != SI_TKILL || info_.si_pid != getpid()) return false;
  } else if (info_.si_code <= 0) {
    return false;  // sent by a process
  } else if ((signal_ == SIGSEGV || signal_ == SIGBUS) && info_.si_addr == code_ &&
             !image.contains_code(code_)) {
    // A call of an address without code, from which the unwinder cannot continue.
    if (!image.contains_code(return_address())) return false;
    return_to_caller();
  }
  return walk(image, frame);
}

bool Fault::walk(const ImageMap& image, const void* frame) noexcept {
  // Read only if it is needed: it may lie past the end of the stack.
  const void* leaf_caller = image.contains_code(code()) ? nullptr : return_address();
  StackCheck check(image, frame, code(), stack(), leaf_caller, signal_ == SIGABRT);
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        int exact = 0;
        const auto* next = reinterpret_cast<const char*>(_Unwind_GetIPInfo(context, &exact));
        const bool more = static_cast<StackCheck*>(data)->check(next, exact != 0 ? next : next - 1,
                                                                _Unwind_GetCFA(context));
        return more ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &check);
  own_code_ = check.own_code();
  return own_code_ != nullptr;
}

Crash Fault::crash(std::string_view signal) const noexcept {
  // An unmapped address so close to the stack pointer is past the end of the stack.

  constexpr std::ptrdiff_t near = 65536;
  const auto distance = static_cast<const char*>(info_.si_addr) - static_cast<const char*>(stack_);
  return {signal, own_code_, signal_ == SIGSEGV && distance > -near && distance < near};
}

}}}  // namespace tenon::v0_1::platform
