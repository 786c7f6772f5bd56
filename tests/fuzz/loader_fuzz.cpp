// SPDX-License-Identifier: BSL-1.0
//
// Compares the reader of module files with the system's loader. A child process loads each file
// that the reader accepts. The loader must not crash, and must find the same module object as the
// reader. Code of the input may run in the child and do anything; only a crash of the loader itself
// counts.
#include <dlfcn.h>
#include <link.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "binary/bundle.hpp"
#include "binary/byte_source.hpp"
#include "manifest/module_file.hpp"
#include "platform/memory_file.hpp"

namespace {

enum Verdict { fine = 0, other_object = 3, crash_of_the_loader = 4, failed_assertion = 127 };

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};
Range loader;  // its code in this process

int find_loader(dl_phdr_info* info, std::size_t, void*) {
  if (std::string_view(info->dlpi_name).find("/ld-linux") == std::string_view::npos) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    loader = {info->dlpi_addr + segment.p_vaddr,
              info->dlpi_addr + segment.p_vaddr + segment.p_memsz};
  }
  return 1;
}

/// Ignores calls of constructors at non-canonical addresses, for which the system reports
/// SI_KERNEL: they are faults of the input.
void crashed(int, siginfo_t* info, void* context) {
  const auto& machine = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto at = static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#else
  const auto at = static_cast<std::uintptr_t>(machine.pc);
#endif
  const bool wild = info->si_code == SI_KERNEL;
  ::_exit(!wild && at >= loader.begin && at < loader.end ? crash_of_the_loader : fine);
}

/// Limits the process, because code of the input may loop, write files or allocate all memory.
void confine() {
  for (const auto& [what, most] :
       {std::pair{RLIMIT_CPU, 2UL}, std::pair{RLIMIT_FSIZE, 0UL}, std::pair{RLIMIT_CORE, 0UL}}) {
    const rlimit limit{most, most};
    ::setrlimit(what, &limit);
  }
  ::alarm(5);
  static char stack[1 << 16];
  stack_t other{};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  ::sigaltstack(&other, nullptr);
  struct sigaction action {};
  action.sa_sigaction = crashed;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::sigaction(number, &action, nullptr);
}

[[noreturn]] void load(const char* path, std::uint64_t expected) {
  confine();
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) ::_exit(fine);
  const link_map* map = nullptr;
  const auto* object = static_cast<const char*>(::dlsym(library, "tenon_module_v1"));
  if (object == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) ::_exit(other_object);
  const auto address = reinterpret_cast<std::uintptr_t>(object) - map->l_addr;
  ::_exit(address == expected ? fine : other_object);
}

/// Returns the address of the module object, or nothing if the reader refuses the input.
std::optional<std::uint64_t> accepted(std::span<const std::byte> bytes) {
  const auto bundle = tenon::detail::read_bundle({bytes.begin(), bytes.end()}, "fuzz");
  // Libraries beside the file are not part of the input.
  if (!bundle || bundle->size() > 1 || !tenon::detail::read_module_image(bytes, "fuzz"))
    return std::nullopt;
  tenon::detail::MemorySource source("fuzz", bytes);
  const auto object = tenon::detail::ElfFile::open(source)->find_object("tenon_module_v1");
  return (*object)->address;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto object = accepted(bytes);
  if (!object) return 0;
  ::dl_iterate_phdr(find_loader, nullptr);
  const auto file = tenon::platform::MemoryFile::create("fuzz", bytes);
  if (!file) return 0;
  const std::string path = file->path();
  const pid_t child = ::fork();
  if (child == 0) load(path.c_str(), *object);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!WIFEXITED(status)) return 0;  // killed by code of the input
  const int verdict = WEXITSTATUS(status);
  if (verdict == other_object || verdict == crash_of_the_loader || verdict == failed_assertion) {
    std::abort();
  }
  return 0;
}
