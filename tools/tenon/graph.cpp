// SPDX-License-Identifier: BSL-1.0
//
// tenon graph
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app.hpp"
#include "commands.hpp"
#include "drawing.hpp"
#include "json.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "svg.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

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
    const std::filesystem::path file = platform::path_from(error.where());
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
