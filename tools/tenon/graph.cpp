// SPDX-License-Identifier: BSL-1.0
//
// tenon graph
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app.hpp"
#include "commands.hpp"
#include "common/descriptor.hpp"
#include "drawing.hpp"
#include "json.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

Exit without_graphviz(int error) {
  std::cerr << "tenon graph: cannot run dot: " << std::generic_category().message(error) << "\n"
            << "   needed  the program dot of Graphviz\n"
            << "   fix     install Graphviz (Debian: graphviz), or use --format dot or mermaid\n";
  return io_error;
}

/// Runs Graphviz, which writes SVG to standard output.
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

Exit print_drawing(const Drawing& drawing, GraphFormat format) {
  if (format == GraphFormat::svg) return print_svg(drawing.dot());
  std::cout << (format == GraphFormat::dot ? drawing.dot() : drawing.mermaid());
  return success;
}

/// Returns the errors of module files that no package could be read from.
std::vector<Error> file_errors(const Options& options, const std::vector<PackageInfo>& packages,
                               const std::vector<Error>& skipped) {
  std::vector<Error> errors;
  std::ranges::copy_if(skipped, std::back_inserter(errors), [&](const Error& error) {
    const std::filesystem::path file(error.where());
    std::error_code ignored;
    return error.severity() == Severity::error && file != options.lock_file &&
           std::filesystem::is_regular_file(file, ignored) &&
           std::ranges::find(packages, file, &PackageInfo::file) == packages.end();
  });
  return errors;
}

}  // namespace

Exit graph(const Options& options, GraphFormat format) {
  const Host host(host_options(options));
  std::vector<PackageInfo> packages = host.packages();
  std::vector<Error> skipped = host.problems();
  std::vector<Error> errors = take_search_path_errors(options, skipped);
  const bool failed = !errors.empty();
  std::ranges::move(lock_errors(options, skipped), std::back_inserter(errors));
  std::vector<Error> refused;
  for (PackageInfo& package : packages) {
    if (package.refused) refused.push_back(*package.refused);
    auto checked = host.check_lock(package);
    if (checked) continue;
    errors.push_back(checked.error());
    package.refused = std::move(checked).error();
  }
  const std::vector<Error> files = file_errors(options, packages, skipped);
  std::ranges::copy(files, std::back_inserter(errors));
  std::ranges::move(refused, std::back_inserter(errors));
  Exit drawn = success;
  if (options.json) {
    boost::json::object output = make_output("graph");
    output["app"] = options.app;
    boost::json::array all;
    for (const PackageInfo& package : packages) all.push_back(to_json(package));
    output["packages"] = std::move(all);
    output["errors"] = to_json(errors);
    print(output);
  } else {
    drawn = print_drawing(Drawing(packages, files), format);
  }
  print_problems(errors);
  if (failed || drawn != success) return io_error;
  return errors.empty() ? success : problems_found;
}

}  // namespace tenon::command
