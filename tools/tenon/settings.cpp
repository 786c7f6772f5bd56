// SPDX-License-Identifier: BSL-1.0
//
// tenon disable, enable, pin and unpin
#include <tenon/detail/operator_settings.hpp>
#include <tenon/host.hpp>
#include <tenon/trust.hpp>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app.hpp"
#include "base/path_error.hpp"
#include "base/plain_text.hpp"
#include "base/quote.hpp"
#include "base/test_point.hpp"
#include "commands.hpp"
#include "common/json_reader.hpp"
#include "common/text_file.hpp"
#include "json.hpp"
#include "platform/file_lock.hpp"
#include "platform/replace_file.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

using tools::JsonMember;
using tools::JsonValue;

/// The package of a command, and the version if one was named.
struct Subject {
  std::string package;
  std::string version;
};

/// The versions of the standalone packages that the hosts of the app find, whatever the settings
/// say; the one in use first.
using Versions = std::map<std::string, std::vector<std::string>, std::less<>>;

Versions installed(const Host& host) {
  Versions versions;
  for (const PackageInfo& package : host.packages()) {
    if (package.builtin()) continue;
    auto& all = versions[package.name];
    all.insert(package.used ? all.begin() : all.end(), package.version);
  }
  for (const Error& problem : host.problems()) {
    if (problem.severity() != Severity::note) continue;
    if (problem.code() != "disabled" && problem.code() != "version-refused") continue;
    // eg: "me.example/blur 1.2.0, which /etc/xdg/tenon/photo.json switches off"
    const std::string_view found = problem.found();
    const std::size_t space = found.find(' ');
    versions[std::string(found.substr(0, space))].emplace_back(
        found.substr(space + 1, found.find(',') - space - 1));
  }
  return versions;
}

/// Returns the error for the name of a builtin, or of a plugin whose package has another name.
std::optional<Error> no_package(const Host& host, const std::string& name) {
  const std::vector<PluginInfo> plugins = host.registered();
  const auto has_name = [&name](const PluginInfo& plugin) {
    return plugin.name() == name || plugin.package() == name;
  };
  auto named = std::ranges::find_if(
      plugins, [&](const PluginInfo& plugin) { return has_name(plugin) && !plugin.builtin(); });
  if (named == plugins.end()) named = std::ranges::find_if(plugins, has_name);
  if (named == plugins.end()) return std::nullopt;
  if (named->builtin()) {
    return Error({.code = "not-found",
                  .where = name,
                  .found = "a builtin",
                  .needed = "a standalone package: builtins are a part of the program, and cannot "
                            "be switched off or pinned",
                  .fix = "see the packages with tenon list"});
  }
  const std::string package(named->package());
  return Error({.code = "not-found",
                .where = name,
                .found = "a plugin of the package " + package,
                .needed = "the name of a package",
                .fix = "name " + package + ", with all its plugins"});
}

Error not_installed(const Options& options, const Host& host, const std::string& package,
                    const Versions& versions) {
  if (auto other = no_package(host, package)) return *std::move(other);
  std::vector<std::string> names;
  for (const auto& [name, unused] : versions) names.push_back(name);
  return Error(
      {.code = "not-found",
       .where = package,
       .found = "no standalone package of this name, and no settings for it",
       .needed = "a package that the hosts of " + options.app + " find",
       .fix = tools::did_you_mean(
           package, names, "see the packages with tenon list -a " + shell_word(options.app))});
}

/// Splits PACKAGE[@VERSION], and checks that there is such a package. A pin without a version is
/// one of the version in use.
Result<Subject> subject_of(const Options& options, SettingsChange change, const std::string& text) {
  const std::size_t at = text.rfind('@');
  Subject subject{text.substr(0, at), at != text.npos ? text.substr(at + 1) : ""};
  if (at != text.npos && change != SettingsChange::pin) {
    return Error({.code = "bad-reference",
                  .where = text,
                  .found = "a package with a version",
                  .needed = "a package: settings of other kinds than pins are for all its versions",
                  .fix = "leave the version out, or pin another version with tenon pin"});
  }
  const Host host(host_options(options));
  const Versions versions = installed(host);
  const auto found = versions.find(subject.package);
  if (found == versions.end()) {
    const auto known = detail::operator_settings(options.app).packages;
    if (change == SettingsChange::pin || !known.contains(subject.package))
      return not_installed(options, host, subject.package, versions);
  }
  if (change != SettingsChange::pin) return subject;
  if (at == text.npos) subject.version = found->second.front();
  if (std::ranges::find(found->second, subject.version) != found->second.end()) return subject;
  return Error({.code = "not-found",
                .where = text,
                .found = subject.package + " " + some_of(found->second, 10),
                .needed = "a version that the hosts of " + options.app + " find",
                .fix = "name one of these versions, or install that one first"});
}

/// Makes the directory of the settings, and locks them, so that two commands change them one after
/// the other.
Result<std::unique_ptr<platform::FileLock>> lock_settings(const fs::path& file) {
  if (file.empty()) {
    return Error({.code = "cannot-write",
                  .where = "the settings of the user",
                  .found = "neither $HOME nor $XDG_CONFIG_HOME, or a name of an app with a '/'",
                  .needed = "a directory of the user",
                  .fix = "set $XDG_CONFIG_HOME"});
  }
  std::error_code failed;
  const fs::path directory = file.parent_path();
  const bool is_new = platform::create_directories(directory, failed);
  if (is_new) fs::permissions(directory, fs::perms::owner_all, failed);
  if (failed) return detail::cannot_write(directory, {"creating the directory", failed.value()});
  const fs::path path = directory / "lock";
  auto lock = std::make_unique<platform::FileLock>(path);
  if (lock->error() == 0) return lock;
  if (lock->error() == EWOULDBLOCK) {
    return Error({.code = "in-use",
                  .where = path.string(),
                  .found = "another command that changes settings",
                  .needed = "one at a time",
                  .fix = "try again when it has ended"});
  }
  return detail::cannot_write(path, {"opening the file", lock->error()});
}

Error irregular(const fs::path& path, fs::file_type type) {
  return Error({.code = "cannot-read",
                .where = path.string(),
                .found = type == fs::file_type::fifo        ? "a pipe"
                         : type == fs::file_type::directory ? "a directory"
                         : type == fs::file_type::socket    ? "a socket"
                                                            : "a device",
                .needed = "a regular file",
                .fix = "replace it with a file, or remove it"});
}

/// Reads the file of the user; an empty object if there is none. What is damaged, or ignored by
/// hosts, is not changed.
Result<JsonValue> read_file(const fs::path& file) {
  std::error_code ignored;
  const fs::file_status status = fs::status(file, ignored);
  const bool exists = fs::exists(status);
  if (const auto exposed = check_owner(exists ? file : file.parent_path())) {
    return exposed->with_severity(Severity::error);
  }
  if (!exists) return JsonValue{.data = JsonValue::Object()};
  if (!fs::is_regular_file(status)) return irregular(file, status.type());
  tools::Diagnostics problems;
  const auto text = tools::read_text_file(file, problems);
  auto value = text ? tools::read_json(*text, file.string(), problems) : std::nullopt;
  if (problems.empty() && value->object() != nullptr) return *std::move(value);
  const tools::Diagnostic first =
      problems.empty() ? tools::Diagnostic{.location = value->location,
                                           .found = std::string(tools::type_name(*value)),
                                           .needed = "an object"}
                       : problems.all().front();
  return Error({.code = text ? "broken-settings" : "cannot-read",
                .message = first.message,
                .where = tools::to_text(first.location),
                .found = first.found,
                .needed = first.needed,
                .fix = text ? "correct the file; it was not changed" : first.fix});
}

/// Returns the object of a key, which is created if it is missing or null; nullptr if the value is
/// something else.
JsonValue* object_in(JsonValue& parent, const std::string& key) {
  JsonValue* value = parent.find(key);
  if (value == nullptr) {
    auto& members = std::get<JsonValue::Object>(parent.data);
    value = &members.emplace_back(JsonMember{key, {}, JsonValue{.data = nullptr}}).value;
  }
  if (value->is_null()) value->data = JsonValue::Object();
  return value->object() != nullptr ? value : nullptr;
}

void erase(JsonValue& object, std::string_view key) {
  std::erase_if(std::get<JsonValue::Object>(object.data),
                [key](const JsonMember& member) { return member.key == key; });
}

bool is_empty(const JsonValue& object) {
  return object.object()->empty();
}

/// Sets a key of a package, or removes it with all objects that this leaves empty.
Result<void> set(JsonValue& root, const fs::path& file, const std::string& package,
                 const std::string& key, std::optional<JsonValue> value) {
  JsonValue* packages = object_in(root, "packages");
  JsonValue* settings = packages != nullptr ? object_in(*packages, package) : nullptr;
  if (settings == nullptr) {
    const JsonValue& wrong =
        packages == nullptr ? *root.find("packages") : *packages->find(package);
    return Error({.code = "broken-settings",
                  .where = file.string() + ":" + std::to_string(wrong.location.line) + ":" +
                           std::to_string(wrong.location.column),
                  .found = std::string(tools::type_name(wrong)),
                  .needed = "an object",
                  .fix = "correct the file; it was not changed"});
  }
  erase(*settings, key);
  if (value) {
    std::get<JsonValue::Object>(settings->data).push_back({key, {}, *std::move(value)});
    return {};
  }
  if (is_empty(*settings)) erase(*packages, package);
  if (is_empty(*packages)) erase(root, "packages");
  return {};
}

/// Applies a change. A setting of the user is removed if that of the system already says the same.
Result<void> apply(const Options& options, SettingsChange change, const Subject& subject,
                   const fs::path& file, JsonValue& root) {
  const auto system = detail::system_settings(options.app);
  const auto named = system.packages.find(subject.package);
  const detail::PackageSettings of_system =
      named != system.packages.end() ? named->second : detail::PackageSettings();
  using Value = std::optional<JsonValue>;
  const auto put = [&](const char* key, Value value) {
    return set(root, file, subject.package, key, std::move(value));
  };
  switch (change) {
    case SettingsChange::disable:
      return put("enabled", JsonValue{.data = false});
    case SettingsChange::enable:
      return put("enabled", of_system.is_disabled() ? Value(JsonValue{.data = true}) : Value());
    case SettingsChange::pin:
      return put("version", JsonValue{.data = subject.version});
    case SettingsChange::unpin:
      break;
  }
  return put("version", of_system.is_pinned() ? Value(JsonValue{.data = nullptr}) : Value());
}

/// Changes the file of the user. Returns whether that was necessary.
Result<bool> change_file(const Options& options, SettingsChange change, const Subject& subject,
                         const fs::path& file) {
  const auto lock = lock_settings(file);
  if (!lock) return lock.error();
  std::string before;
  std::string after;
  // An editor does not know the lock.
  for (auto root = read_file(file);;) {
    if (!root) return std::move(root).error();
    before = tools::to_pretty_json(*root);
    if (auto done = apply(options, change, subject, file, *root); !done) return done.error();
    after = tools::to_pretty_json(*root);
    if (after == before) return false;
    TENON_TEST_POINT("settings: read");
    root = read_file(file);
    if (root && tools::to_pretty_json(*root) == before) break;
  }
  std::error_code ignored;
  const bool is_new = !fs::exists(fs::symlink_status(file, ignored));
  const auto written = platform::replace_content(
      file, after, is_new ? platform::Attributes::owner_only : platform::Attributes::kept);
  if (written.failed)
    return detail::cannot_write(file, {"writing the file", written.failed.value()});
  return true;
}

std::string_view name_of(SettingsChange change) {
  constexpr std::string_view names[] = {"disable", "enable", "pin", "unpin"};
  return names[static_cast<std::size_t>(change)];
}

/// Returns what hosts do after a change, eg: "me.example/blur 1.2.0 is pinned".
std::string state_after(SettingsChange change, const Subject& subject) {
  constexpr std::string_view states[] = {"disabled", "enabled", "pinned", "not pinned"};
  const std::string version = subject.version.empty() ? "" : " " + subject.version;
  return subject.package + version + " is " + std::string(states[static_cast<std::size_t>(change)]);
}

void print_json(const Options& options, SettingsChange change, const Subject& subject,
                const fs::path& file, const Result<bool>& done) {
  boost::json::object output = make_output(name_of(change));
  output["app"] = options.app;
  output["package"] = subject.package;
  output["package_version"] =
      subject.version.empty() ? boost::json::value() : boost::json::value(subject.version);
  output["file"] = file.string();
  output["changed"] = done && *done;
  output["error"] = done ? boost::json::value() : boost::json::value(to_json(done.error()));
  print(output);
}

}  // namespace

Exit change_settings(const Options& options, SettingsChange change, const std::string& text) {
  const fs::path file = detail::user_settings_file(options.app);
  Subject subject{text, ""};
  const auto done = [&]() -> Result<bool> {
    auto checked = subject_of(options, change, text);
    if (!checked) return std::move(checked).error();
    subject = *std::move(checked);
    return change_file(options, change, subject, file);
  }();
  if (options.json) print_json(options, change, subject, file, done);
  if (!done) {
    std::cerr << "tenon: " << done.error().to_string() << "\n";
    const std::string_view code = done.error().code();
    return code == "cannot-write" || code == "cannot-read" || code == "in-use" ? io_error
                                                                               : problems_found;
  }
  if (!options.json) {
    std::cout << state_after(change, subject) << " for " << escaped_for_display(options.app) << ": "
              << escaped_for_display(file.string()) << "\n";
  }
  print_problems(detail::operator_settings(options.app).problems);
  return success;
}

}  // namespace tenon::command
