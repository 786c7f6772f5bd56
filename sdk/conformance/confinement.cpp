// SPDX-License-Identifier: BSL-1.0
#include "confinement.hpp"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>

namespace tenon::sdk::conformance {
namespace {

void write_file(const char* path, const std::string& text) noexcept {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  [[maybe_unused]] const auto written = ::write(file, text.data(), text.size());
  ::close(file);
}

/// Returns the line that keeps the number of a user or group in a new user namespace.
std::string same_number(unsigned number) {
  return std::to_string(number) + " " + std::to_string(number) + " 1";
}

}  // namespace

bool leave_network() noexcept {
  if (::unshare(CLONE_NEWNET) == 0) return true;
  const std::string user = same_number(::getuid());
  const std::string group = same_number(::getgid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  write_file("/proc/self/setgroups", "deny");  // the system requires it before gid_map
  write_file("/proc/self/uid_map", user);
  write_file("/proc/self/gid_map", group);
  return true;
}

bool can_leave_network() noexcept {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(leave_network() ? 0 : 1);
  int status = 1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0;
}

#if defined(__x86_64__) || defined(__aarch64__)

bool forbid_processes() noexcept {
#if defined(__x86_64__)
  constexpr unsigned machine = AUDIT_ARCH_X86_64;
#else
  constexpr unsigned machine = AUDIT_ARCH_AARCH64;
#endif
  constexpr unsigned flags = offsetof(seccomp_data, args);  // of clone; the lower half
  sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    // The C library uses clone where the system has no clone3, whose flags cannot be read here.
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
#if defined(__x86_64__)
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fork, 5, 0),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_vfork, 4, 0),
#endif
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 2),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, flags),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog program{sizeof filter / sizeof filter[0], filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

bool forbid_processes() noexcept {
  return false;
}

#endif

}  // namespace tenon::sdk::conformance
