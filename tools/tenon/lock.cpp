// SPDX-License-Identifier: BSL-1.0
//
// tenon lock
#include <algorithm>
#include <iostream>
#include <optional>

#include "app.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

bool is_io_error(const Error& error) {
  return error.code() == "cannot-write" || is_unreadable(error);
}

/// Prints the directories and files that cannot be read, because they may contain packages that
/// belong in the lock file. Returns the first of them.
std::optional<Error> report_unread(const Options& options, const std::vector<Error>& skipped) {
  std::optional<Error> first;
  for (const Error& error : skipped) {
    if (!is_search_path_error(options, error) && error.code() != "cannot-read") continue;
    std::cerr << "tenon: " << error.to_string() << "\n";
    if (!first) first = error;
  }
  return first;
}

}  // namespace

Exit lock(const Options& options, const std::string& file) {
  const Host host(host_options(options));
  const std::vector<Error> skipped = host.problems();
  std::vector<PackageInfo> packages = host.packages();
  std::vector<Error> left_out = broken_module_errors(skipped);
  for (const PackageInfo& package : packages) {
    if (package.refused) left_out.push_back(*package.refused);
  }
  std::erase_if(packages, [](const PackageInfo& package) { return !package.used; });
  const std::optional<Error> unread = report_unread(options, skipped);
  const Result<void> written = unread ? Result<void>(*unread) : host.write_lock(file);

  if (options.json) {
    boost::json::object output = make_output("lock");
    output["app"] = options.app;
    output["file"] = file;
    output["written"] = written.has_value();
    boost::json::array all;
    for (const PackageInfo& package : packages) all.push_back(to_json(package));
    output["packages"] = std::move(all);
    output["left_out"] = to_json(left_out);
    output["error"] = written ? boost::json::value() : boost::json::value(to_json(written.error()));
    print(output);
  }
  if (unread) return io_error;
  for (const Error& error : left_out) {
    std::cerr << "tenon: not in the lock file: " << error.to_string() << "\n";
  }
  if (!written) {
    std::cerr << "tenon: no lock file was written: " << written.error().to_string() << "\n";
    return is_io_error(written.error()) ? io_error : problems_found;
  }
  if (!options.json) {
    std::cout << escaped_for_display(file) << ": " << counted(packages.size(), "package") << "\n";
  }
  return left_out.empty() ? success : problems_found;
}

}  // namespace tenon::command
