// SPDX-License-Identifier: BSL-1.0
//
// tenon lock
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "app.hpp"
#include "base/path_error.hpp"
#include "commands.hpp"
#include "json.hpp"
#include "lock_changes.hpp"
#include "platform/program.hpp"
#include "platform/utf8_path.hpp"
#include "search_path_errors.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

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

/// A new directory for temporary files, which is removed with its content.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    const fs::path parent = fs::temp_directory_path(failed_);
    if (!failed_) path_ = platform::create_new_directory(parent / "tenon-lock-", failed_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  /// Empty if it could not be made.
  const fs::path& path() const { return path_; }
  /// Returns why it could not be made.
  const std::error_code& failed() const { return failed_; }

 private:
  std::error_code failed_;
  fs::path path_;
};

Error no_temporary_directory(const std::error_code& failed) {
  return detail::cannot_write(
      "a directory for temporary files",
      {.attempt = "creating it", .number = failed.value(), .instead = "set TMPDIR"});
}

/// The outcome of comparing or replacing a lock file.
struct Update {
  bool compared = false;  // false if there was no lock file, or a damaged one
  std::vector<LockChange> changes = {};
};

/// Writes the lock file, and compares it with the one that it replaced.
Result<Update> write(const Host& host, const fs::path& file) {
  const auto before = detail::lock_contents(file);
  if (auto written = host.write_lock(file); !written) return std::move(written).error();
  if (!before) return Update{};
  const auto after = detail::lock_contents(file);
  if (!after) return after.error();
  return Update{.compared = true, .changes = changes_of(*before, *after)};
}

/// Compares the lock file with the one that would be written.
Result<Update> compare(const Host& host, const fs::path& file) {
  const auto before = detail::lock_contents(file);
  if (!before) return before.error();
  const TemporaryDirectory directory;
  if (directory.path().empty()) return no_temporary_directory(directory.failed());
  const fs::path fresh = directory.path() / "tenon.lock";
  if (auto written = host.write_lock(fresh); !written) return std::move(written).error();
  const auto after = detail::lock_contents(fresh);
  if (!after) return after.error();
  return Update{.compared = true, .changes = changes_of(*before, *after)};
}

void print_json(const Options& options, const std::string& file, bool check,
                const std::vector<PackageInfo>& packages, const std::vector<Error>& left_out,
                const Result<Update>& done) {
  boost::json::object output = make_output("lock");
  output["app"] = options.app;
  output["file"] = file;
  output["written"] = done && !check;
  boost::json::array all;
  for (const PackageInfo& package : packages) all.push_back(to_json(package));
  output["packages"] = std::move(all);
  output["changes"] = done ? to_json(done->changes) : boost::json::array();
  output["left_out"] = to_json(left_out);
  output["error"] = done ? boost::json::value() : boost::json::value(to_json(done.error()));
  print(output);
}

void print_text(const Options& options, const std::string& file, bool check, std::size_t packages,
                const Update& done) {
  std::cout << escaped_for_display(file) << ": " << counted(packages, "package");
  if (done.compared) std::cout << (done.changes.empty() ? ", unchanged" : ", changed");
  std::cout << "\n";
  for (const std::string& line : to_lines(done.changes)) std::cout << line;
  if (!check || done.changes.empty()) return;
  const std::string output = file == default_lock ? "lock" : "lock -o " + shell_word(file);
  std::cerr << "tenon: the lock file is out of date; to replace it: "
            << command_line(options, output) << "\n";
}

}  // namespace

Exit lock(const Options& options, const std::string& file, bool check) {
  const Host host(host_options(options));
  const std::vector<Error> skipped = host.problems();
  std::vector<PackageInfo> packages = host.packages();
  std::vector<Error> left_out = broken_module_errors(skipped);
  for (const PackageInfo& package : packages) {
    if (package.refused) left_out.push_back(*package.refused);
  }
  std::erase_if(packages, [](const PackageInfo& package) { return !package.used; });
  const std::optional<Error> unread = report_unread(options, skipped);
  const Result<Update> done = unread  ? Result<Update>(*unread)
                              : check ? compare(host, platform::path_from(file))
                                      : write(host, platform::path_from(file));

  if (options.json) print_json(options, file, check, packages, left_out, done);
  if (unread) return io_error;
  for (const Error& error : left_out) {
    std::cerr << "tenon: not in the lock file: " << error.to_string() << "\n";
  }
  if (!done) {
    std::cerr << "tenon: no lock file was " << (check ? "compared: " : "written: ")
              << done.error().to_string() << "\n";
    return is_io_error(done.error()) ? io_error : problems_found;
  }
  if (!options.json) print_text(options, file, check, packages.size(), *done);
  const bool outdated = check && !done->changes.empty();
  return left_out.empty() && !outdated ? success : problems_found;
}

}  // namespace tenon::command
