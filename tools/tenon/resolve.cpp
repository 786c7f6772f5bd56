// SPDX-License-Identifier: BSL-1.0
//
// tenon resolve
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>

#include "app.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

std::string origin(const PackageInfo& package) {
  std::string text = package.builtin() ? "builtin" : escaped_for_display(package.file.string());
  if (package.in_development) text += " (in development)";
  if (package.locked) text += " (locked)";
  return text;
}

void print_table(const std::vector<ResolvedPackage>& packages, const Paint& paint) {
  std::vector<Row> rows{{"PACKAGE", "VERSION", "ORIGIN"}};
  for (const ResolvedPackage& one : packages) {
    rows.push_back({one.package.name, one.package.version, origin(one.package)});
  }
  const auto lines = aligned(rows);
  std::cout << paint.strong(lines.front());
  for (std::size_t i = 1; i < lines.size(); ++i) std::cout << lines[i];
}

void print_explained(const ResolvedPackage& one, const Paint& paint) {
  std::cout << paint.strong(one.package.name + " " + one.package.version) << "  "
            << origin(one.package) << "\n";
  std::vector<Row> rows;
  for (const RequirerInfo& requirer : one.required_by) {
    rows.push_back(
        {"  for", escaped_for_display(requirer.name),
         requirer.versions.empty() ? "any version" : escaped_for_display(requirer.versions)});
  }
  for (const std::string& line : aligned(rows)) std::cout << line;
  rows.clear();
  for (const SkippedVersion& newer : one.newer) {
    rows.push_back({"  not " + newer.version, escaped_for_display(newer.reason)});
  }
  for (const std::string& line : aligned(rows)) std::cout << paint.warning(line);
}

Exit exit_of(const std::vector<Error>& errors) {
  const bool wrong = std::any_of(errors.begin(), errors.end(), [](const Error& error) {
    return error.code() == "bad-reference";
  });
  if (wrong) return usage_error;
  return errors.empty() ? success : problems_found;
}

}  // namespace

Exit resolve(const Options& options, const std::vector<std::string>& references, bool explain) {
  const Host host(host_options(options));
  ResolvedPackages resolved = host.resolve(references);
  std::vector<Error> skipped = host.problems();
  std::vector<Error> errors = take_search_path_errors(options, skipped);
  const bool failed = !errors.empty();
  std::ranges::move(resolved.errors, std::back_inserter(errors));
  std::ranges::move(lock_errors(options, skipped), std::back_inserter(errors));
  for (const ResolvedPackage& one : resolved.packages) {
    if (auto checked = host.check_lock(one.package); !checked) errors.push_back(checked.error());
  }
  if (options.json) {
    boost::json::object output = make_output("resolve");
    output["app"] = options.app;
    boost::json::array packages;
    for (const ResolvedPackage& one : resolved.packages) packages.push_back(to_json(one));
    output["packages"] = std::move(packages);
    output["errors"] = to_json(errors);
    output["warnings"] = to_json(resolved.warnings);
    print(output);
  } else {
    const Paint paint = Paint::for_stream(STDOUT_FILENO);
    if (explain) {
      for (const ResolvedPackage& one : resolved.packages) print_explained(one, paint);
    } else if (!resolved.packages.empty()) {
      print_table(resolved.packages, paint);
    }
  }
  print_problems(errors);
  print_problems(resolved.warnings);
  return failed ? io_error : exit_of(errors);
}

}  // namespace tenon::command
