// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon`. TENON is the program, SOURCES the directory of the modules that it inspects.
// They end any process that runs their code.
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "framework/path_texts.hpp"
#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class TenonCommand : public testing::Test {
 protected:
  TenonCommand() {
    // The modules are copied into the world, so that paths are short.
    for (const auto& entry : fs::directory_iterator(SOURCES)) {
      if (entry.path().extension() == ".so") {
        fs::copy_file(entry.path(), world_.path("modules/" + entry.path().filename().string()));
      }
    }
  }

  Outcome tenon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TENON);
    return world_.run(arguments);
  }
  json::object tenon_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Outcome run = tenon(arguments);
    boost::system::error_code failed;
    json::value value = json::parse(run.out, failed);
    EXPECT_FALSE(failed) << run.out << run.err;
    return failed ? json::object() : value.as_object();
  }
  /// Installs a build among the plugins of the app tenon.
  fs::path install(const std::string& build, const std::string& as) const {
    world_.path("plugins/" + as);  // creates its parent directories
    return world_.place(world_.root() / "modules" / build, as);
  }

  /// Returns the text independent of the machine: with ROOT for the root of the world, SIZE and
  /// MACHINE for sizes and machines, OWNER for owners and modes, two spaces for the padding of
  /// these columns, and VERSIONS for those of system libraries.
  std::string normal(std::string text) const {
    for (auto at = text.find(world_.root().string()); at != std::string::npos;
         at = text.find(world_.root().string())) {
      text.replace(at, world_.root().string().size(), "ROOT");
    }
    text = std::regex_replace(text, std::regex("\nneeds       glibc [0-9.]+\n"),
                              "\nneeds       VERSIONS\n");
    return std::regex_replace(text, std::regex("[0-9.]+ [kM]B +[^ \n]+ +[^ \n]+ [0-7]{4}"),
                              "SIZE  MACHINE  OWNER");
  }

  World world_{"tenon"};
};

// -- inspect ------------------------------------------------------------------

TEST_F(TenonCommand, InspectShowsAnAdaptedModule) {
  install("colour-1.6.2.so", "colour.so");
  const Outcome run = tenon({"inspect", "modules/rich.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(
      normal(run.out),
      R"(me.example/clocks 1.2.0  "Tells the time"                       NO PROBLEM FOUND; not loaded
file        modules/rich.so  SIZE  MACHINE  OWNER
ABI         1.0
about       One record a second.
author      Me
license     BSL-1.0
homepage    https://me.example/clocks
requires    example.io/colour  ^1.4  ->  1.6.2
state       writes 2  reads 1 2
threads     joined when it stops
plugin      NAME              KIND              VERSION  HOST  FITS
            me.example/clock  tenon.dev/source  1        2     adapted
              on_created  not in version 1: the adapter implements it
              on_updated  not in version 1: the adapter implements it
              on_deleted  not in version 1: the adapter implements it
properties  me.example/clock  menu   Time
            me.example/clock  order  3
parameters  me.example/clock (source)  every  duration, default: 1s  Between two records
            me.example/clock (source)  zone   string, required       eg: CET
libraries   libc.so.6  all found
needs       VERSIONS
reload      safe
checked     file format, manifest, kinds, methods, libraries, symbols, private copy
No plugin code was run.  Next: put the file into ~/.local/lib/tenon/plugins
)");
}

TEST_F(TenonCommand, InspectExplainsWhyAModuleCannotLoad) {
  const Outcome run = tenon({"inspect", "modules/too-new.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(
      normal(run.out),
      R"(me.example/clocks 1.2.0                                         WOULD NOT LOAD: 1 error
file        modules/too-new.so  SIZE  MACHINE  OWNER
ABI         1.0
plugin      NAME              KIND              VERSION  HOST  FITS
            me.example/clock  tenon.dev/source  9        2     too new
libraries   libc.so.6  all found
needs       VERSIONS
reload      safe
checked     file format, manifest, kinds, methods, libraries, symbols, private copy
error[kind-too-new] modules/too-new.so
   found   me.example/clock (tenon.dev/source version 9)
   needed  version 1 and 2 of tenon.dev/source
   fix     use a host that offers version 9, or rebuild the plugin for version 2
No plugin code was run.  Next: see the fix above
)");
}

TEST_F(TenonCommand, InspectWarnsOfUnusablePluginsBesideUsableOnes) {
  const Outcome run = tenon({"inspect", "modules/mixed.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  const std::string text = normal(run.out);
  EXPECT_NE(text.find("NO ERROR FOUND: 2 warnings; not loaded\n"), std::string::npos) << text;
  EXPECT_NE(
      text.find("            me.example/newer  tenon.dev/source      9        2     too new\n"),
      std::string::npos)
      << text;
  EXPECT_NE(
      text.find(
          "            me.example/blur   photo.example/filter  1        -     unknown kind\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("warning[unknown-kind] modules/mixed.so\n"), std::string::npos) << text;
  EXPECT_NE(text.find("warning[kind-too-new] modules/mixed.so\n"), std::string::npos) << text;
}

TEST_F(TenonCommand, InspectReportsMissingPackages) {
  for (const std::string& file :
       {std::string("modules/rich.so"), install("rich.so", "a.so").string()}) {
    const Outcome run = tenon({"inspect", file});
    EXPECT_EQ(run.exit, 1) << "a host does not use it";
    EXPECT_NE(run.out.find("WOULD NOT LOAD: 1 error\n"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("requires    example.io/colour  ^1.4  ->  nothing\n"), std::string::npos)
        << run.out;
    EXPECT_NE(run.out.find("error[missing-package] me.example/clocks 1.2.0"), std::string::npos)
        << run.out;
  }
}

TEST_F(TenonCommand, InspectFindsMissingMethods) {
  for (const char* file : {"modules/no-methods.so", "modules/null-method.so"}) {
    const Outcome run = tenon({"inspect", file});
    EXPECT_EQ(run.exit, 1);
    EXPECT_NE(run.out.find("error[missing-method] " + std::string(file) +
                           "\n   found   no read in me.example/clock (tenon.dev/source version 1)\n"
                           "   needed  every method that the kind requires\n"
                           "   fix     implement read\n"),
              std::string::npos)
        << run.out;
  }
}

TEST_F(TenonCommand, InspectSuggestsKeysAndProperties) {
  const Outcome run = tenon({"inspect", "modules/misspelt.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("NO ERROR FOUND: 3 warnings; not loaded\n"), std::string::npos) << run.out;
  for (const auto& [found, meant] :
       {std::pair("\"sumary\"  (manifest: details[0])", "summary"),
        {"\"requries\"  (manifest: details[0])", "requires"},
        {"\"source_paramters\"  (manifest: details[0].properties[\"me.example/clock\"])",
         "source_parameters"}}) {
    EXPECT_NE(run.out.find("warning[misspelled-key] modules/misspelt.so\n   found   " +
                           std::string(found) + "\n"),
              std::string::npos)
        << run.out;
    EXPECT_NE(run.out.find("did you mean '" + std::string(meant) + "'?\n"), std::string::npos)
        << run.out;
  }
}

TEST_F(TenonCommand, InspectReportsAKindOfAnotherProgram) {
  const Outcome run = tenon({"inspect", "modules/foreign.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("NO ERROR FOUND: 1 warning; not loaded\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("warning[unknown-kind]"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("Next: tenon inspect modules/foreign.so -a APP, with the app that the "
                         "module was made for\n"),
            std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, InspectDetectsADifferentSpec) {
  const Outcome run = tenon({"inspect", "modules/other-spec.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("other spec\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("error[kind-differs]"), std::string::npos) << run.out;
}

TEST_F(TenonCommand, InspectReportsMissingLibraries) {
  const Outcome missing = tenon({"inspect", "modules/needs-library.so"});
  EXPECT_EQ(missing.exit, 1);
  EXPECT_NE(missing.out.find("libtests-e2e-library.so  not found\n"), std::string::npos)
      << missing.out;
  EXPECT_NE(missing.out.find("found   library libtests-e2e-library.so not found\n"),
            std::string::npos)
      << missing.out;

  fs::copy_file(LIBRARY, world_.root() / "libtests-e2e-library.so");
  const Outcome beside = tenon({"inspect", "modules/needs-library.so"});
  EXPECT_EQ(beside.exit, 0) << beside.out;
  EXPECT_NE(beside.out.find("libtests-e2e-library.so  libc.so.6  all found\n"), std::string::npos)
      << beside.out;
  fs::remove(world_.root() / "libtests-e2e-library.so");

  fs::copy_file(LIBRARY, world_.path("elsewhere/libtests-e2e-library.so"));
  world_.set("LD_LIBRARY_PATH", (world_.root() / "elsewhere").string());
  const Outcome found = tenon({"inspect", "modules/needs-library.so"});
  EXPECT_EQ(found.exit, 0) << found.out;
  EXPECT_NE(found.out.find("libtests-e2e-library.so  libc.so.6  all found\n"), std::string::npos)
      << found.out;
}

TEST_F(TenonCommand, InspectReportsWhatPreventsUnloading) {
  const auto row = [&](const std::string& module) {
    const Outcome run = tenon({"inspect", FAULTS "/" + module + ".so"});
    const auto begin = run.out.find("reload ");
    return begin != std::string::npos ? run.out.substr(begin, run.out.find('\n', begin) - begin)
                                      : run.out + run.err;
  };
  EXPECT_EQ(row("good"), "reload      safe");
  EXPECT_EQ(row("unique-symbols"), "reload      safe (patched)");
  EXPECT_EQ(
      row("thread-local"),
      "reload      unverified (__cxa_thread_atexit: threads that have such objects keep the code "
      "until they end; no thread_local with a destructor)");
  EXPECT_EQ(
      row("thread-stays"),
      "reload      unverified (pthread_create: its threads may outlast stop; join every thread in stop, then say "
      "\"threads\": \"joined\")");
  EXPECT_EQ(row("nodelete"),
            "reload      unsafe (DF_1_NODELETE: the file states that it is never unloaded; link it "
            "without -z nodelete)");

  fs::copy_file(FAULTS "/sibling-user.so", world_.path("app/plugins/user.so"));
  fs::copy_file(FAULTS "/nodelete.so", world_.path("app/lib/libtests-sibling.so.1"));
  const Outcome beside = tenon({"inspect", "app/plugins/user.so"});
  EXPECT_NE(beside.out.find("reload      unsafe (DF_1_NODELETE in libtests-sibling.so.1: "),
            std::string::npos)
      << beside.out;
}

TEST_F(TenonCommand, InspectAcceptsReferencesToInstalledPlugins) {
  const fs::path file = install("rich.so", "clocks.so");
  install("colour-1.6.2.so", "colour.so");
  for (const char* reference : {"me.example/clock", "standalone:me.example/clock@1.2.0"}) {
    const Outcome run = tenon({"inspect", reference});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_NE(run.out.find(file.string()), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("Next: tenon list\n"), std::string::npos) << run.out;
  }
}

/// A plugin path may contain a directory for each package, and be the current directory.
TEST_F(TenonCommand, InspectPrefersAPluginToADirectoryWithItsName) {
  fs::copy_file(world_.root() / "modules/colour-1.4.0.so",
                world_.path("example.io/colour/1.4.0/colour.so"));
  fs::remove_all(world_.root() / "modules");  // a directory of plugins as well
  const Outcome run = tenon({"inspect", "--plugin-path", ".", "example.io/colour"});
  EXPECT_EQ(run.exit, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("example.io/colour 1.4.0 "), std::string::npos) << run.out;
  const Outcome directory = tenon({"inspect", "--plugin-path", ".", "./example.io/colour"});
  EXPECT_NE(directory.out.find("error[not-a-module] ./example.io/colour\n   found   a directory\n"),
            std::string::npos)
      << directory.out;
}

TEST_F(TenonCommand, InspectAcceptsSeveralPluginPaths) {
  const Outcome run = tenon({"inspect", "--plugin-path", "modules/foreign.so", "--plugin-path",
                             "modules/rich.so", "me.example/blur", "--json"});
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("\"me.example/blur\""), std::string::npos) << run.out;
}

TEST_F(TenonCommand, InspectShowsParametersOfPluginsWithOneNameOnce) {
  const std::string page = world_.run({TENON, "inspect", DPKG}).out;
  const std::size_t at = page.find("before each record");
  ASSERT_NE(at, std::string::npos) << page;
  EXPECT_EQ(page.find("before each record", at + 1), std::string::npos) << page;
}

TEST_F(TenonCommand, InspectAcceptsReferencesToBuiltins) {
  const Outcome run = tenon({"inspect", "builtin:tenon.dev/file"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.out.substr(0, 18), "tenon.dev/builtin ");
  EXPECT_NE(run.out.find("file        none: linked into the program\n"), std::string::npos);
  for (const char* parameter : {"the path of the file, which is created if it is missing",
                                "the table to read", "the number of records; 0 means unlimited",
                                "the new name of the field *", "the log level of the lines"}) {
    EXPECT_NE(run.out.find(parameter), std::string::npos) << parameter << "\n" << run.out;
  }
}

TEST_F(TenonCommand, InspectListsAvailablePluginsIfNoneMatches) {
  const Outcome run = tenon({"inspect", "me.example/nobody"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_NE(run.err.find("error[not-found] me.example/nobody\n"), std::string::npos) << run.err;
  EXPECT_NE(run.err.find("tenon.dev/file"), std::string::npos) << run.err;
  EXPECT_EQ(tenon({"inspect", "a b"}).exit, 2) << "not a valid reference";
}

TEST_F(TenonCommand, InspectReportsAnInstalledDuplicate) {
  install("colour-1.6.2.so", "colour.so");
  install("rich.so", "a.so");
  const fs::path second = install("rich.so", "b.so");
  const Outcome same = tenon({"inspect", second.string()});
  EXPECT_NE(same.out.find("warning[duplicate-file]"), std::string::npos) << same.out;
  EXPECT_NE(same.out.find("Next: tenon list\n"), std::string::npos) << same.out;
  std::ofstream(second, std::ios::binary | std::ios::app) << "other content";
  const Outcome other = tenon({"inspect", second.string()});
  EXPECT_EQ(other.exit, 1);
  EXPECT_NE(other.out.find("error[package-differs]"), std::string::npos) << other.out;
}

TEST_F(TenonCommand, InspectChecksTheVersionOfTheDirectory) {
  const fs::path wrong = install("mixed.so", "clocks/9.0.0/clocks.so");
  const Outcome run = tenon({"inspect", wrong.string()});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("error[wrong-directory]"), std::string::npos) << run.out;
  fs::remove(wrong);
  const fs::path dev = install("needs-nothing.so", "clocks/dev/clocks.so");
  const Outcome noted = tenon({"inspect", dev.string()});
  EXPECT_EQ(noted.exit, 0) << noted.out;
  EXPECT_NE(noted.out.find("NO ERROR FOUND: 1 note; not loaded\n"), std::string::npos) << noted.out;
  EXPECT_NE(noted.out.find("\nnote[in-development]"), std::string::npos) << noted.out;
  EXPECT_EQ(tenon_json({"inspect", dev.string()}).at("notes").at(0).at("severity"), "note");
}

TEST_F(TenonCommand, InspectDoesNotEnforceRequirementsOfDevelopment) {
  const fs::path dev = install("lost-1.0.0.so", "lost/dev/lost.so");
  const Outcome run = tenon({"inspect", dev.string()});
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_NE(run.out.find("NO ERROR FOUND: 1 note; not loaded\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("requires    example.io/nobody  ^2  ->  nothing\n"), std::string::npos)
      << run.out;
}

/// A path that is not a module, and the expected error.
struct NoModule {
  std::string path;
  std::string code;
  std::string found;
};

TEST_F(TenonCommand, InspectReportsFilesThatAreNotModules) {
  world_.write("text.so", "some text\n");
  world_.write("empty.so", "");
  world_.write("cut.so", read_file(world_.root() / "modules/rich.so").substr(0, 5000));
  ASSERT_EQ(mkfifo((world_.root() / "pipe").c_str(), 0600), 0);
  const NoModule all[] = {
      {"text.so", "not-a-module", "a text file"},
      {"empty.so", "empty-file", "0 bytes"},
      {"cut.so", "truncated-file", ""},
      {"modules", "not-a-module", "a directory"},
      {"missing.so", "not-found", ""},
      {"/dev/null", "not-a-module", "a device"},
      {"pipe", "not-a-module", "a pipe"},
      {TENON, "not-a-module", "a program"},
  };
  for (const NoModule& one : all) {
    SCOPED_TRACE(one.path);
    const Outcome run = tenon({"inspect", one.path});
    EXPECT_EQ(run.exit, one.code == "not-found" ? 3 : 1) << run.out << run.err;
    EXPECT_NE(run.out.find("WOULD NOT LOAD: 1 error\n"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("error[" + one.code + "] " + one.path + "\n   found   " + one.found),
              std::string::npos)
        << run.out;
    EXPECT_NE(run.out.find("\n   fix     "), std::string::npos) << run.out;
  }
}

TEST_F(TenonCommand, InspectReportsAnUnreadableFile) {
  fs::permissions(world_.root() / "modules/rich.so", fs::perms(0200));
  const Outcome run = world_.run(unprivileged({TENON, "inspect", "modules/rich.so"}));
  EXPECT_EQ(run.exit, 3) << "the module may be valid";
  EXPECT_NE(run.out.find("WOULD NOT LOAD: 1 error\n"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("error[cannot-read] modules/rich.so\n   found   "), std::string::npos)
      << run.out;
  EXPECT_NE(run.out.find("\n   fix     "), std::string::npos) << run.out;

  const Outcome as_json = world_.run(unprivileged({TENON, "inspect", "modules/rich.so", "--json"}));
  EXPECT_EQ(as_json.exit, 3);
  const json::object result = json::parse(as_json.out).as_object();
  EXPECT_EQ(result.at("would_load"), false);
  EXPECT_EQ(result.at("file").at("path"), "modules/rich.so");
  EXPECT_EQ(result.at("file").at("machine"), nullptr);
  EXPECT_EQ(result.at("manifest"), nullptr);
  EXPECT_EQ(result.at("reload"), nullptr);
  for (const char* key : {"plugins", "requirements", "libraries", "checked", "warnings", "notes"}) {
    EXPECT_EQ(result.at(key), json::array()) << key;
  }
  ASSERT_EQ(result.at("errors").as_array().size(), 1u);
  const json::value& error = result.at("errors").at(0);
  EXPECT_EQ(error.at("code"), "cannot-read");
  EXPECT_EQ(error.at("where"), "modules/rich.so");
  EXPECT_FALSE(error.at("fix").is_null());
}

/// All results have the same keys, so that scripts need no case distinction.
TEST_F(TenonCommand, InspectPrintsTheSameJsonKeysForAnyFile) {
  world_.write("empty.so", "");
  const auto keys = [](const json::object& object) {
    std::vector<std::string> all;
    for (const auto& member : object) all.emplace_back(member.key());
    return all;
  };
  const std::vector<std::string> expected = keys(tenon_json({"inspect", "modules/rich.so"}));
  for (const char* path : {"empty.so", "missing.so", "modules", "/dev/null", "me.example/nobody"}) {
    EXPECT_EQ(keys(tenon_json({"inspect", path})), expected) << path;
  }
}

TEST_F(TenonCommand, InspectAcceptsSystemLibraries) {
  for (const char* name : {"libc.so.6", "libz.so.1", "libstdc++.so.6"}) {
    for (const char* directory : {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/",
                                  "/lib/aarch64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/"}) {
      const std::string path = std::string(directory) + name;
      if (!fs::exists(path)) continue;
      const Outcome run = tenon({"inspect", path});
      EXPECT_EQ(run.exit, 1) << run.out;
      EXPECT_NE(run.out.find("error[no-manifest]"), std::string::npos) << run.out;
      EXPECT_NE(run.out.find("all found\n"), std::string::npos) << run.out;
    }
  }
}

TEST_F(TenonCommand, EscapesControlCharactersInFileNames) {
  world_.write("plugins/\x1b[2J.so", "\x1b[2J");
  for (const Outcome& run : {tenon({"inspect", "plugins/\x1b[2J.so"}), tenon({"list"})}) {
    EXPECT_EQ(run.exit, 1);
    EXPECT_EQ((run.out + run.err).find('\x1b'), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("\\x1b[2J"), std::string::npos) << run.out;
  }
}

TEST_F(TenonCommand, EscapesLineBreaksInFileNames) {
  world_.write("plugins/a\nforged  row.so", "some text\n");
  for (const Outcome& run : {tenon({"list"}), tenon({"inspect", "plugins/a\nforged  row.so"})}) {
    EXPECT_EQ(run.exit, 1);
    EXPECT_EQ((run.out + run.err).find("\nforged"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("a\\x0aforged  row.so"), std::string::npos) << run.out;
  }
}

TEST_F(TenonCommand, PrintsValidJsonForAnyFileName) {
  world_.write("plugins/\xff\n.so", "\xff");
  EXPECT_EQ(tenon_json({"list"}).at("skipped").at(0).at("where"),
            json::value((world_.plugins() / "\\xff\n.so").string()));
  EXPECT_EQ(tenon_json({"inspect", "plugins/\xff\n.so"}).at("subject"), "plugins/\\xff\n.so");
}

TEST_F(TenonCommand, ListAndInspectAgreeOnAFile) {
  ASSERT_EQ(mkfifo((world_.plugins() / "pipe.so").c_str(), 0600), 0);
  EXPECT_EQ(tenon({"list"}).exit, 1);
  EXPECT_EQ(tenon({"inspect", "plugins/pipe.so"}).exit, 1);
  EXPECT_NE(tenon({"list"}).out.find("not-a-module  "), std::string::npos);
  fs::remove(world_.plugins() / "pipe.so");
  fs::create_symlink("nowhere", world_.plugins() / "link.so");
  EXPECT_EQ(tenon({"list"}).exit, 1) << "the directory itself is readable";
  const Outcome run = tenon({"inspect", "plugins/link.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("   found   a link to a file that does not exist\n"), std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, InspectFindsUndefinedSymbols) {
  const Outcome run = tenon({"inspect", "modules/undefined.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("error[load-failed] modules/undefined.so\n"
                         "   found   no definition of tests_e2e_nobody_has_this\n"),
            std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, InspectShowsFiveUndefinedSymbols) {
  const std::string five =
      "no definition of tests_e2e_missing_1, tests_e2e_missing_2, tests_e2e_missing_3, "
      "tests_e2e_missing_4, tests_e2e_missing_5";
  const Outcome all = tenon({"inspect", "modules/undefined-5.so"});
  EXPECT_NE(all.out.find("   found   " + five + "\n"), std::string::npos) << all.out;
  const Outcome some = tenon({"inspect", "modules/undefined-6.so"});
  EXPECT_NE(some.out.find("   found   " + five + " and 1 more\n"), std::string::npos) << some.out;
}

TEST_F(TenonCommand, InspectFindsMissingSymbolVersions) {
  fs::copy_file(NEWER_LIBRARY, world_.root() / "libtests-e2e-versioned.so");
  const Outcome newer = tenon({"inspect", "modules/needs-version.so"});
  EXPECT_EQ(newer.exit, 0) << newer.out;
  fs::remove(world_.root() / "libtests-e2e-versioned.so");
  fs::copy_file(OLDER_LIBRARY, world_.root() / "libtests-e2e-versioned.so");
  const Outcome older = tenon({"inspect", "modules/needs-version.so"});
  EXPECT_EQ(older.exit, 1);
  EXPECT_NE(older.out.find("error[load-failed] modules/needs-version.so\n"
                           "   found   no definition of tests_e2e_library@TESTS_E2E_2\n"),
            std::string::npos)
      << older.out;
}

TEST_F(TenonCommand, InspectNamesTheSystemThatAModuleNeeds) {
  const json::array needs{{{"library", "glibc"}, {"version", "2.99"}}};
  EXPECT_EQ(tenon_json({"inspect", "modules/needs-newer-system.so"}).at("needs"), needs);
  fs::copy_file(OLDER_LIBRARY, world_.root() / "libtests-e2e-versioned.so");
  const Outcome run = tenon({"inspect", "modules/needs-newer-system.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("\nneeds       glibc 2.99\n"), std::string::npos) << run.out;
  EXPECT_NE(
      run.out.find("   found   no definition of tests_e2e_library@GLIBC_2.99\n"
                   "   needed  a system with at least glibc 2.99\n"
                   "   fix     build the module on the oldest system that it has to run on\n"),
      std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, InspectNamesABuildForMusl) {
  const Outcome run = tenon({"inspect", "modules/needs-musl.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("   found   a build for musl (it needs libc.musl-test.so.1)\n"),
            std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, InspectNamesConstructorsThatChangeFloatingPointModes) {
  const Outcome run = tenon({"inspect", FAULTS "/fast-math.so"});
  EXPECT_EQ(run.exit, 0);
  EXPECT_NE(run.out.find("warning[changes-float-modes] " FAULTS "/fast-math.so\n"
                         "   found   set_fast_math, which changes the floating-point modes of the "
                         "thread that loads the file\n"),
            std::string::npos)
      << run.out;
  const Outcome packed = tenon({"inspect", FAULTS "/fast-math-packed.so"});
  EXPECT_NE(packed.out.find("   found   the constructor at 0x"), std::string::npos) << packed.out;
  EXPECT_EQ(tenon({"inspect", FAULTS "/good.so"}).out.find("changes-float-modes"),
            std::string::npos);
}

#ifdef __x86_64__
TEST_F(TenonCommand, InspectNamesNoConstructorsThatKeepTheModes) {
  const Outcome run = tenon({"inspect", FAULTS "/keeps-float-modes.so"});
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_EQ(run.out.find("changes-float-modes"), std::string::npos) << run.out;
}
#endif

TEST_F(TenonCommand, InspectNamesConstructorsOfNeededLibraries) {
  const Outcome run = tenon({"inspect", FAULTS "/needs-fast-math.so"});
  EXPECT_NE(run.out.find("warning[changes-float-modes] " FAULTS "/fast-math.so\n"),
            std::string::npos)
      << run.out;
  EXPECT_EQ(run.out.find("warning[changes-float-modes] " FAULTS "/needs-fast-math.so\n"),
            std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, InspectNamesWhatTheDynamicLoaderRefuses) {
  const Outcome run = tenon({"inspect", FAULTS "/no-dlopen.so"});
  EXPECT_EQ(run.exit, 1);
  EXPECT_NE(run.out.find("   found   a library that cannot be loaded by a running program\n"
                         "   needed  a library that dlopen accepts\n"
                         "   fix     link the plugin without -z nodlopen\n"),
            std::string::npos)
      << run.out;
  const Outcome stack = tenon({"inspect", FAULTS "/executable-stack.so"});
  EXPECT_NE(stack.out.find("[executable-stack] " FAULTS "/executable-stack.so\n"
                           "   found   a need for an executable stack\n"),
            std::string::npos)
      << stack.out;
  EXPECT_EQ(tenon({"inspect", FAULTS "/executable-stack.so", "--for", "debian-13"}).exit, 1);
  EXPECT_EQ(tenon({"inspect", FAULTS "/good.so", "--for", "debian-13"}).exit, 0);
}

#ifdef __x86_64__
TEST_F(TenonCommand, InspectNamesTheProcessorThatAModuleNeeds) {
  EXPECT_EQ(tenon_json({"inspect", FAULTS "/needs-x86-64-v4.so"}).at("processor"), "x86-64-v4");
  EXPECT_EQ(tenon_json({"inspect", FAULTS "/good.so"}).at("processor"), nullptr);
  const Outcome run = tenon({"inspect", FAULTS "/needs-x86-64-v4.so"});
  EXPECT_NE(run.out.find("a processor of x86-64-v4\n"), std::string::npos) << run.out;
}
#endif

TEST_F(TenonCommand, InspectComparesWithAnotherSystem) {
  fs::copy_file(NEWER_SYSTEM, world_.root() / "libtests-e2e-versioned.so");
  const auto inspect = [this](const std::string& system) {
    return tenon({"inspect", "modules/needs-newer-system.so", "--for", system});
  };
  EXPECT_EQ(tenon({"inspect", "modules/needs-newer-system.so"}).exit, 0);
  for (const char* fits : {"glibc-2.99", "glibc-2.100", "glibc-3", "libstdc++-3.4"}) {
    EXPECT_EQ(inspect(fits).exit, 0) << fits << inspect(fits).out;
  }
  for (const char* older : {"bookworm", "ubuntu-24.04", "glibc-2.98.9", "glibc-2"}) {
    EXPECT_EQ(inspect(older).exit, 1) << older;
  }
  EXPECT_NE(inspect("debian-12")
                .out.find("error[system-too-old] modules/needs-newer-system.so\n"
                          "   found   debian-12 has glibc 2.36\n"
                          "   needed  glibc 2.99\n"
                          "   fix     build the module on debian-12 or an older system\n"),
            std::string::npos);
  for (const char* unknown : {"bookwrm", "glibc-", "glibc-x", "glibc-2.", "musl-1.2"}) {
    EXPECT_EQ(inspect(unknown).exit, 2) << unknown;
  }
  EXPECT_NE(inspect("bookwrm").err.find("fix     did you mean 'bookworm'?"), std::string::npos);
}

TEST_F(TenonCommand, InspectListsItsChecksInJson) {
  EXPECT_EQ(tenon_json({"inspect", "modules/rich.so"}).at("checked"),
            (json::value{"file format", "manifest", "kinds", "methods", "libraries", "symbols",
                         "private copy"}));
  EXPECT_EQ(
      tenon_json({"inspect", "modules/needs-library.so"}).at("checked"),
      (json::value{"file format", "manifest", "kinds", "methods", "libraries", "private copy"}))
      << "a missing library may define the symbols";
  EXPECT_EQ(tenon_json({"inspect", "builtin:tenon.dev/file"}).at("checked"),
            (json::value{"manifest", "kinds"}));
  EXPECT_EQ(tenon_json({"inspect", "modules/missing.so"}).at("checked"), json::array());
}

TEST_F(TenonCommand, InspectPrintsJson) {
  install("colour-1.6.2.so", "colour.so");
  const json::object result = tenon_json({"inspect", "modules/rich.so"});
  EXPECT_EQ(result.at("tenon"), (json::value{{"schema", 1}, {"command", "inspect"}}));
  EXPECT_EQ(result.at("subject"), "modules/rich.so");
  EXPECT_EQ(result.at("would_load"), true);
  EXPECT_EQ(result.at("file").at("path"), "modules/rich.so");
  EXPECT_EQ(result.at("file").at("size").to_number<std::uint64_t>(),
            fs::file_size(world_.root() / "modules/rich.so"));
  const json::value& manifest = result.at("manifest");
  EXPECT_EQ(manifest.at("package"), "me.example/clocks");
  EXPECT_EQ(manifest.at("package_version"), "1.2.0");
  EXPECT_EQ(manifest.at("requires"), (json::value{{"example.io/colour", "^1.4"}}));
  EXPECT_EQ(manifest.at("state"),
            (json::value{{"type", nullptr}, {"writes", 2}, {"reads", {1, 2}}}));
  EXPECT_EQ(manifest.at("details").at("x-own"), "kept");
  EXPECT_EQ(result.at("requirements").at(0), (json::value{{"package", "example.io/colour"},
                                                          {"versions", "^1.4"},
                                                          {"gets", "1.6.2"},
                                                          {"met", true}}));
  const json::value& plugin = result.at("plugins").at(0);
  EXPECT_EQ(plugin.at("name"), "me.example/clock");
  EXPECT_EQ(plugin.at("version"), 1);
  EXPECT_EQ(plugin.at("host_version"), 2);
  EXPECT_EQ(plugin.at("fits"), "adapted");
  EXPECT_EQ(plugin.at("missing"), (json::value{"on_created", "on_updated", "on_deleted"}));
  EXPECT_EQ(
      plugin.at("properties"),
      (json::value{{"menu", "Time"},
                   {"order", "3"},
                   {"source_parameters",
                    R"({"version":1,"value":{"every":{"type":"duration",)"
                    R"("default_value":"1s","description":"Between two records"},)"
                    R"("zone":{"type":"string","required":true,"description":"eg: CET"}}})"}}));
  EXPECT_EQ(result.at("libraries").at(0).at("name"), "libc.so.6");
  EXPECT_TRUE(fs::exists(result.at("libraries").at(0).at("path").as_string().c_str()));
  EXPECT_EQ(result.at("reload"), (json::value{{"grade", "safe"},
                                              {"symbol", nullptr},
                                              {"file", nullptr},
                                              {"library", nullptr},
                                              {"reason", nullptr},
                                              {"fix", nullptr},
                                              {"stays_mapped", false},
                                              {"stays_loaded", false}}));
  EXPECT_EQ(result.at("errors"), json::array());
}

TEST_F(TenonCommand, InspectPrintsTheDeepestManifestAsJson) {
  const Outcome run = tenon({"inspect", "modules/deep.so", "--json"});
  EXPECT_EQ(run.exit, 0) << run.err;
  json::parse_options options;
  options.max_depth = 100;
  const json::value result = json::parse(run.out, {}, options);
  const json::value* at = &result.at("manifest").at("details").at("x-deep");
  int arrays = 0;
  for (; at->is_array(); at = &at->at(0)) ++arrays;
  EXPECT_EQ(arrays, 61) << run.out;
}

TEST_F(TenonCommand, InspectPrintsProblemsAsJson) {
  const json::object result = tenon_json({"inspect", "modules/too-new.so"});
  EXPECT_EQ(result.at("would_load"), false);
  const json::value& error = result.at("errors").at(0);
  EXPECT_EQ(error.at("code"), "kind-too-new");
  EXPECT_EQ(error.at("where"), "modules/too-new.so");
  EXPECT_EQ(error.at("needed"), "version 1 and 2 of tenon.dev/source");
  EXPECT_EQ(error.at("message"), nullptr);

  const json::object missing = tenon_json({"inspect", "me.example/nobody"});
  EXPECT_EQ(missing.at("would_load"), false);
  EXPECT_EQ(missing.at("file"), nullptr);
  EXPECT_EQ(missing.at("errors").at(0).at("code"), "not-found");
}

// -- list ---------------------------------------------------------------------

TEST_F(TenonCommand, ListShowsPluginsAndSkippedFiles) {
  install("rich.so", "clocks.so");
  install("foreign.so", "filters.so");
  install("too-new.so", "new.so");
  world_.write("plugins/text.so", "some text\n");
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 1) << run.err;
  const std::string text = normal(run.out);
  const std::regex row(
      "me.example/clock +tenon.dev/source +1 +adapted +me.example/clocks +1.2.0 +"
      "ROOT/plugins/clocks.so\n");
  EXPECT_TRUE(std::regex_search(text, row)) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("me.example/blur +photo.example/filter +1 +"
                                                 "unknown kind ")))
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex("tenon.dev/file +tenon.dev/source +2 +latest +"
                                                 "tenon.dev/builtin +[0-9.]+ +builtin\n")))
      << text;
  EXPECT_EQ(text.substr(text.find("\nSkipped")), R"(
Skipped:
  not-a-module     ROOT/plugins/text.so
  missing-package  me.example/clocks 1.2.0
  kind-too-new     ROOT/plugins/new.so
Next: tenon inspect ROOT/plugins/text.so
)");
}

TEST_F(TenonCommand, ListQuotesThePathOfTheNextCommand) {
  world_.write("plugins/it's text.so", "some text\n");
  const Outcome run = tenon({"list"});
  const std::string begin = "\nNext: ";
  const std::size_t at = run.out.find(begin);
  ASSERT_NE(at, std::string::npos) << run.out;
  const std::string next = run.out.substr(at + begin.size());
  EXPECT_EQ(normal(next), R"(tenon inspect 'ROOT/plugins/it'\''s text.so')"
                          "\n");
  const Outcome shown = world_.run({"/bin/sh", "-c", "set -- " + next + "test -e \"$3\""});
  EXPECT_EQ(shown.exit, 0) << shown.err;
}

TEST_F(TenonCommand, ListExplainsProblemsOfNoModule) {
  world_.set("TENON_LOG", "loud");
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 0) << run.out;
  EXPECT_NE(run.out.find("\nNext: tenon explain bad-log-level\n"), std::string::npos) << run.out;
}

TEST_F(TenonCommand, ListFailsOnlyForUnusableModules) {
  install("needs-nothing.so", "clocks/dev/clocks.so");
  const Outcome noted = tenon({"list"});
  EXPECT_EQ(noted.exit, 0) << noted.out;
  EXPECT_EQ(normal(noted.out.substr(noted.out.find("\nNotes"))), R"(
Notes:
  in-development  ROOT/plugins/clocks/dev/clocks.so
Next: tenon inspect ROOT/plugins/clocks/dev/clocks.so
)");
  install("mixed.so", "a.so");
  install("mixed.so", "b.so");
  const Outcome warned = tenon({"list"});
  EXPECT_EQ(warned.exit, 0) << warned.out;
  EXPECT_EQ(warned.out.find("Skipped"), std::string::npos) << warned.out;
  EXPECT_NE(warned.out.find("\nWarnings:\n  kind-too-new "), std::string::npos) << warned.out;
  EXPECT_NE(warned.out.find("\n  duplicate-file "), std::string::npos) << warned.out;
  EXPECT_NE(warned.out.find("\nNotes:\n"), std::string::npos) << warned.out;
  const json::object result = tenon_json({"list"});
  for (const json::value& finding : result.at("skipped").as_array()) {
    EXPECT_NE(finding.at("severity"), "error") << finding;
  }
}

TEST_F(TenonCommand, ListAlignsItsColumns) {
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 0) << run.err;
  const std::size_t column = run.out.find("KIND");
  for (std::size_t begin = 0; begin < run.out.size(); begin = run.out.find('\n', begin) + 1) {
    EXPECT_EQ(run.out[begin + column - 1], ' ');
    EXPECT_NE(run.out[begin + column], ' ');
  }
}

TEST_F(TenonCommand, ListNamesPackagesWithUnmetRequirements) {
  install("rich.so", "clocks.so");
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_EQ(run.out.substr(run.out.find("\nSkipped")), R"(
Skipped:
  missing-package  me.example/clocks 1.2.0
Next: tenon resolve me.example/clocks
)");
  const Outcome next = tenon({"resolve", "me.example/clocks"});
  EXPECT_NE(next.err.find("\n   fix     add a version of example.io/colour ^1.4"),
            std::string::npos)
      << next.err;
}

TEST_F(TenonCommand, ListFiltersByKind) {
  install("needs-library.so", "clocks.so");
  for (const char* kind : {"tenon.dev/destination", "destination"}) {
    const Outcome run = tenon({"list", "--kind", kind});
    EXPECT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(run.out.find("tenon.dev/source"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("tenon.dev/log"), std::string::npos) << run.out;
  }
  const Outcome none = tenon({"list", "--kind", "nobody.example/knows"});
  EXPECT_EQ(none.exit, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "tenon: no plugins of kind nobody.example/knows for tenon\n");
}

TEST_F(TenonCommand, ListSearchesThePluginPathOfTheApp) {
  world_.set("PHOTO_LAB_PLUGIN_PATH", (world_.root() / "photo").string());
  fs::create_directory(world_.root() / "photo");
  fs::copy_file(world_.root() / "modules/foreign.so", world_.root() / "photo/blur.so");
  install("rich.so", "clocks.so");
  const Outcome run = tenon({"list", "-a", "photo-lab"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("me.example/blur"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("me.example/clock "), std::string::npos) << run.out;
}

TEST_F(TenonCommand, ListAcceptsDirectoriesAndFiles) {
  const Outcome run =
      tenon({"list", "--plugin-path", "modules/foreign.so", "--plugin-path", "modules/rich.so"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(run.out.find("me.example/blur"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("me.example/clock "), std::string::npos) << run.out;
}

TEST_F(TenonCommand, ListReportsAnUnreadableDirectory) {
  const Outcome run = tenon({"list", "--plugin-path", "nowhere"});
  EXPECT_EQ(run.exit, 3);
  EXPECT_NE(run.out.find("tenon.dev/file"), std::string::npos) << "the other plugins are listed";
  EXPECT_EQ(run.err.substr(0, 30), "tenon: error[not-found] nowher");
}

TEST_F(TenonCommand, ListReportsAnUnreadableFileOfThePluginPath) {
  fs::permissions(world_.root() / "modules/rich.so", fs::perms(0200));
  const std::vector<std::string> list = {TENON, "list", "--plugin-path", "modules/rich.so"};
  const Outcome run = world_.run(unprivileged(list));
  EXPECT_EQ(run.exit, 3);
  EXPECT_EQ(run.err.find("tenon: error[cannot-read] modules/rich.so\n"), 0U) << run.err;
  // A file in a directory is one of several modules.
  const Outcome directory = world_.run(unprivileged({TENON, "list", "--plugin-path", "modules"}));
  EXPECT_EQ(directory.exit, 1) << directory.err;
}

TEST_F(TenonCommand, ListMarksTheVersionInUse) {
  install("colour-1.6.2.so", "a.so");
  install("colour-1.4.0.so", "b.so");
  install("needs-nothing.so", "clocks.so");
  const std::string text = normal(tenon({"list"}).out);
  EXPECT_TRUE(std::regex_search(text, std::regex(" 1.6.2 \\(in use\\)  ROOT/plugins/a.so\n")))
      << text;
  EXPECT_TRUE(std::regex_search(text, std::regex(" 1.4.0 +ROOT/plugins/b.so\n"))) << text;
  EXPECT_TRUE(std::regex_search(text, std::regex(" 1.2.0 +ROOT/plugins/clocks.so\n"))) << text;
}

TEST_F(TenonCommand, ListFitsNarrowTerminals) {
  install("needs-nothing.so", "clocks.so");
  const auto shown = [&](int columns) {
    const std::string command =
        "stty cols " + std::to_string(columns) + " <&1 && exec " TENON " list";
    const Outcome run = world_.start_on_terminal({"/bin/sh", "-c", command}).wait();
    EXPECT_EQ(run.exit, 0) << run.out;
    return normal(std::regex_replace(run.out, std::regex("\r|\x1b\\[[0-9]*m"), ""));
  };
  EXPECT_EQ(shown(300).find("PLUGIN "), 0u);
  const std::string text = shown(40);
  EXPECT_NE(
      text.find("me.example/clock\n  tenon.dev/source 1\n  adapted\n  me.example/clocks 1.2.0\n"
                "  ROOT/plugins/clocks.so\n"),
      std::string::npos)
      << text;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 40u) << line;
}

TEST_F(TenonCommand, ListFindsAPluginInADirectoryOfItsOwn) {
  install("needs-nothing.so", "clocks/libclocks.so");
  const Outcome run = tenon({"list"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_NE(normal(run.out).find("ROOT/plugins/clocks/libclocks.so\n"), std::string::npos)
      << run.out;
}

TEST_F(TenonCommand, ListExplainsEachFile) {
  const auto place = [&](const fs::path& file, const std::string& as) {
    fs::copy_file(file, world_.path("photo/" + as));
  };
  const fs::path modules = world_.root() / "modules";
  place(modules / "colour-1.6.2.so", "colour/libcolour.so");
  place(LIBRARY, "colour/libother.so");
  place(modules / "colour-1.4.0.so", "fade/1.0/libfade.so");
  place(modules / "rich.so", "clocks.plugin");
  place(modules / "lost-1.0.0.so", "lost.so");
  world_.write("photo/README", "");
  const std::vector<std::string> list = {"list", "-a", "photo", "--plugin-path", "photo", "--why"};
  const Outcome run = tenon(list);
  EXPECT_EQ(run.exit, 1);
  const std::string text = normal(run.out);
  EXPECT_TRUE(std::regex_search(
      text,
      std::regex("\nSearched:\n  photo\n  ROOT/home/.local/lib/photo/plugins +does not exist\n"
                 "  /usr/local/lib/photo/plugins +does not exist\n"
                 "  /usr/lib/photo/plugins +does not exist\n\n")))
      << text;
  const auto begin = std::min(text.find("\nFiles:"), text.size());
  const std::string shown = text.substr(begin, text.find("\nSkipped:") - begin);
  EXPECT_EQ(shown, R"(
Files:
  not used  photo/README               no name that ends with .so
  not used  photo/clocks.plugin        a module whose name does not end with .so
  used      photo/colour/libcolour.so  example.io/colour 1.6.2
  not used  photo/colour/libother.so   a shared library without a tenon note
  not used  photo/fade/1.0/libfade.so  a module in the directory "1.0", which is not a complete version
  not used  photo/lost.so              me.example/lost 1.0.0: no package named example.io/nobody
)");
  EXPECT_NE(read_file(GUIDE).find(shown), std::string::npos) << "the guide shows other output";
  const json::object result = tenon_json(list);
  EXPECT_EQ(result.at("searched").at(0),
            (json::value{{"path", "photo"}, {"named", true}, {"exists", true}}));
  EXPECT_EQ(result.at("searched").at(3).at("exists"), false);
  EXPECT_EQ(result.at("files").at(2), (json::value{{"path", "photo/colour/libcolour.so"},
                                                   {"used", true},
                                                   {"reason", "example.io/colour 1.6.2"}}));
  EXPECT_EQ(tenon_json({"list"}).at("files").as_array().size(), 0u);
}

TEST_F(TenonCommand, RefusesUnknownApps) {
  world_.set("PHOTO_LAB_PLUGIN_PATH", (world_.root() / "photo").string());
  world_.write("home/.local/share/video/tenon/app.json", R"({"app": "video"})");
  fs::create_directories(world_.root() / "home/.local/lib/audio/plugins");
  for (const char* app : {"photo-lab", "video", "audio"}) {
    EXPECT_EQ(tenon({"types", "-a", app}).exit, 0) << app;
  }
  using Words = std::vector<std::string>;
  for (const auto& [wrong, right] : {std::pair("phooto-lab", "photo-lab"),
                                     {"vidio", "video"},
                                     {"audo", "audio"},
                                     {"tennon", "tenon"}}) {
    for (const Words& command :
         {Words{"list"}, Words{"types"}, Words{"inspect", "modules/rich.so"},
          Words{"resolve", "me.example/x"}, Words{"lock"}, Words{"graph"}, Words{"convert"}}) {
      Words words = command;
      words.insert(words.end(), {"-a", wrong});
      const Outcome run = tenon(words);
      EXPECT_EQ(run.exit, 1) << command.front();
      EXPECT_EQ(run.out, "");
      EXPECT_EQ(run.err.find("tenon: error[unknown-app] " + std::string(wrong) + "\n"), 0u)
          << run.err;
      EXPECT_NE(run.err.find("did you mean '" + std::string(right) + "'?"), std::string::npos)
          << run.err;
    }
  }
  EXPECT_EQ(tenon({"list", "-a", "new", "--plugin-path", "modules/foreign.so"}).exit, 0)
      << "an app that is not installed yet";
}

TEST_F(TenonCommand, ListPrintsJson) {
  install("rich.so", "clocks.so");
  world_.write("plugins/text.so", "some text\n");
  const json::object result = tenon_json({"list", "--kind", "source"});
  EXPECT_EQ(result.at("tenon"), (json::value{{"schema", 1}, {"command", "list"}}));
  EXPECT_EQ(result.at("app"), "tenon");
  const json::value& clock = result.at("plugins").at(0);
  EXPECT_EQ(clock.at("name"), "me.example/clock");
  EXPECT_EQ(clock.at("kind"), "tenon.dev/source");
  EXPECT_EQ(clock.at("package_version"), "1.2.0");
  EXPECT_EQ(clock.at("origin"), "file");
  EXPECT_EQ(clock.at("file"), json::value((world_.plugins() / "clocks.so").string()));
  const json::value& builtin = result.at("plugins").at(1);
  EXPECT_EQ(builtin.at("origin"), "builtin");
  EXPECT_EQ(builtin.at("file"), nullptr);
  EXPECT_EQ(result.at("skipped").at(0).at("code"), "not-a-module");
}

// -- explain ------------------------------------------------------------------

TEST_F(TenonCommand, ExplainDescribesACode) {
  const Outcome run = tenon({"explain", "kind-too-new"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_EQ(
      run.out,
      R"(error[kind-too-new] A plugin implements a newer version of the kind than the host offers.
   cause   The plugin was built for a newer host.
   remedy  Use a newer host, or rebuild the plugin for an older version of the kind.
   example A filter of version 4 in a host that offers versions 1 to 3.
)");
}

TEST_F(TenonCommand, ExplainListsAllCodes) {
  const Outcome run = tenon({"explain"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(std::regex_search(run.out, std::regex("\nunknown-kind +warning +A plugin ")))
      << run.out;
  const auto lines = static_cast<std::size_t>(std::count(run.out.begin(), run.out.end(), '\n'));
  EXPECT_EQ(tenon_json({"explain"}).at("codes").as_array().size(), lines);
}

TEST_F(TenonCommand, ExplainPrintsJson) {
  const json::object result = tenon_json({"explain", "in-development"});
  EXPECT_EQ(result.at("tenon").at("command"), "explain");
  const json::array& codes = result.at("codes").as_array();
  ASSERT_EQ(codes.size(), 1U);
  EXPECT_EQ(codes[0].at("code"), "in-development");
  EXPECT_EQ(codes[0].at("severity"), "note");
  EXPECT_EQ(codes[0].at("area"), "packages");
  EXPECT_EQ(codes[0].at("meaning"), "A package is in a directory dev.");
  EXPECT_FALSE(codes[0].at("cause").as_string().empty());
  EXPECT_FALSE(codes[0].at("remedy").as_string().empty());
}

/// Each code that a command reports can be looked up.
TEST_F(TenonCommand, ExplainKnowsTheCodesOfOtherCommands) {
  const json::object found = tenon_json({"inspect", "modules/too-new.so"});
  const json::value& code = found.at("errors").as_array().at(0).at("code");
  EXPECT_EQ(tenon({"explain", std::string(code.as_string())}).exit, 0) << code;
}

TEST_F(TenonCommand, ExplainSuggestsTheNearestCode) {
  const Outcome misspelled = tenon({"explain", "kind-to-new"});
  EXPECT_EQ(misspelled.exit, 2);
  EXPECT_EQ(misspelled.out, "");
  EXPECT_EQ(misspelled.err,
            "tenon explain: unknown code kind-to-new\ndid you mean 'kind-too-new'?\n"
            "See tenon explain --help.\n");
  const Outcome strange = tenon({"explain", "\x1b[31m", "--json"});
  EXPECT_EQ(strange.exit, 2);
  EXPECT_EQ(strange.out, "");
  EXPECT_EQ(
      strange.err.find("tenon explain: unknown code \\x1b[31m\n`tenon explain` lists all codes.\n"),
      0U)
      << strange.err;
}

// -- The command line ---------------------------------------------------------

TEST_F(TenonCommand, RefusesWrongUsageWithAHint) {
  struct {
    std::vector<std::string> arguments;
    const char* err;
  } const wrong[] = {
      {{}, "tenon: A subcommand is required\n"},
      {{"lsit"}, "tenon: unknown command lsit\ndid you mean 'list'?\n"},
      {{"reslove"}, "tenon: unknown command reslove\ndid you mean 'resolve'?\n"},
      {{"resolve"}, "tenon resolve: REF is required\n"},
      {{"list", "--jsn"}, "tenon list: unknown option --jsn\ndid you mean '--json'?\n"},
      {{"list", "--kinds=source"}, "tenon list: unknown option --kinds\ndid you mean '--kind'?\n"},
      {{"list", "source"}, "tenon list: unknown word source\n"},
      {{"-a", "photo", "list"}, "tenon list: misplaced option -a\nSee "},
      {{"--json", "list"}, "tenon list: misplaced option --json\nSee "},
      {{"inspect", "--", "a.so", "--json"}, "tenon inspect: misplaced option --json\nSee "},
      {{"list", "--kind"}, "tenon list: --kind: "},
      {{"inspect"}, "tenon inspect: FILE|REF is required\n"},
      {{"inspect", "a.so", "b.so"}, "tenon inspect: unknown word b.so\n"},
  };
  for (const auto& one : wrong) {
    SCOPED_TRACE(one.err);
    const Outcome run = tenon(one.arguments);
    EXPECT_EQ(run.exit, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err.find(one.err), 0u) << run.err;
    EXPECT_NE(run.err.find("--help.\n"), std::string::npos) << run.err;
  }
}

TEST_F(TenonCommand, RefusesEmptyArguments) {
  struct {
    std::vector<std::string> arguments;
    const char* err;
  } const wrong[] = {
      {{"explain", ""}, "tenon: an argument is empty\n"},
      {{"convert", ""}, "tenon: an argument is empty\n"},
      {{"convert", "--", "", "--to="}, "tenon: an argument is empty\n"},
      {{"convert", "--to=", "record.json"}, "tenon: --to: the value is empty\n"},
      {{"lock", "-o", ""}, "tenon: -o: the value is empty\n"},
  };
  for (const auto& one : wrong) {
    SCOPED_TRACE(one.err);
    const Outcome run = tenon(one.arguments);
    EXPECT_EQ(run.exit, 2);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, one.err + std::string("See tenon --help.\n"));
  }
}

TEST_F(TenonCommand, PrintsPathsOfSpecsAsPlainText) {
  for (const std::string command : {"list", "types"}) {
    const Outcome run = tenon({command, "--specs", "a\x1b[31m\n\xff"});
    EXPECT_EQ(run.exit, 3);
    EXPECT_EQ(run.err, "tenon: " + unreadable_text("a\\x1b[31m\\x0a\\xff",
                                                   "reading it: No such file or directory"));
  }
}

TEST_F(TenonCommand, PrintsHelpAndVersion) {
  const Outcome help = tenon({"--help"});
  EXPECT_EQ(help.exit, 0);
  EXPECT_NE(help.out.find("inspect"), std::string::npos);
  EXPECT_NE(tenon({"list", "--help"}).out.find("--plugin-path"), std::string::npos);
  EXPECT_TRUE(std::regex_match(tenon({"--version"}).out, std::regex("[0-9]+[.][0-9]+[.][0-9]+\n")));
}

TEST_F(TenonCommand, ReportsOutputErrors) {
  for (const std::string arguments : {"list", "--help", "--version", "list --help"}) {
    for (const std::string output : {"> /dev/full", ">&-"}) {
      const Outcome run = world_.run({"sh", "-c", "'" TENON "' " + arguments + output});
      EXPECT_EQ(run.exit, 3) << arguments << output;
      EXPECT_EQ(run.err, "tenon: cannot write to standard output\n");
    }
  }
}

TEST_F(TenonCommand, ColoursOutputOnlyOnATerminal) {
  install("colour-1.6.2.so", "colour.so");
  const std::vector<std::string> command{TENON, "inspect", "modules/rich.so"};
  EXPECT_EQ(world_.run(command).out.find('\x1b'), std::string::npos);
  world_.set("TERM", "xterm");
  EXPECT_NE(world_.start_on_terminal(command).wait().out.find(
                "\x1b[32mNO PROBLEM FOUND; not loaded\x1b[0m"),
            std::string::npos);
  world_.set("NO_COLOR", "1");
  EXPECT_EQ(world_.start_on_terminal(command).wait().out.find('\x1b'), std::string::npos);
}

TEST_F(TenonCommand, ColoursOutputAsDemanded) {
  install("colour-1.6.2.so", "colour.so");
  const auto has_colours = [this](const std::string& when) {
    const std::vector<std::string> command{TENON, "inspect", "modules/rich.so", "--color", when};
    return world_.start_on_terminal(command).wait().out.find('\x1b') != std::string::npos;
  };
  world_.set("TERM", "xterm");
  EXPECT_FALSE(has_colours("never"));
  EXPECT_TRUE(has_colours("auto"));
  world_.set("NO_COLOR", "1");
  EXPECT_FALSE(has_colours("auto"));
  EXPECT_TRUE(has_colours("always"));
  const Outcome piped = world_.run({TENON, "inspect", "modules/rich.so", "--color", "always"});
  EXPECT_NE(piped.out.find('\x1b'), std::string::npos);
  const Outcome wrong = world_.run({TENON, "list", "--color", "red"});
  EXPECT_EQ(wrong.exit, 2);
  EXPECT_NE(wrong.err.find("found \"red\", needed auto|always|never"), std::string::npos)
      << wrong.err;
}

}}  // namespace tenon::tests
