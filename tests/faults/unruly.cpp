// SPDX-License-Identifier: BSL-1.0
//
// A plugin that misbehaves on request: the text of `say` names the fault. A FAULT_ macro makes
// another function misbehave. meson.build lists the variants. With PLANTED, the file `fault` beside
// the module names a function in its first line, and the fault of that function in its second line.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>

#undef NDEBUG
#include <cassert>

#include "framework/test_plugin.h"
#ifdef _WIN32
#include "faults/unruly_windows.hpp"
#else
#include "faults/unruly_posix.hpp"
#endif

#ifdef LENDS
extern "C" [[gnu::visibility("default")]] const int tests_lent;
const int tests_lent = 1;
#endif

namespace {

const tenon_host* host = nullptr;

// Values that the compiler cannot know.
int* volatile nowhere = nullptr;
char* volatile no_text = nullptr;
void (*volatile no_function)() = nullptr;
volatile int zero = 0;
volatile std::size_t some_bytes = 100;

// Not a tail call, not inlined, and less than a page for each call: a larger frame would step over
// the guard page at the end of the stack, into the stack of another thread.
[[gnu::noinline]] int recurse(int depth) {
  volatile char room[3000];
  room[0] = static_cast<char>(depth);
  return (zero == 0 ? recurse(depth + 1) : 0) + room[0];
}

void run_no_instruction() {
#if defined(__x86_64__)
  __asm__ volatile("ud2");
#else
  __asm__ volatile("udf #0");
#endif
}

int crash_while_sorting(const void*, const void*) {
  return *nowhere;
}

void make_another(const char* plugin, bool keep) {
  const tenon_plugin_request request = echo_request(tenon_text(plugin));
  tenon_call* call = nullptr;
  tenon_instance other;
  host->call_begin(host, nullptr, &call);
  if (host->create(host, call, &request, &other) == TENON_OK && !keep) host->release(host, &other);
  host->call_end(host, call);
}

void crash_in_a_catch_clause() {
  try {
    throw 1;
  } catch (int) {
    *nowhere = 1;
  }
}

void crash_while_unwinding() {
  struct Crashing {
    ~Crashing() { *nowhere = 1; }
  } const crashing;
  throw 1;
}

struct WithoutText : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

struct CrashingText : std::exception {
  const char* what() const noexcept override { return *nowhere == 0 ? "zero" : "not zero"; }
};

struct CrashingEnd : std::runtime_error {
  using runtime_error::runtime_error;
  CrashingEnd(const CrashingEnd&) = default;
  ~CrashingEnd() override { *nowhere = 1; }
};

void catch_a_crashing_end() {
  try {
    throw CrashingEnd("no more sugar");
  } catch (const std::exception&) {
  }
}

/// Writes past the last block of the heap, into what the allocator keeps there.
void damage_the_heap() {
  constexpr std::size_t size = 3000;
  char* last = nullptr;
  for (int i = 0; i < 1000; ++i) {
    char* block = static_cast<char*>(std::malloc(size));
    if (block > last) last = block;
  }
  // Volatile, because compilers warn of writes there, and leave them out.
  volatile char* volatile end = last + size;
  for (int i = 0; i < 64; ++i) end[i] = 1;
}

void misbehave(std::string_view how) {
  misbehave_in_the_system(how);
  if (how == "throw an exception") throw std::runtime_error("no more coffee");
  if (how == "throw a number") throw 42;
  if (how == "throw a large number") throw 18446744073709551615UL;
  if (how == "throw a C string") throw "no more tea";
  if (how == "throw a string") throw std::string("no more milk");
  if (how == "throw a fraction") throw 0.5;
  if (how == "throw no text") throw WithoutText();
  if (how == "throw a crashing text") throw CrashingText();
  if (how == "throw a crashing end") throw CrashingEnd("no more sugar");

  // In the code of the plugin.
  if (how == "write to nowhere") *nowhere = 1;
  if (how == "call nowhere") no_function();
  if (how == "divide by zero") zero = 100 / zero;
  if (how == "run no instruction") run_no_instruction();
  if (how == "recurse for ever") recurse(0);
  if (how == "crash in a catch clause") crash_in_a_catch_clause();
  if (how == "crash while unwinding") crash_while_unwinding();
  if (how == "catch a crashing end") catch_a_crashing_end();
  if (how == "abort") std::abort();
  if (how == "fail an assertion") assert(no_text != nullptr);
  if (how == "copy to nowhere") std::memset(no_text, 1, some_bytes);
  if (how == "measure nothing") some_bytes = std::strlen(no_text);

  // In other code.
  if (how == "free what is no memory") std::free(reinterpret_cast<void*>(some_bytes & ~15UL));
  if (how == "free twice") {
    void* volatile memory = std::malloc(some_bytes);
    std::free(memory);
    std::free(memory);
  }
  if (how == "print nothing") std::fputs(no_text, stderr);
  if (how == "sort") {
    int numbers[] = {2, 1};
    std::qsort(numbers, 2, sizeof numbers[0], crash_while_sorting);
  }
  if (how == "make another") make_another("builtin:host-echo", false);
  if (how == "keep another") make_another("builtin:host-echo", true);
  if (how == "damage the heap") damage_the_heap();
  if (how == "print for ever")
    for (;;) std::puts("more and more and more and more and more and more and more");
  if (how == "call exit") std::exit(0);
}

/// Returns the path of the file `fault`.
[[maybe_unused]] std::string fault_file() {
#ifdef PLANTED
  const std::string path = module_path();
  return path.substr(0, path.rfind('/') + 1) + "fault";
#else
  return {};
#endif
}

/// Returns the fault of a function in the file `fault`; empty if it has none.
std::string fault_of([[maybe_unused]] std::string_view function) {
#ifdef PLANTED
  std::ifstream file(fault_file());
  std::string name;
  std::string fault;
  std::getline(file, name) && std::getline(file, fault);
  if (name == function) return fault;
#endif
  return {};
}

#ifdef FAULT_CONSTRUCTOR
[[gnu::constructor]] void construct() {
  misbehave(FAULT_CONSTRUCTOR);
}
#endif
#ifdef PLANTED
[[gnu::constructor]] void construct() {
  misbehave(fault_of("constructor"));
}
[[gnu::destructor]] void destruct() {
  misbehave(fault_of("destructor"));
}
#endif

tenon_status create(tenon_call*, const tenon_create_request*, void** self) {
  misbehave(fault_of("create"));
#ifdef FAULT_CREATE
  misbehave(FAULT_CREATE);
#endif
  *self = nullptr;
  return TENON_OK;
}

void destroy(void*) {
  misbehave(fault_of("destroy"));
#ifdef FAULT_DESTROY
  misbehave(FAULT_DESTROY);
#endif
}

tenon_status say(tenon_call* call, void*, const test_echo_v1_say_request* in,
                 const test_echo_v1_say_response** out) {
  const std::string fault = fault_of("say");
  const std::string_view text =
      fault.empty() ? std::string_view(in->text.data, in->text.size) : std::string_view(fault);
  if (text == "fail for good") {
    return tenon_fail(call, TENON_DATA_LOSS | TENON_FATAL, "the cups are broken");
  }
  if (text == "return nothing") return TENON_OK;
  if (text == "return an undefined status") return -1;
  misbehave(text);
  RESPONSE(test_echo_v1_say_response, response);
  response->text = {static_cast<const char*>(tenon_allocate_copy(call, text.data(), text.size())),
                    text.size()};
  if (text == "return no data") response->text.data = nullptr;
  if (text == "return half a struct") response->struct_size = 12;
  *out = response;
  return TENON_OK;
}

tenon_status start(tenon_call* call, const tenon_host* given) {
  host = given;
  const std::string fault = fault_of("start");
  misbehave(fault);
  if (fault == "need another once") ::remove(fault_file().c_str());
  if (fault == "need another" || fault == "need another once") {
    make_another("builtin:host-echo", false);
    return tenon_fail(call, TENON_NOT_FOUND, "there is no other plugin");
  }
#ifdef FAULT_START
  misbehave(FAULT_START);
#endif
  return TENON_OK;
}

void stop() {
  misbehave(fault_of("stop"));
#ifdef FAULT_STOP
  misbehave(FAULT_STOP);
#endif
}

const tenon_base base = {.struct_size = sizeof base,
                         .create = create,
                         .destroy = destroy,
                         .save_state = nullptr,
                         .restore_state = nullptr,
                         .suspend = nullptr,
                         .resume = nullptr};
const test_echo_v1 table = {.struct_size = sizeof table,
                            .version = 1,
                            .reserved = 0,
                            .base = &base,
                            .say = say,
                            .count = nullptr};

}  // namespace

#define PLUGINS(P) P(test_echo, 1, "test.example/unruly", &table)
TENON_MODULE_WITH("test.example/unruly", "1.0.0", start, stop, PLUGINS,
                  {"summary": "Breaks the rules as it is told", "threads": "joined"});
