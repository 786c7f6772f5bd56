// SPDX-License-Identifier: BSL-1.0
#include "binary/library_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "binary/bundle.hpp"
#include "framework/world.hpp"
#include "image/image.hpp"
#include "image/only_copy.hpp"
#include "unit/faults.hpp"

namespace tenon::tests { namespace {

using detail::Bundle;
using detail::BundleFile;
using detail::OnlyCopy;
using detail::reload_of;

/// Returns "LIBRARY FUNCTION" for each rule that applies to a file with these imports.
std::vector<std::string> found_in(const std::vector<std::string_view>& imports) {
  std::vector<std::string> found;
  for (const LibraryRule& rule : detail::rules_for(imports)) {
    EXPECT_EQ(rule.functions.size(), 1U);
    found.push_back(rule.library + " " + rule.functions.front());
  }
  return found;
}

using Found = std::vector<std::string>;

// A rule of one copy applies to it.
constexpr const char* flags = "_ZN6gflags14FlagRegistererC1IiEEPKcS3_S3_PT_S5_";

TEST(LibraryRules, ApplyToImportedFunctions) {
  EXPECT_EQ(found_in({}), Found());
  EXPECT_EQ(found_in({"strlen", "g_quark_from_string"}), Found());
  EXPECT_EQ(found_in({"strlen", "g_quark_from_static_string"}),
            Found{"GLib g_quark_from_static_string"});
  EXPECT_EQ(found_in({"__cxa_at_quick_exit"}), Found{"C library __cxa_at_quick_exit"})
      << "at_quick_exit is a static function of glibc";
  EXPECT_EQ(found_in({"Tcl_Finalize", "MPI_Init"}), (Found{"MPI MPI_Init", "Tcl Tcl_Finalize"}));
}

TEST(LibraryRules, MatchNamesWithStars) {
  const std::string abseil =
      "_ZN4absl12lts_2022062314flags_internal23RegisterCommandLineFlagERNS0_15CommandLineFlagEPKc";
  EXPECT_EQ(found_in({abseil}), Found{"Abseil flags " + abseil});
  EXPECT_EQ(found_in({"_ZN6google14FlagRegistererC1IbEEPKcS3_S3_PT_S5_"}).size(), 1U);
  EXPECT_EQ(found_in({"_ZN6gflags14FlagRegistererC1IbEEPKcS3_S3_PT_S5_"}).size(), 1U);
  EXPECT_EQ(found_in({"hs_init"}), Found{"Haskell hs_init"}) << "a star also stands for nothing";
  EXPECT_EQ(found_in({"_ZN4absl14flags_internal7UnparseEv"}), Found());
  EXPECT_EQ(found_in({"not_hs_init"}), Found()) << "the whole name counts";
}

TEST(LibraryRules, DoNotApplyIfTheOppositeIsImported) {
  EXPECT_EQ(found_in({"pthread_key_create"}).size(), 1U);
  EXPECT_EQ(found_in({"pthread_key_create", "pthread_key_delete"}), Found());
  EXPECT_EQ(found_in({"_ZN5boost3log11v2_mt_posix4core8add_sinkERKNS_10shared_ptr",
                      "_ZN5boost3log11v2_mt_posix4core11remove_sinkERKNS_10shared_ptr"}),
            Found());
}

TEST(LibraryRules, CanBeAdded) {
  add_library_rules({{.library = "test added",
                      .functions = {"quartz_begin", "quartz_open_*"},
                      .effect = LibraryEffect::one_copy,
                      .reason = "it has one window",
                      .fix = "close it"}});
  EXPECT_EQ(found_in({"quartz_open_window"}), Found{"test added quartz_open_window"});
  EXPECT_EQ(library_rules().back().library, "test added");
}

/// A bundle of a module that imports functions.
Bundle importing(const std::vector<std::string_view>& imports) {
  BundleFile module;
  module.path = "/plugins/m.so";
  module.blockers.rules = detail::rules_for(imports);
  return {module};
}

TEST(LibraryRules, DecideHowAModuleIsReplaced) {
  const ReloadSafety kept = reload_of(importing({"g_intern_static_string"}), {});
  EXPECT_EQ(kept.grade, ReloadGrade::unverified);
  EXPECT_TRUE(kept.stays_mapped);
  EXPECT_FALSE(kept.stays_loaded);
  EXPECT_EQ(kept.library, "GLib");
  EXPECT_EQ(kept.symbol, "g_intern_static_string");
  EXPECT_EQ(kept.file, "/plugins/m.so");
  EXPECT_EQ(kept.reason, "its table keeps pointers to texts of the module");
  const ReloadSafety one = reload_of(importing({flags}), {});
  EXPECT_EQ(one.grade, ReloadGrade::unsafe);
  EXPECT_FALSE(one.stays_mapped);
  EXPECT_FALSE(one.stays_loaded);
  const ReloadSafety once = reload_of(importing({"g_intern_static_string", "cl_boot"}), {});
  EXPECT_EQ(once.grade, ReloadGrade::unsafe);
  EXPECT_EQ(once.library, "ECL") << "the worst counts";
  EXPECT_TRUE(once.stays_mapped);
  EXPECT_TRUE(once.stays_loaded);
}

TEST(LibraryRules, DoNotApplyToWhatTheManifestStatesAsHandled) {
  const Bundle bundle = importing({"g_intern_static_string", "cl_boot"});
  EXPECT_EQ(reload_of(bundle, {.handled = {"ECL"}}).library, "GLib");
  EXPECT_EQ(reload_of(bundle, {.handled = {"ECL", "GLib"}}).grade, ReloadGrade::safe);
}

TEST(LibraryRules, DoNotApplyToALibraryBesideTheModule) {
  Bundle bundle = importing({"cl_boot"});
  BundleFile library;
  library.blockers.ruled = {"cl_boot"};
  bundle.push_back(library);
  EXPECT_EQ(reload_of(bundle, {}).grade, ReloadGrade::safe);
}

// The files of the bundle are read, with the names of their functions.
TEST(LibraryRules, AreFoundInFiles) {
  add_library_rules({{.library = "test beside",
                      .functions = {"tests_sibling"},
                      .effect = LibraryEffect::one_copy,
                      .reason = "it counts",
                      .fix = "do not count"}});
  const World world;
  const std::filesystem::path module = world.path("plugins/user.so");
  std::filesystem::copy_file(fault("sibling-user"), module);
  const auto grade = [&] {
    return to_string(reload_of(detail::read_bundle(bytes_of(module), module).value(), {}).grade);
  };
  EXPECT_EQ(grade(), "unsafe");
  std::filesystem::copy_file(fault("sibling-1"), world.path("lib/libtests-sibling.so.1"));
  EXPECT_EQ(grade(), "safe") << "the library is copied with the module";
}

TEST(LibraryRules, OfThisProcessKnowTheLibrariesOfTheProgram) {
  add_library_rules({{.library = "test of the program",
                      .functions = {"qecvt_r"},
                      .effect = LibraryEffect::one_copy,
                      .reason = "one",
                      .fix = "none"}});
  const Bundle bundle = importing({"qecvt_r"});
  EXPECT_FALSE(reload_of(bundle, {}).stays_loaded);
  EXPECT_TRUE(detail::reload_in_process(bundle, {}).stays_loaded);
}

TEST(OnlyCopy, IsRefusedWhileAnotherOneExists) {
  const ReloadSafety reload = reload_of(importing({flags}), {});
  auto first = OnlyCopy::make(reload, "a.example/p", false);
  ASSERT_TRUE(first);
  ASSERT_NE(*first, nullptr);
  const auto second = OnlyCopy::make(reload, "a.example/p", false);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), "not-reloadable");
  EXPECT_EQ(second.error().found(), "a copy of package a.example/p that the process has loaded");
  EXPECT_TRUE(OnlyCopy::make(reload, "a.example/other", false));
  EXPECT_TRUE(OnlyCopy::make(reload, "a.example/p", true)) << "insisted";
  first->reset();
  EXPECT_TRUE(OnlyCopy::make(reload, "a.example/p", false));
}

TEST(OnlyCopy, CanBeKeptForEver) {
  const ReloadSafety reload = reload_of(importing({"cl_boot"}), {});
  OnlyCopy::make(reload, "a.example/kept", false).value()->keep();
  EXPECT_FALSE(OnlyCopy::make(reload, "a.example/kept", false));
}

TEST(OnlyCopy, IsNotNeededForOtherModules) {
  EXPECT_EQ(OnlyCopy::make({}, "a.example/p", false).value(), nullptr);
  EXPECT_EQ(
      OnlyCopy::make(reload_of(importing({"g_intern_static_string"}), {}), "p", false).value(),
      nullptr);
}

TEST(StaticTls, MakesAModuleUnsafe) {
  const auto path = fault("static-tls");
  const ReloadSafety reload = reload_of(detail::read_bundle(bytes_of(path), path).value(), {});
  EXPECT_EQ(reload.grade, ReloadGrade::unsafe);
  EXPECT_EQ(reload.symbol, "initial-exec");
  EXPECT_TRUE(reload.reason.starts_with("each copy takes 64 bytes of ")) << reload.reason;
  EXPECT_TRUE(reload.reason.ends_with(": enough for 25 copies")) << reload.reason;
  EXPECT_FALSE(reload.stays_mapped);
}

TEST(StaticTls, IsThatOfAllFilesOfABundle) {
  Bundle bundle(3);
  bundle[1].blockers.static_tls = 700;
  bundle[2].blockers.static_tls = 100;
  const ReloadSafety reload = reload_of(bundle, {});
  EXPECT_TRUE(reload.reason.starts_with("each copy takes 800 bytes of ")) << reload.reason;
  EXPECT_TRUE(reload.reason.ends_with(": enough for 2 copies")) << reload.reason;
}

TEST(StaticTls, IsNotTheMemoryOfOtherThreadLocalVariables) {
  const auto path = fault("dynamic-tls");
  const ReloadSafety reload = reload_of(detail::read_bundle(bytes_of(path), path).value(), {});
  EXPECT_EQ(reload.grade, ReloadGrade::safe) << reload.reason;
}

// The page lists each rule that every program has: the library, its effect, reason and remedy.
TEST(LibraryRules, AreDocumented) {
  std::ifstream file(SOURCE "/abi/libraries.md");
  std::vector<std::string> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| ")) rows.push_back(line);
  }
  const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
  for (const LibraryRule& rule : library_rules()) {
    if (rule.library.starts_with("test ")) continue;
    const std::string effect = rule.effect == LibraryEffect::keeps_code ? "keeps code"
                               : rule.effect == LibraryEffect::one_copy ? "one copy"
                                                                        : "once";
    EXPECT_TRUE(std::ranges::any_of(rows,
                                    [&](const std::string& row) {
                                      return row.starts_with("| " + rule.library + " |") &&
                                             row.find("| " + effect + " |") != std::string::npos &&
                                             std::search(row.begin(), row.end(),
                                                         rule.reason.begin(), rule.reason.end(),
                                                         same) != row.end();
                                    }))
        << rule.library << ": " << rule.reason;
  }
}

}}  // namespace tenon::tests
