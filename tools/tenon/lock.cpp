// SPDX-License-Identifier: BSL-1.0
//
// tenon lock
#include <algorithm>
#include <iostream>

#include "app.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "places.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

bool is_of_the_disk(const Error& error) {
  return error.code() == "cannot-write" || error.code() == "cannot-read" ||
         error.code() == "not-found";
}

/// Tells of folders and files that cannot be read, as they may hold what belongs into the lock.
/// Returns whether there were any.
bool report_unread(std::vector<Error>& skipped) {
  bool unread = report_places(skipped);
  for (const Error& error : skipped) {
    if (error.code() != "cannot-read") continue;
    std::cerr << "tenon: " << error.to_string() << "\n";
    unread = true;
  }
  return unread;
}

}  // namespace

Exit lock(const Options& options, const std::string& file) {
  const Host host(host_options(options));
  std::vector<Error> skipped = host.skipped();
  std::vector<PackageInfo> packages = host.packages();
  std::vector<Error> left_out = broken_modules(skipped);
  for (const PackageInfo& package : packages) {
    if (package.refused) left_out.push_back(*package.refused);
  }
  std::erase_if(packages, [](const PackageInfo& package) { return !package.used; });
  if (report_unread(skipped)) return environment_failed;
  const Result<void> written = host.write_lock(file);

  if (options.json) {
    boost::json::object answer = answer_of("lock");
    answer["app"] = options.app;
    answer["file"] = file;
    answer["written"] = written.has_value();
    boost::json::array all;
    for (const PackageInfo& package : packages) all.push_back(to_json(package));
    answer["packages"] = std::move(all);
    answer["left_out"] = to_json(left_out);
    answer["error"] = written ? boost::json::value() : boost::json::value(to_json(written.error()));
    print(answer);
  }
  for (const Error& error : left_out) {
    std::cerr << "tenon: left out: " << error.to_string() << "\n";
  }
  if (!written) {
    std::cerr << "tenon: nothing was written: " << written.error().to_string() << "\n";
    return is_of_the_disk(written.error()) ? environment_failed : finding;
  }
  if (!options.json) {
    std::cout << harmless(file) << ": " << counted(packages.size(), "package") << "\n";
  }
  return left_out.empty() ? yes : finding;
}

}  // namespace tenon::command
