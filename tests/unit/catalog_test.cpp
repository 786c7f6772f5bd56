// SPDX-License-Identifier: BSL-1.0
//
// Search paths, and the scan of their directories. FAULTS is the directory of test modules.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "catalog/scan.hpp"
#include "catalog/search_path.hpp"
#include "framework/as_nobody.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
using detail::Manifest;
using detail::Scan;
using detail::search_paths;
using detail::SearchPath;
using Texts = std::vector<std::string>;

Scan scan(const std::vector<SearchPath>& paths, detail::KnownFiles& known,
          std::chrono::system_clock::time_point now) {
  return detail::scan(paths, {}, known, now);
}
Scan scan(const std::vector<SearchPath>& paths) {
  detail::KnownFiles none;
  return scan(paths, none, std::chrono::system_clock::now());
}

const fs::path good = FAULTS "/good.so";
const fs::path good_2 = FAULTS "/good-edition-2.so";

/// Sets an environment variable. The destructor restores it.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_.empty() ? unsetenv(name_) : setenv(name_, before_.c_str(), 1); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

Texts files_of(const Scan& scan) {
  Texts files;
  for (const auto& module : scan.modules) files.push_back(fs::path(module.file).filename());
  return files;
}

Texts codes_of(const Scan& scan) {
  Texts codes;
  for (const Error& error : scan.skipped) {
    codes.push_back(std::string(error.code()) + " " + fs::path(error.where()).filename().string());
  }
  return codes;
}

TEST(SearchPath, ListsOptionsThenVariableThenAppDirectories) {
  const Variable path("PHOTO_LAB_PLUGIN_PATH", "/from/variable::/second");
  const Variable home("HOME", "/home/me");
  Texts places;
  for (const SearchPath& place : search_paths("photo-lab", {"/from/options"})) {
    places.push_back(place.path.string() + (place.named ? " named" : ""));
  }
  EXPECT_EQ(places, (Texts{"/from/options named", "/from/variable named", "/second named",
                           "/home/me/.local/lib/photo-lab/plugins",
                           "/usr/local/lib/photo-lab/plugins", "/usr/lib/photo-lab/plugins"}));
}

TEST(SearchPath, ListsOnlyOptionsWithoutAnApp) {
  const auto places = search_paths("", {"/from/options"});
  ASSERT_EQ(places.size(), 1u);
  EXPECT_EQ(places[0].path, "/from/options");
}

TEST(Scan, OrdersModulesByDirectoryThenName) {
  World world;
  world.place(good, "b.so");
  world.place(good, "a.so");
  const auto other = world.path("other/c.so");
  fs::copy_file(good_2, other);
  const Scan found = scan({{other.parent_path(), true}, {world.plugins(), true}});
  EXPECT_EQ(files_of(found), (Texts{"c.so", "a.so", "b.so"}));
  EXPECT_EQ(codes_of(found), Texts());
  EXPECT_EQ(found.modules[0].manifest->version.to_string(), "2.0.0");
}

TEST(Scan, ReadsOnlyFilesWithTheExtensionOfModules) {
  World world;
  world.place(good, "a.so");
  world.write("plugins/README", "not a module");
  world.write("plugins/a.so.bak", "not a module");
  world.place(good, "b.so.bak");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"a.so"});
  EXPECT_EQ(codes_of(found), Texts());
}

/// Returns the content of the module `good` with a requirement in the place of its other details.
std::string content_with_requirement() {
  std::ifstream stream(good, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(stream), {}};
  const std::string details = R"("summary": "Says what it is told", "threads": "joined")";
  std::string requirement = R"("requires": {"test.example/other": ">=1.2"})";
  requirement.resize(details.size(), ' ');
  return content.replace(content.find(details), details.size(), requirement);
}

TEST(Scan, KeepsNoTextsAndEachRequirementOnce) {
  World world;
  world.write("plugins/a.so", content_with_requirement());
  world.write("plugins/b.so", content_with_requirement());
  const Scan found = scan({{world.plugins(), true}});
  ASSERT_EQ(files_of(found), (Texts{"a.so", "b.so"}));
  const Manifest& a = *found.modules[0].manifest;
  const Manifest& b = *found.modules[1].manifest;
  EXPECT_EQ(a.text, "");
  EXPECT_EQ(a.text.capacity(), std::string().capacity());
  ASSERT_EQ(a.requirements.size(), 1u);
  ASSERT_EQ(b.requirements.size(), 1u);
  EXPECT_EQ(a.requirements[0].name, "test.example/other");
  EXPECT_EQ(b.requirements[0].versions.to_string(), ">=1.2");
  EXPECT_EQ(&a.requirements[0].versions.releases(), &b.requirements[0].versions.releases());
}

/// Copies a module to a path below the directory of plugins.
void place_below(const World& world, const fs::path& module, const char* path) {
  fs::create_directories((world.plugins() / path).parent_path());
  fs::copy_file(module, world.plugins() / path);
}

TEST(Scan, ReportsModulesInDirectoriesThatOthersMayChange) {
  World world;
  const fs::path file = world.path("file/a.so");
  const fs::path directory = world.path("directory/b.so");
  fs::copy_file(good, file);
  fs::copy_file(good_2, directory);
  fs::create_symlink(file, world.plugins() / "a.so");
  fs::create_directory_symlink(directory.parent_path(), world.plugins() / "b");
  place_below(world, good, "c/1.0.0/c.so");
  place_below(world, good_2, "d/2.0.0/d.so");
  place_below(world, good, "e/e.so");
  for (const fs::path& open : {file.parent_path(), directory.parent_path(), world.plugins() / "c",
                               world.plugins() / "d/2.0.0"})
    fs::permissions(open, fs::perms::all);
  EXPECT_EQ(codes_of(scan({{world.plugins(), true}})),
            (Texts{"untrusted-owner a.so", "untrusted-owner b.so", "untrusted-owner c.so",
                   "untrusted-owner d.so"}));
  fs::permissions(world.plugins(), fs::perms::all);
  EXPECT_EQ(codes_of(scan({{world.plugins(), true}})).size(), 5u);
}

TEST(Scan, FindsVersionsInVersionDirectories) {
  World world;
  place_below(world, good, "tools/1.0.0/libtools.so");
  place_below(world, good_2, "tools/2.0.0/libtools.so");
  place_below(world, good, "me.example/tools/1.0.0/libtools.so");
  place_below(world, good, "tools/latest/libtools.so");
  place_below(world, good, "too/deep/me.example/1.0.0/libtools.so");
  const Scan found = scan({{world.plugins(), true}});
  Texts files;
  for (const auto& module : found.modules) {
    files.push_back(fs::path(module.file).lexically_relative(world.plugins()).string() + " " +
                    module.manifest->version.to_string());
  }
  EXPECT_EQ(files, (Texts{"me.example/tools/1.0.0/libtools.so 1.0.0",
                          "tools/1.0.0/libtools.so 1.0.0", "tools/2.0.0/libtools.so 2.0.0"}));
  EXPECT_EQ(codes_of(found), Texts{"misplaced-module libtools.so"});
}

TEST(Scan, FindsAPluginInADirectoryOfItsOwn) {
  World world;
  place_below(world, good, "tools/libtools.so");
  place_below(world, FAULTS "/some-library.so", "tools/libother.so");
  world.write("plugins/tools/script.so", "GROUP(libother.so)");
  place_below(world, FAULTS "/some-library.so", "tools/1.0.0/libother.so");
  place_below(world, FAULTS "/two-manifests.so", "broken/libbroken.so");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"libtools.so"});
  EXPECT_EQ(found.modules.at(0).manifest->version_directory, "");
  EXPECT_EQ(codes_of(found), Texts{"two-manifests libbroken.so"});
}

TEST(Scan, ReportsModulesInDirectoriesThatAreNotSearched) {
  World world;
  place_below(world, good, "tools/1.0/libtools.so");
  place_below(world, good_2, "tools/v2.0.0/libtools.so");
  place_below(world, good_2, "me.example/tools/v2/libtools.so");
  place_below(world, good, "me.example/tools/libtools.so");
  place_below(world, FAULTS "/abi-too-new.so", "me.example/broken/libtools.so");
  place_below(world, FAULTS "/some-library.so", "tools/v3.0.0/libother.so");
  place_below(world, good, "too/deep/for/libtools.so");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts());
  Texts remedies;
  for (const Error& error : found.skipped) {
    EXPECT_EQ(error.code(), "misplaced-module");
    remedies.push_back(fs::path(error.where()).lexically_relative(world.plugins()).string() + ": " +
                       std::string(error.fix()));
  }
  EXPECT_EQ(remedies, (Texts{"me.example/broken/libtools.so: move it one directory up",
                             "me.example/tools/libtools.so: move it one directory up",
                             "me.example/tools/v2/libtools.so: rename the directory to 2.0.0",
                             "tools/1.0/libtools.so: rename the directory to 1.0.0",
                             "tools/v2.0.0/libtools.so: rename the directory to 2.0.0"}));
  EXPECT_EQ(found.broken.count("test.example/faults"), 1u) << "a look-up tells the reason";
}

TEST(Scan, ReportsModulesWithOtherSuffixes) {
  World world;
  for (const char* name : {"UP.SO", "a.plugin", "tools/libb.so.1.2", "libx.so.1.2", "libc.dylib"}) {
    place_below(world, good, name);
  }
  place_below(world, FAULTS "/some-library.so", "libother.so.1");
  world.write("plugins/b.plugin", "not a module");
  fs::create_symlink("libx.so.1.2", world.plugins() / "libx.so");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"libx.so"});
  EXPECT_EQ(codes_of(found), (Texts{"wrong-suffix UP.SO", "wrong-suffix a.plugin",
                                    "wrong-suffix libc.dylib", "wrong-suffix libb.so.1.2"}));
  EXPECT_EQ(found.skipped.at(0).fix(), "rename it to \"UP.so\"");
  EXPECT_EQ(found.skipped.at(3).fix(), "rename it to \"libb.so\"");
}

TEST(Scan, IgnoresLinksToModulesThatItFinds) {
  World world;
  place_below(world, good, "tools/1.0.0/libtools.so");
  fs::create_symlink("1.0.0", world.plugins() / "tools/latest");
  fs::create_symlink("tools/1.0.0/libtools.so", world.plugins() / "current.plugin");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"libtools.so"});
  EXPECT_EQ(codes_of(found), Texts());
}

TEST(Scan, OrdersModulesByPath) {
  World world;
  for (const char* path : {"a/1.0.0/b.so", "a/1.0.0/a.so", "a-b.so", "a.so", "a/b/1.0.0/c.so",
                           "1.0.0/z.so", "b.so", "a/x.so"}) {
    place_below(world, good, path);
  }
  const Scan found = scan({{world.plugins(), true}});
  std::vector<fs::path> files;
  for (const auto& module : found.modules) files.emplace_back(module.file);
  EXPECT_EQ(files.size(), 8u);
  EXPECT_TRUE(std::is_sorted(files.begin(), files.end()));
}

TEST(Scan, RefusesAVersionInTheWrongDirectory) {
  World world;
  place_below(world, good_2, "tools/1.0.0/libtools.so");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts());
  ASSERT_EQ(codes_of(found), Texts{"wrong-directory libtools.so"});
  EXPECT_NE(found.skipped[0].found().find("2.0.0 in the directory 1.0.0"), std::string_view::npos);
}

TEST(Scan, WarnsOfDevModules) {
  World world;
  place_below(world, good_2, "tools/dev/libtools.so");
  const Scan found = scan({{world.plugins(), true}});
  ASSERT_EQ(files_of(found), Texts{"libtools.so"});
  EXPECT_TRUE(found.modules[0].manifest->in_development);
  EXPECT_EQ(found.modules[0].manifest->version.to_string(), "0.0.0");
  EXPECT_EQ(codes_of(found), Texts{"in-development libtools.so"});
  EXPECT_EQ(found.skipped[0].severity(), Severity::note);
}

TEST(Scan, AcceptsASingleFileOfAnyName) {
  World world;
  const auto file = world.path("module.bin");
  fs::copy_file(good, file);
  EXPECT_EQ(files_of(scan({{file, true}})), Texts{"module.bin"});
}

TEST(Scan, ListsAFileOnceAcrossLinks) {
  World world;
  world.place(good, "a.so");
  fs::create_directory_symlink(world.plugins(), world.root() / "link");
  fs::create_symlink("a.so", world.plugins() / "b.so");
  const Scan found =
      scan({{world.plugins(), true}, {world.root() / "link", true}, {world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"a.so"});
}

TEST(Scan, ListsAVersionOnceAcrossDirectoryLinks) {
  World world;
  place_below(world, good, "tools/1.0.0/libtools.so");
  fs::create_directory_symlink("tools", world.plugins() / "alias");
  fs::create_symlink("1.0.0/libtools.so", world.plugins() / "tools/ignored.so");
  const Scan found = scan({{world.root() / "plugins/../plugins", true}, {world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"libtools.so"});
  EXPECT_EQ(codes_of(found), Texts());
}

TEST(Scan, ReportsLinksThatLeadNowhere) {
  World world;
  fs::create_symlink("a.so", world.plugins() / "a.so");
  fs::create_symlink("a.so", world.plugins() / "b.so");
  fs::create_symlink("nowhere.so", world.plugins() / "c.so");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(codes_of(found),
            (Texts{"not-a-module a.so", "not-a-module b.so", "not-a-module c.so"}));
  EXPECT_EQ(found.skipped.at(0).found(), "a link that leads to itself");
  EXPECT_EQ(found.skipped.at(2).found(), "a link to a file that does not exist");
}

TEST(Scan, ReportsAnUnreadableDirectoryOnlyIfItIsNamed) {
  World world;
  const fs::path closed = world.plugins() / "closed";
  const fs::path directory = closed / "plugins";
  fs::create_directories(directory);
  fs::permissions(world.root(), fs::perms(0755));
  for (const fs::path& unreadable : {closed, directory}) {
    fs::permissions(unreadable, fs::perms::none);
    {
      const AsNobody nobody;
      EXPECT_EQ(codes_of(scan({{directory, true}})), Texts{"cannot-read plugins"});
      EXPECT_EQ(codes_of(scan({{directory, false}})), Texts());
    }
    fs::permissions(unreadable, fs::perms(0755));
  }
}

// A loadable module is found among any number of bad files.
TEST(Scan, SkipsFilesThatAreTooLarge) {
  World world;
  world.place(good, "a.so");
  world.place(good, "b.so");
  fs::permissions(world.plugins() / "a.so", fs::perms::owner_all);
  fs::resize_file(world.plugins() / "a.so", (std::uintmax_t{1} << 30) + 1);
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"b.so"});
  EXPECT_EQ(codes_of(found), Texts{"cannot-read a.so"});
  EXPECT_EQ(found.broken.count("test.example/faults"), 1u);
}

using Manifests = std::vector<std::shared_ptr<const Manifest>>;

Manifests manifests_of(const Scan& scan) {
  Manifests manifests;
  for (const auto& module : scan.modules) manifests.push_back(module.manifest);
  return manifests;
}

TEST(Scan, RereadsChangedFiles) {
  World world;
  const fs::path file = world.plugins() / "a.so";
  fs::copy_file(good, file);
  place_below(world, good, "tools/dev/libtools.so");
  const std::vector<SearchPath> places{{world.plugins(), true}};
  const auto later = std::chrono::system_clock::now() + std::chrono::hours(1);
  detail::KnownFiles known;
  const Scan first = scan(places, known, later);
  EXPECT_EQ(codes_of(first), Texts{"in-development libtools.so"});
  const Scan second = scan(places, known, later);
  EXPECT_EQ(manifests_of(second), manifests_of(first)) << "neither was read";
  EXPECT_EQ(codes_of(second), codes_of(first));

  const auto modified = fs::last_write_time(file);
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).put('\x7f');
  fs::last_write_time(file, modified);
  const Scan touched = scan(places, known, later);
  ASSERT_EQ(touched.modules.size(), 2u);
  EXPECT_NE(touched.modules[0].manifest, first.modules[0].manifest);
  EXPECT_EQ(touched.modules[1].manifest, first.modules[1].manifest);

  fs::remove(file);
  fs::copy_file(good_2, file);
  EXPECT_EQ(scan(places, known, later).modules.at(0).manifest->version.to_string(), "2.0.0");
  fs::remove(file);
  EXPECT_EQ(scan(places, known, later).modules.size(), 1u);
}

// Two changes in quick succession may have the same time.
TEST(Scan, RereadsFilesThatHaveJustChanged) {
  World world;
  world.place(good, "a.so");
  const std::vector<SearchPath> places{{world.plugins(), true}};
  detail::KnownFiles known;
  const auto now = std::chrono::system_clock::now();
  const Manifests first = manifests_of(scan(places, known, now));
  EXPECT_NE(manifests_of(scan(places, known, now)), first);
}

TEST(Scan, ReportsAMissingNamedDirectory) {
  World world;
  const Scan found = scan({{world.root() / "nowhere", true}, {world.root() / "neither", false}});
  EXPECT_EQ(codes_of(found), Texts{"not-found nowhere"});
  EXPECT_NE(found.skipped[0].fix(), "");
}

TEST(Scan, DoesNotBlockOnAPipe) {
  World world;
  ASSERT_EQ(mkfifo((world.plugins() / "a.so").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((world.root() / "pipe").c_str(), 0600), 0);
  const Scan found = scan({{world.plugins(), true}, {world.root() / "pipe", true}});
  EXPECT_EQ(codes_of(found), (Texts{"not-a-module a.so", "cannot-read pipe"}));
}

TEST(Scan, FindsGoodFilesDespiteBadOnes) {
  World world;
  world.place(good, "good.so");
  world.write("plugins/empty.so", "");
  world.write("plugins/text.so", "#!/bin/sh\necho I am a plugin\n");
  world.place(FAULTS "/two-manifests.so");
  world.place(FAULTS "/some-library.so");
  fs::create_symlink("nowhere.so", world.plugins() / "dangling.so");
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), Texts{"good.so"});
  EXPECT_EQ(codes_of(found),
            (Texts{"not-a-module dangling.so", "empty-file empty.so", "no-manifest some-library.so",
                   "not-a-module text.so", "two-manifests two-manifests.so"}));
}

// Several threads read so many files.
TEST(Scan, KeepsTheOrderOfManyFiles) {
  World world;
  world.place(good, "good");
  world.place(FAULTS "/abi-too-new.so", "newer");
  Texts expected;
  Texts skipped;
  for (int i = 1000; i < 2000; ++i) {
    const bool usable = i % 7 != 0;
    const std::string name = std::to_string(i) + ".so";
    fs::create_hard_link(world.plugins() / (usable ? "good" : "newer"), world.plugins() / name);
    if (usable) expected.push_back(name);
    if (!usable) skipped.push_back("abi-too-new " + name);
  }
  const Scan found = scan({{world.plugins(), true}});
  EXPECT_EQ(files_of(found), expected);
  EXPECT_EQ(codes_of(found), skipped);
  ASSERT_FALSE(found.broken.empty());
  for (const auto& [name, broken] : found.broken) {
    EXPECT_EQ(broken.error.where(), (world.plugins() / "1001.so").string()) << name;
  }
}

}}  // namespace tenon::tests
