// SPDX-License-Identifier: BSL-1.0
#include "app_sdk.hpp"

#include <iostream>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app.hpp"
#include "base/plain_text.hpp"
#include "gen/load.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

/// Returns the value of a variable in a file for pkg-config; empty if there is none.
std::string variable(const std::string& text, std::string_view name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with('=')) {
      return line.substr(name.size() + 1);
    }
  }
  return {};
}

/// Returns the paths of the files for pkg-config of SDKs, sorted.
std::set<fs::path> package_files(const fs::path& directory) {
  const fs::path packages = directory / "share/pkgconfig";
  std::set<fs::path> paths;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(packages, failed)) {
    if (entry.path().filename().string().ends_with("-sdk.pc")) paths.insert(entry.path());
  }
  if (failed && failed != std::errc::no_such_file_or_directory &&
      failed != std::errc::not_a_directory) {
    throw gen::IoError(tools::cannot_read(packages, "listing the directory", failed.value()));
  }
  return paths;
}

/// Adds the kinds that the app of an SDK defines. Returns false if the file is not of an SDK.
bool add_kinds(const fs::path& directory, const fs::path& file, std::vector<SdkKind>& kinds,
               gen::Diagnostics& problems) {
  const std::string text = gen::read_regular_file(file);
  const gen::SdkPackage package{variable(text, "app"), variable(text, "kinds"), {}};
  if (package.app.empty() || package.target.empty()) return false;
  const fs::path specs = directory / "share" / package.app / "tenon/specs";
  std::error_code ignored;
  if (!fs::exists(specs, ignored)) return true;  // of an app with standard kinds only
  const auto model = std::make_shared<const gen::Model>(gen::load_specs(
      {.directories = {specs.string()}, .standard_specs = standard_specs(), .frozen = false},
      problems));
  for (const auto& kind : model->kinds) {
    if (!kind->standard) kinds.push_back({package, model, kind.get()});
  }
  return true;
}

std::vector<std::string> ids_of(const std::vector<SdkKind>& kinds) {
  std::vector<std::string> ids;
  for (const SdkKind& one : kinds) ids.push_back(one.kind->id);
  return ids;
}

Exit refuse(const std::string& problem, const std::string& found, const std::string& needed,
            const std::string& fix) {
  std::cerr << "tenon new: " << problem << "\n   found   " << found << "\n   needed  " << needed
            << "\n   fix     " << fix << "\n";
  return problems_found;
}

}  // namespace

Exit find_sdk_kind(const fs::path& directory, const std::string& name, SdkKind& found) {
  const std::string shown = escaped_for_display(directory.string());
  std::vector<SdkKind> all;
  gen::Diagnostics problems;
  bool any = false;
  for (const fs::path& file : package_files(directory)) {
    any = add_kinds(directory, file, all, problems) || any;
  }
  for (const tools::Diagnostic& one : problems.all()) std::cerr << tools::to_text(one) << "\n";
  if (!problems.empty()) return problems_found;
  if (!any) {
    return refuse(shown + " is not the SDK of an app",
                  "no file share/pkgconfig/APP-sdk.pc with the variables app and kinds",
                  "a directory that tenon_install_sdk or tenon-gen sdk has written",
                  "install the SDK, eg: cmake --install build --prefix DIR --component sdk");
  }
  if (all.empty()) {
    return refuse(shown + " has no kind of an app", "standard kinds only",
                  "the SDK of an app that defines kinds of its own",
                  "make a plugin of a standard kind without --sdk");
  }
  std::vector<SdkKind> fitting;
  for (const SdkKind& one : all) {
    if (name.empty() || one.kind->id == name || one.kind->name == name) fitting.push_back(one);
  }
  const std::vector<std::string> ids = ids_of(all);
  if (fitting.empty()) {
    return refuse(shown + " has no kind '" + escaped_for_display(name) + "'", tools::enumerate(ids),
                  "one of these",
                  tools::did_you_mean(name, ids, "name it with --kind, eg: --kind " + ids.front()));
  }
  if (fitting.size() > 1) {
    const std::vector<std::string> several = ids_of(fitting);
    return refuse(shown + " has " + std::to_string(several.size()) + " kinds" +
                      (name.empty() ? "" : " named '" + name + "'"),
                  tools::enumerate(several), "one of these",
                  "name it with --kind, eg: --kind " + several.front());
  }
  found = std::move(fitting.front());
  return success;
}

}  // namespace tenon::command
