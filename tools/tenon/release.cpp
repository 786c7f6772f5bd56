// SPDX-License-Identifier: BSL-1.0
//
// tenon release
#include <tenon/detail/left_out.hpp>

#include <algorithm>
#include <iostream>

#include "base/plain_text.hpp"
#include "commands.hpp"
#include "common/diagnostics.hpp"
#include "json.hpp"

namespace tenon::command {
namespace {

using detail::LeftOutModule;

Error not_left_out(const Options& options, const std::string& package,
                   const std::vector<LeftOutModule>& all) {
  std::vector<std::string> packages;
  for (const LeftOutModule& module : all) packages.push_back(module.package);
  return Error({.code = "not-found",
                .where = package,
                .found = "no record of this package",
                .needed = "a package that the hosts of " + options.app + " leave out",
                .fix = tools::did_you_mean(package, packages,
                                           "see which packages are skipped with tenon list -a " +
                                               shell_word(options.app))});
}

/// Removes the records of a package, and moves it to `released`.
Result<void> release_all(const Options& options, const std::string& package,
                         std::vector<LeftOutModule>& released) {
  auto left_out = detail::left_out_modules(options.app);
  if (!left_out) return std::move(left_out).error();
  for (const Error& warning : left_out->warnings)
    std::cerr << "tenon: " << warning.to_string() << "\n";
  for (LeftOutModule& module : left_out->modules) {
    if (module.package != package) continue;
    if (auto removed = detail::release(module); !removed) return removed;
    released.push_back(std::move(module));
  }
  if (released.empty()) return not_left_out(options, package, left_out->modules);
  return {};
}

void print_json(const Options& options, const std::vector<LeftOutModule>& released,
                const Result<void>& done) {
  boost::json::object output = make_output("release");
  output["app"] = options.app;
  boost::json::array all;
  for (const LeftOutModule& module : released) {
    all.push_back({{"package", module.package},
                   {"package_version", module.version},
                   {"file", module.file},
                   {"time", detail::time_in_words(module.time)},
                   {"quarantine", module.quarantine}});
  }
  output["released"] = std::move(all);
  output["error"] = done ? boost::json::value() : boost::json::value(to_json(done.error()));
  print(output);
}

}  // namespace

Exit release(const Options& options, const std::string& package) {
  std::vector<LeftOutModule> released;
  const Result<void> done = release_all(options, package, released);
  if (options.json) {
    print_json(options, released, done);
  } else {
    for (const LeftOutModule& module : released) {
      std::cout << module.package << " " << module.version << " is used again: " << module.file
                << "\n";
    }
  }
  if (done) return success;
  std::cerr << "tenon: " << done.error().to_string() << "\n";
  return done.error().code() == "not-found" ? problems_found : io_error;
}

}  // namespace tenon::command
