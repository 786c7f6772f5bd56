// SPDX-License-Identifier: BSL-1.0
#include "svg.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <system_error>

#include "common/descriptor.hpp"

namespace tenon::command {
namespace {

Exit without_graphviz(int error) {
  std::cerr << "tenon graph: cannot run dot: " << std::generic_category().message(error) << "\n"
            << "   needed  the program dot of Graphviz\n"
            << "   fix     install Graphviz (Debian: graphviz), or use --format dot or mermaid\n";
  return io_error;
}

}  // namespace

Exit print_svg(const std::string& dot) {
  std::cout.flush();
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return without_graphviz(errno);
  tools::Descriptor in(ends[0]);
  pid_t child = 0;
  {
    const tools::Descriptor out(ends[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.get(), STDIN_FILENO);
    std::string name = "dot", format = "-Tsvg";
    char* const arguments[] = {name.data(), format.data(), nullptr};
    const int error = ::posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0) return without_graphviz(error);
    ::close(in.release());
    ::signal(SIGPIPE, SIG_IGN);  // dot may exit before it has read everything
    static_cast<void>(tools::write_all(out.get(), dot));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return success;
  std::cerr << "tenon graph: dot failed, see its messages above\n";
  return io_error;
}

}  // namespace tenon::command
