// SPDX-License-Identifier: BSL-1.0
#include "catalog/operator_settings.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

using detail::OperatorSettings;
using detail::Scan;
using detail::Version;
using Texts = std::vector<std::string>;

OperatorSettings read(std::string_view text) {
  OperatorSettings settings;
  detail::add_settings(text, "photo.json", settings);
  return settings;
}

/// Returns the only problem of a text, eg: "photo.json:1:2: broken-settings: found; needed".
std::string problem_of(std::string_view text) {
  const OperatorSettings settings = read(text);
  if (settings.problems.size() != 1) return std::to_string(settings.problems.size()) + " problems";
  const Error& error = settings.problems.front();
  return std::string(error.where()) + ": " + std::string(error.code()) + ": " +
         std::string(error.found()) + "; " + std::string(error.needed());
}

TEST(OperatorSettings, AreRead) {
  const auto settings = read(R"({"log_level": "debug", "order": ["a.b/d", "a.b/c"],
      "packages": {"a.b/c": {"enabled": false}, "a.b/d": {"version": "1.2.0-rc.1"}}})");
  EXPECT_TRUE(settings.problems.empty());
  EXPECT_TRUE(settings.complete);
  EXPECT_EQ(settings.log_level, LogLevel::debug);
  EXPECT_EQ(settings.order, (Texts{"a.b/d", "a.b/c"}));
  EXPECT_TRUE(settings.packages.at("a.b/c").is_disabled());
  EXPECT_EQ(settings.packages.at("a.b/c").enabled_by, "photo.json");
  EXPECT_FALSE(settings.packages.at("a.b/c").is_pinned());
  EXPECT_EQ(settings.packages.at("a.b/d").version, "1.2.0-rc.1");
  EXPECT_FALSE(settings.packages.at("a.b/d").is_disabled());
}

TEST(OperatorSettings, DamagedFilesAreReportedWithTheirPosition) {
  EXPECT_EQ(problem_of("{\n  \"packages\": {},\n}"),
            "photo.json:3:1: broken-settings: unexpected '}'; a settings file in JSON, with the "
            "keys log_level, order and packages");
  EXPECT_EQ(problem_of(""),
            "photo.json:1:1: broken-settings: incomplete JSON; a settings file in JSON, with the "
            "keys log_level, order and packages");
  EXPECT_EQ(problem_of("[]"), "photo.json:1:1: broken-settings: array; object");
  EXPECT_FALSE(read("[]").complete);
}

TEST(OperatorSettings, WrongValuesAreReportedWithTheirPosition) {
  EXPECT_EQ(problem_of("{\n  \"log_level\": \"loud\"}"),
            "photo.json:2:3: broken-settings: \"loud\"; trace, debug, info, warn, error or off");
  EXPECT_EQ(problem_of(R"({"log_level": 3})"), "photo.json:1:2: broken-settings: number 3; text");
  EXPECT_EQ(problem_of(R"({"order": {}})"), "photo.json:1:2: broken-settings: object; array");
  EXPECT_EQ(
      problem_of(R"({"order": ["c"]})"),
      "photo.json:1:12: broken-settings: \"c\", which has no '/' after a domain; the name of a "
      "package: domain/name");
  EXPECT_EQ(problem_of(R"({"packages": {"a.b/c": []}})"),
            "photo.json:1:15: broken-settings: array; object");
  EXPECT_EQ(problem_of(R"({"packages": {"a.b/c": {"enabled": "no"}}})"),
            "photo.json:1:25: broken-settings: text \"no\"; true or false");
  EXPECT_EQ(problem_of(R"({"packages": {"a.b/c": {"version": "^1"}}})").substr(0, 43),
            "photo.json:1:25: broken-settings: \"^1\": maj");
}

TEST(OperatorSettings, UnknownKeysAreReportedWithTheKnownOnes) {
  EXPECT_EQ(problem_of(R"({"packges": {}})"),
            "photo.json:1:2: unknown-key: \"packges\"; log_level, order or packages");
  EXPECT_EQ(problem_of(R"({"packages": {"a.b/c": {"enable": false}}})"),
            "photo.json:1:25: unknown-key: \"enable\"; enabled or version");
}

TEST(OperatorSettings, AWrongValueIsIgnoredAlone) {
  const auto settings =
      read(R"({"packages": {"a.b/c": {"version": "x", "enabled": false}, "a.b/d": 1}})");
  EXPECT_EQ(settings.problems.size(), 2u);
  EXPECT_TRUE(settings.complete);
  EXPECT_TRUE(settings.packages.at("a.b/c").is_disabled());
  EXPECT_FALSE(settings.packages.at("a.b/c").is_pinned());
}

/// The files of a system and of a user.
class SettingsFiles : public testing::Test {
 protected:
  static constexpr const char* path = "tenon/photo.json";

  fs::path system(std::string_view text) const {
    return world_.write(std::string("xdg/") + path, text);
  }
  fs::path user(std::string_view text) const {
    return world_.write(std::string("config/") + path, text);
  }
  OperatorSettings read() const {
    return detail::read_settings(
        {.user = world_.root() / "config" / path,
         .system = {world_.root() / "xdg" / path, world_.root() / "missing" / path}});
  }

  World world_;
};

TEST_F(SettingsFiles, ThoseOfTheUserReplaceThoseOfTheSystemOneByOne) {
  system(R"({"log_level": "error", "order": ["a.b/c"], "packages": {
      "a.b/c": {"enabled": false}, "a.b/d": {"enabled": false, "version": "1.0.0"},
      "a.b/e": {"version": "1.0.0"}}})");
  const fs::path user_file = user(R"({"log_level": "info", "packages": {
      "a.b/d": {"enabled": true}, "a.b/e": {"version": null}}})");
  const OperatorSettings settings = read();
  EXPECT_TRUE(settings.problems.empty());
  EXPECT_EQ(settings.files.size(), 2u);
  EXPECT_EQ(settings.files.front(), user_file);
  EXPECT_EQ(settings.log_level, LogLevel::info);
  EXPECT_EQ(settings.order, Texts{"a.b/c"});
  EXPECT_TRUE(settings.packages.at("a.b/c").is_disabled());
  EXPECT_FALSE(settings.packages.at("a.b/d").is_disabled());
  EXPECT_EQ(settings.packages.at("a.b/d").enabled_by, user_file);
  EXPECT_TRUE(settings.packages.at("a.b/d").is_pinned());
  EXPECT_FALSE(settings.packages.at("a.b/e").is_pinned());
}

TEST_F(SettingsFiles, MayTakeSixteenMegabytes) {
  std::string text = R"({"log_level": "info"})";
  text.resize(16 << 20, ' ');
  user(text);
  EXPECT_EQ(read().log_level, LogLevel::info);
  for (const std::size_t size : {(16 << 20) + 1, 160 << 20}) {
    text.resize(size, ' ');
    user(text);
    const OperatorSettings settings = read();
    EXPECT_EQ(settings.log_level, std::nullopt);
    EXPECT_FALSE(settings.complete);
    ASSERT_EQ(settings.problems.size(), 1u);
    EXPECT_EQ(settings.problems[0].code(), "cannot-read");
  }
}

TEST_F(SettingsFiles, TheFirstDirectoryOfTheSystemCountsMost) {
  const fs::path first = world_.write("first.json", R"({"log_level": "info"})");
  const fs::path second =
      world_.write("second.json", R"({"log_level": "debug", "order": ["a.b/c"]})");
  const auto settings = detail::read_settings({.user = {}, .system = {first, second}});
  EXPECT_EQ(settings.log_level, LogLevel::info);
  EXPECT_EQ(settings.order, Texts{"a.b/c"});
  EXPECT_EQ(settings.files, (std::vector<fs::path>{first, second}));
}

TEST_F(SettingsFiles, ThatOthersMayChangeAreIgnored) {
  const fs::path file = user(R"({"packages": {"a.b/c": {"enabled": false}}})");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  const OperatorSettings settings = read();
  EXPECT_TRUE(settings.packages.empty());
  ASSERT_EQ(settings.problems.size(), 1u);
  const Error& problem = settings.problems.front();
  EXPECT_EQ(problem.code(), "untrusted-owner");
  EXPECT_EQ(problem.severity(), Severity::warning);
  EXPECT_EQ(problem.where(), file.string());
  EXPECT_EQ(problem.fix(), "chmod o-w " + fs::canonical(file).string());
}

TEST_F(SettingsFiles, InADirectoryThatOthersMayChangeAreIgnored) {
  const fs::path file = system(R"({"log_level": "debug"})");
  fs::permissions(file.parent_path(), fs::perms::others_write, fs::perm_options::add);
  const OperatorSettings settings = read();
  EXPECT_EQ(settings.log_level, std::nullopt);
  ASSERT_EQ(settings.problems.size(), 1u);
  EXPECT_EQ(settings.problems.front().code(), "untrusted-owner");
}

TEST_F(SettingsFiles, ThatAreNoFilesAreReported) {
  fs::create_directories(world_.path(std::string("config/") + path));
  const OperatorSettings settings = read();
  ASSERT_EQ(settings.problems.size(), 1u);
  EXPECT_EQ(settings.problems.front().code(), "cannot-read");
  EXPECT_FALSE(settings.complete);
}

/// Sets an environment variable. The destructor unsets it.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* const name_;
};

TEST(SettingsPaths, FollowTheEnvironment) {
  const Variable user("XDG_CONFIG_HOME", "/config");
  const Variable system("XDG_CONFIG_DIRS", "/first:relative:/second");
  const auto files = platform::settings_files("photo");
  EXPECT_EQ(files.user, "/config/tenon/photo.json");
  EXPECT_EQ(files.system,
            (std::vector<fs::path>{"/first/tenon/photo.json", "/second/tenon/photo.json"}));
}

TEST(SettingsPaths, AreTheUsualOnesWithoutVariables) {
  unsetenv("XDG_CONFIG_HOME");
  unsetenv("XDG_CONFIG_DIRS");
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  const auto files = platform::settings_files("photo");
  EXPECT_EQ(files.user, home.empty() ? "" : home + "/.config/tenon/photo.json");
  EXPECT_EQ(files.system, std::vector<fs::path>{"/etc/xdg/tenon/photo.json"});
  for (const char* app : {"", "..", "a/b"}) {
    EXPECT_EQ(platform::settings_files(app).user, "") << app;
    EXPECT_TRUE(platform::settings_files(app).system.empty()) << app;
  }
}

/// Adds a module to a scan.
void add(Scan& found, const std::string& file, const std::string& package,
         const std::string& version) {
  auto manifest = std::make_shared<detail::Manifest>();
  manifest->name = package;
  manifest->version = Version::parse(version).value();
  manifest->provides.push_back({"a.b/kind", 1, 1, package + "-plugin"});
  found.modules.push_back({file, std::move(manifest)});
}

Texts files_of(const Scan& found) {
  Texts files;
  for (const auto& module : found.modules) files.push_back(module.file);
  return files;
}

TEST(OperatorSettings, MovePreferredPackagesToTheFront) {
  Scan found;
  for (const char* file : {"1", "2"}) add(found, file, "a.b/c", "1.0.0");
  for (const char* file : {"3", "4"}) add(found, file, "a.b/d", "1.0.0");
  add(found, "5", "a.b/e", "1.0.0");
  detail::apply(read(R"({"order": ["a.b/e", "a.b/d"]})"), "photo", found);
  EXPECT_EQ(files_of(found), (Texts{"5", "3", "4", "1", "2"}));
}

TEST(OperatorSettings, ExcludePackagesAndVersions) {
  Scan found;
  add(found, "1", "a.b/c", "1.0.0");
  add(found, "2", "a.b/c", "2.0.0");
  add(found, "3", "a.b/d", "1.0.0");
  detail::apply(
      read(R"({"packages": {"a.b/c": {"version": "1.0.0"}, "a.b/d": {"enabled": false}}})"),
      "photo", found);
  EXPECT_EQ(files_of(found), Texts{"1"});
  ASSERT_EQ(found.skipped.size(), 2u);
  EXPECT_EQ(found.skipped[0].code(), "version-refused");
  EXPECT_EQ(found.skipped[0].severity(), Severity::note);
  EXPECT_EQ(found.skipped[0].fix(), "install that version, or run tenon unpin -a photo a.b/c");
  EXPECT_EQ(found.skipped[1].code(), "disabled");
  const Error& error = found.broken.at("a.b/d-plugin").error;
  EXPECT_EQ(error.severity(), Severity::error);
  EXPECT_EQ(error.found(), "a.b/d 1.0.0, which photo.json switches off");
  EXPECT_EQ(error.fix(), "run tenon enable -a photo a.b/d");
}

TEST(OperatorSettings, WarnIfThePinnedVersionIsMissing) {
  Scan found;
  add(found, "1", "a.b/c", "1.0.0");
  const auto settings =
      read(R"({"packages": {"a.b/c": {"version": "2.0.0"}, "a.b/none": {"version": "2.0.0"}}})");
  detail::apply(settings, "photo", found);
  EXPECT_TRUE(found.modules.empty());
  ASSERT_EQ(found.skipped.size(), 2u);
  EXPECT_EQ(found.skipped[0].severity(), Severity::warning);
  EXPECT_EQ(found.skipped[0].where(), "photo.json");
  EXPECT_EQ(found.skipped[0].found(), "a.b/c 1.0.0");
  EXPECT_EQ(found.skipped[0].needed(), "a.b/c 2.0.0, which this file pins");
}

}}  // namespace tenon::tests
