// SPDX-License-Identifier: BSL-1.0
#include "platform/posix/fault.hpp"

#include <dlfcn.h>
#include <gnu/lib-names.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <cstdint>

namespace tenon::platform {
namespace {

// What may hold a lock or have changed something halfway in its first instructions already. All
// that these call has a caller in the C library, which is reason enough.
constexpr const char* entrusted_names[] = {"malloc",
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
  const void* abort = nullptr;
  const void* entrusted[std::size(entrusted_names)] = {};
};
const Library* c_library = nullptr;

/// The beginning of the function that an instruction is in.
const void* function_at(const void* code) noexcept {
  // The look-up expects a return address, which lies behind the instruction.
  return _Unwind_FindEnclosingFunction(const_cast<char*>(static_cast<const char*>(code)) + 1);
}

bool is_entrusted(const void* code) noexcept {
  const void* function = function_at(code);
  for (const void* one : c_library->entrusted) {
    if (one == function) return true;
  }
  return false;
}

/// The functions from the one that failed out to the one that began the call, as they come.
class Blame {
 public:
  Blame(const ImageMap& image, const void* frame, const void* failed, const void* return_address,
        bool aborted)
      : image_(image),
        frame_(reinterpret_cast<std::uintptr_t>(frame)),
        failed_(failed),
        return_address_(return_address),
        place_(aborted ? Place::before_abort : Place::failed) {}

  /// A function: where it goes on, the instruction that it is at, and its end of the stack. Whether
  /// there is more to look at.
  bool look_at(const void* next, const void* code, std::uintptr_t stack) noexcept {
    if (!begun_) {
      begun_ = next == failed_;  // before it comes the handler of the signal
      if (!begun_) return true;
    } else if (stack < stack_ || (stack == stack_ && next == next_)) {
      return false;  // it leads nowhere
    }
    next_ = next;
    stack_ = stack;
    if (stack > frame_) {
      own_ = place_ == Place::outside;
      return false;
    }
    place_ = place_of(next, code);
    if (place_ == Place::image && own_code_ == nullptr) own_code_ = code;
    return place_ != Place::foreign;
  }

  /// Where the image is to blame; nullptr where it is not.
  const void* own_code() const noexcept { return own_ ? own_code_ : nullptr; }

 private:
  enum class Place {
    failed,        // the function that failed is to come
    leaf,          // it was one of the C library
    before_abort,  // in what abort calls
    abort,         // in abort itself
    image,         // in the image
    outside,       // behind it: only who called it
    foreign,       // somebody else takes part
  };

  Place place_of(const void* next, const void* code) const noexcept {
    const bool in_image = image_.contains_code(code);
    const bool in_library = c_library->map.contains_code(code);
    switch (place_) {
      case Place::failed:
        if (in_image) return Place::image;
        return in_library && !is_entrusted(code) ? Place::leaf : Place::foreign;
      case Place::leaf:  // it has hardly begun while its caller is still where it was put
        return in_image && next == return_address_ ? Place::image : Place::foreign;
      case Place::before_abort:
        if (!in_library) return Place::foreign;
        return function_at(code) == c_library->abort ? Place::abort : Place::before_abort;
      case Place::abort:
        return in_image ? Place::image : Place::foreign;
      case Place::image:
        return in_image ? Place::image : Place::outside;
      case Place::outside:
        return in_image ? Place::foreign : Place::outside;
      default:
        return Place::foreign;
    }
  }

  const ImageMap& image_;
  const std::uintptr_t frame_;
  const void* const failed_;
  const void* const return_address_;
  Place place_;
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
    for (std::size_t i = 0; i < std::size(entrusted_names); i++) {
      library.entrusted[i] = dlsym(handle, entrusted_names[i]);
    }
    library.map = ImageMap::of(image_at(library.abort));
    dlclose(handle);
    return library;
  }();
  c_library = &found;
  // The first walk prepares the unwinder.
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

bool Fault::is_of(const ImageMap& image, const void* frame) noexcept {
  if (signal_ == SIGABRT) {
    if (info_.si_code != SI_TKILL || info_.si_pid != getpid()) return false;
  } else if (info_.si_code <= 0) {
    return false;  // sent by somebody
  } else if ((signal_ == SIGSEGV || signal_ == SIGBUS) && info_.si_addr == code_ &&
             !image.contains_code(code_)) {
    // A call to where no code is, of which the unwinder can make nothing.
    if (!image.contains_code(return_address())) return false;
    return_to_caller();
  }
  return walk(image, frame);
}

bool Fault::walk(const ImageMap& image, const void* frame) noexcept {
  // Without need it is not read: it may lie behind the end of the stack.
  const void* leaf_caller = image.contains_code(code()) ? nullptr : return_address();
  Blame blame(image, frame, code(), leaf_caller, signal_ == SIGABRT);
  _Unwind_Backtrace(
      [](_Unwind_Context* context, void* data) {
        int exact = 0;
        const auto* next = reinterpret_cast<const char*>(_Unwind_GetIPInfo(context, &exact));
        const bool more = static_cast<Blame*>(data)->look_at(next, exact != 0 ? next : next - 1,
                                                             _Unwind_GetCFA(context));
        return more ? _URC_NO_REASON : _URC_END_OF_STACK;
      },
      &blame);
  own_code_ = blame.own_code();
  return own_code_ != nullptr;
}

Crash Fault::crash(std::string_view signal) const noexcept {
  // Nothing else so near to the end of the stack has no memory.
  constexpr std::ptrdiff_t near = 65536;
  const auto distance = static_cast<const char*>(info_.si_addr) - static_cast<const char*>(stack_);
  return {signal, own_code_, signal_ == SIGSEGV && distance > -near && distance < near};
}

}  // namespace tenon::platform
