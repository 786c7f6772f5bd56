// SPDX-License-Identifier: BSL-1.0
//
// tenon abi diff
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include "abi_changes.hpp"
#include "app.hpp"
#include "commands.hpp"
#include "gen/model/model.hpp"
#include "json.hpp"
#include "kind_subject.hpp"
#include "platform/process.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

/// The two sides as they are shown, eg: "me.example/blur 1.2.0".
struct Titles {
  std::string older;
  std::string newer;
};

void print_text(const Titles& titles, const BuildDifference& difference) {
  const Paint paint = Paint::for_stream(STDOUT_FILENO);
  const std::string due(to_string(difference.due));
  std::cout << escaped_for_display(titles.older) << " -> " << escaped_for_display(titles.newer)
            << ": " << paint.strong(due) << "\n";
  std::vector<Row> rows;
  for (const AbiChange& change : difference.changes) {
    rows.push_back({"  " + std::string(to_string(change.segment)), change.text});
  }
  for (const std::string& line : aligned(rows)) std::cout << line;
}

void print_json(const Titles& titles, const BuildDifference& difference) {
  boost::json::object output = make_output("abi-diff");
  output["older"] = titles.older;
  output["newer"] = titles.newer;
  output["due"] = to_string(difference.due);
  boost::json::array changes;
  for (const AbiChange& change : difference.changes) {
    changes.push_back({{"segment", to_string(change.segment)}, {"text", change.text}});
  }
  output["changes"] = std::move(changes);
  output["error"] =
      difference.error ? boost::json::value(to_json(*difference.error)) : boost::json::value();
  print(output);
}

Exit show(const Options& options, const Titles& titles, const BuildDifference& difference) {
  if (options.json) {
    print_json(titles, difference);
  } else {
    print_text(titles, difference);
  }
  if (!difference.error) return success;
  std::cerr << "tenon: " << difference.error->to_string() << "\n";
  return problems_found;
}

Exit refuse(const Error& error) {
  std::cerr << "tenon: " << error.to_string() << "\n";
  return problems_found;
}

/// As `refuse`, for an error of a file.
Exit report(const Error& error) {
  const Exit refused = refuse(error);
  return is_unreadable(error) ? io_error : refused;
}

std::string title_of(const ModuleReport& build) {
  return build.manifest->package + " " + build.manifest->package_version;
}

Exit diff_builds(const Options& options, const std::string& older, const std::string& newer) {
  const auto before = read_build(platform::path_from(older));
  if (!before) return report(before.error());
  const auto after = read_build(platform::path_from(newer));
  if (!after) return report(after.error());
  const auto difference = difference_between(*before, *after);
  if (!difference) return report(difference.error());
  return show(options, {title_of(*before), title_of(*after)}, *difference);
}

/// Shows changes of specs, which have no version of a package.
Exit show_specs(const Options& options, const Titles& titles, AbiChanges changes) {
  const Segment due = changes.empty() ? Segment::none : changes.front().segment;
  return show(options, titles, {std::move(changes), due});
}

Exit diff_specs(const Options& options, const std::string& older, const std::string& newer) {
  gen::Model models[2];
  for (std::size_t i = 0; i < 2; ++i) {
    Options of_directory;
    of_directory.specs = platform::path_from(i == 0 ? older : newer);
    if (const Exit read = read_specs(of_directory, models[i]); read != success) return read;
  }
  return show_specs(options, {older, newer}, changes_between(models[0], models[1]));
}

Exit diff_versions(const Options& options, const std::string& older, const std::string& newer) {
  gen::Model model;
  if (const Exit read = read_specs(options, model); read != success) return read;
  const auto before = find_subject(model, older);
  if (!before) return refuse(before.error());
  const auto after = find_subject(model, newer);
  if (!after) return refuse(after.error());
  return show_specs(options, {older, newer}, changes_between(*before->version, *after->version));
}

Error other_subjects(const std::string& older, const std::string& newer) {
  return Error({.code = "wrong-value",
                .where = older + ", " + newer,
                .found = "two arguments that cannot be compared",
                .needed = "two module files, two directories of specs, or two versions of a kind, "
                          "KIND@VERSION",
                .fix = "name two of one sort that exist"});
}

/// What an argument names.
enum class Sort { none, build, specs, version };

Sort sort_of(const std::string& argument) {
  std::error_code ignored;
  const fs::path path = platform::path_from(argument);
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) return Sort::specs;
  if (fs::exists(status) || path.extension() == platform::module_suffix) return Sort::build;
  return argument.find('@') != std::string::npos ? Sort::version : Sort::none;
}

}  // namespace

Exit abi_diff(const Options& options, const std::string& older, const std::string& newer) {
  const Sort sort = sort_of(older);
  if (sort == sort_of(newer)) {
    if (sort == Sort::build) return diff_builds(options, older, newer);
    if (sort == Sort::specs) return diff_specs(options, older, newer);
    if (sort == Sort::version) return diff_versions(options, older, newer);
  }
  std::cerr << "tenon: " << other_subjects(older, newer).to_string() << "\n";
  return usage_error;
}

}  // namespace tenon::command
