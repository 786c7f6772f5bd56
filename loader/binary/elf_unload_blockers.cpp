// SPDX-License-Identifier: BSL-1.0
//
// Finds flags and symbols that keep an image mapped after it is unloaded, or keep another image of
// the file from being loaded.
#include <cstddef>

#include "binary/elf.hpp"
#include "binary/library_rules.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Import {
  std::string_view begin;  // of the symbol's name
  bool whole;              // `begin` is the whole name
  std::string_view shown;
};
constexpr Import thread_exits[] = {
    {"__cxa_thread_atexit", true, "__cxa_thread_atexit"},
    {"__cxa_thread_atexit_impl", true, "__cxa_thread_atexit_impl"},
};
constexpr Import thread_starts[] = {
    {"pthread_create", true, "pthread_create"},
    {"thrd_create", true, "thrd_create"},
    {"_ZNSt6thread15_M_start_thread", false, "std::thread"},
    {"_ZN5boost6thread21start_thread_noexcept", false, "boost::thread"},
    {"_ZN7QThread5start", false, "QThread::start"},
    {"g_thread_new", true, "g_thread_new"},
    {"g_thread_try_new", true, "g_thread_try_new"},
    {"g_thread_pool_new", false, "g_thread_pool_new"},
    {"system__tasking__stages__create_task", true, "an Ada task"},
};
constexpr Import handler_setters[] = {
    {"sigaction", true, "sigaction"},
    {"signal", true, "signal"},
    {"bsd_signal", true, "bsd_signal"},
    {"sysv_signal", true, "sysv_signal"},
    {"__sysv_signal", true, "sysv_signal"},
    {"ssignal", true, "ssignal"},
    {"sigset", true, "sigset"},
    {"sigignore", true, "sigignore"},
    {"dlsym", true, "dlsym"},
    {"dlvsym", true, "dlvsym"},
};
constexpr Import sanitizers[] = {
    {"__asan_init", true, "__asan_init"},
    {"__hwasan_init", true, "__hwasan_init"},
    {"__msan_init", true, "__msan_init"},
    {"__tsan_init", true, "__tsan_init"},
};

template <std::size_t count>
void find(const Import (&imports)[count], std::string_view name, std::string& found) {
  if (!found.empty()) return;
  for (const Import& import : imports) {
    if (import.whole ? name == import.begin : name.starts_with(import.begin)) found = import.shown;
  }
}

}  // namespace

ElfFile::UnloadBlockers ElfFile::unload_blockers(const Symbols& symbols) const {
  UnloadBlockers blockers;
  blockers.nodelete = (dynamic_.flags & elf::flag_1_nodelete) != 0;
  if (symbols.static_tls_) blockers.static_tls = thread_local_size_;
  std::vector<std::string_view> imports;
  for (std::size_t i = 0; i < symbols.all().size(); ++i) {
    const elf::Symbol& symbol = symbols.all()[i];
    if (symbol.binding() == elf::binding_unique) {
      blockers.unique.push_back(symbols.offset_ + i * sizeof symbol + offsetof(elf::Symbol, info));
    }
    const std::string_view name = symbols.name(symbol);
    if (symbol.section != elf::section_undefined) {
      if (has_rule(name)) blockers.ruled.emplace_back(name);
      continue;
    }
    find(thread_exits, name, blockers.thread_exit);
    find(thread_starts, name, blockers.threads);
    find(handler_setters, name, blockers.handlers);
    // A weak import only tests whether a library is present.
    if (symbol.binding() != elf::binding_global) continue;
    find(sanitizers, name, blockers.sanitizer);
    imports.push_back(name);
  }
  blockers.rules = rules_for(imports);
  return blockers;
}

}}}  // namespace tenon::v0_1::detail
