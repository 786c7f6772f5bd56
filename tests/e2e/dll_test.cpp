// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon` and modules for Windows. TENON is the program, DLLS the directory of the
// DLLs, SPECS that of the specs of the standard kinds.
#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

class DllCommand : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string name : {"rich", "imports"}) {
      if (fs::exists(fs::path(DLLS) / (name + ".dll"))) continue;
      GTEST_SKIP() << name
                   << ".dll was not built: it needs g++-mingw-w64-x86-64-posix and lld-link";
    }
  }

  fs::path place(const std::string& build, const std::string& as) const {
    return world_.place(fs::path(DLLS) / (build + ".dll"), as);
  }
  Outcome tenon(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), TENON);
    return world_.run(arguments);
  }
  json::object tenon_json(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    const Outcome run = tenon(std::move(arguments));
    EXPECT_EQ(run.exit, 1) << run.err;
    return json::parse(run.out).as_object();
  }
  static std::string content_of(const std::string& build) {
    std::ifstream file(fs::path(DLLS) / (build + ".dll"), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void expect_part(const Outcome& run, const std::string& part) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out << run.err;
  }

  World world_{"tenon"};
};

std::vector<std::string> codes(const json::value& errors) {
  std::vector<std::string> all;
  for (const json::value& error : errors.as_array()) {
    all.emplace_back(error.at("code").as_string());
  }
  return all;
}

using Texts = std::vector<std::string>;

TEST_F(DllCommand, InspectReadsADll) {
  place("rich", "clocks.dll");
  const Outcome run = tenon({"inspect", "plugins/clocks.dll"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_EQ(run.out.find("me.example/clocks 1.2.0  "), 0U) << run.out;
  expect_part(run, "WOULD NOT LOAD: 1 error\n");
  expect_part(run, "  x86-64 (Windows)  ");
  expect_part(run, "me.example/clock  tenon.dev/source  1  ");
  expect_part(run, "libraries   KERNEL32.dll  msvcrt.dll  only searched beside the file\n");
  expect_part(run, "checked     file format, manifest, kinds, methods, libraries\n");
  expect_part(run,
              "error[wrong-architecture] plugins/clocks.dll\n"
              "   found   a file for Windows on x86-64\n"
              "   needed  a file in the ELF format for ");
  expect_part(run, "\n   fix     use a build of the plugin for this system\n");
}

TEST_F(DllCommand, InspectPrintsADllAsJson) {
  place("rich", "clocks.dll");
  const json::object found = tenon_json({"inspect", "plugins/clocks.dll"});
  EXPECT_EQ(found.at("file").at("format"), "PE");
  EXPECT_EQ(found.at("file").at("machine"), "x86-64");
  EXPECT_EQ(found.at("manifest").at("package"), "me.example/clocks");
  EXPECT_EQ(found.at("plugins").at(0).at("name"), "me.example/clock");
  EXPECT_EQ(found.at("reload"), nullptr);
  EXPECT_EQ(found.at("would_load"), false);
  EXPECT_EQ(codes(found.at("errors")), Texts{"wrong-architecture"});
}

TEST_F(DllCommand, InspectReportsMissingMethodsOfADll) {
  place("null-method", "clocks.dll");
  EXPECT_EQ(codes(tenon_json({"inspect", "plugins/clocks.dll"}).at("errors")),
            (Texts{"missing-method", "wrong-architecture"}));
}

TEST_F(DllCommand, InspectFindsLibrariesBesideADll) {
  place("imports", "imports.dll");
  place("library", "LIBRARY.dll");  // Windows ignores case
  const json::array libraries =
      tenon_json({"inspect", "plugins/imports.dll"}).at("libraries").as_array();
  ASSERT_EQ(libraries.size(), 2U);
  EXPECT_EQ(libraries[0].at("name"), "library.dll");
  EXPECT_EQ(libraries[0].at("path"), "plugins/LIBRARY.dll");
  EXPECT_EQ(libraries[0].at("stays_mapped"), false);
  EXPECT_EQ(libraries[1].at("name"), "delayed.dll");
  EXPECT_EQ(libraries[1].at("path"), nullptr);
  EXPECT_EQ(libraries[1].at("stays_mapped"), true);
}

TEST_F(DllCommand, InspectReportsDamagedDlls) {
  std::string content = content_of("rich");
  world_.write("cut.dll", content.substr(0, 5000));
  const auto directories = static_cast<unsigned char>(content[60]) + 4U + 20U + 112U;
  content[directories + 8 * 1] = '\x7f';  // the address of the imports
  content[directories + 8 * 1 + 3] = '\x7f';
  world_.write("damaged.dll", content);
  world_.write("dos.dll", "MZ" + std::string(100, '\0'));
  place("library", "library.dll");

  const auto codes_of = [this](const std::string& file) {
    return codes(tenon_json({"inspect", file}).at("errors"));
  };
  EXPECT_EQ(codes_of("cut.dll"), Texts{"truncated-file"});
  EXPECT_EQ(codes_of("damaged.dll"), (Texts{"wrong-architecture", "broken-file"}));
  EXPECT_EQ(codes_of("dos.dll"), Texts{"not-a-module"});
  EXPECT_EQ(codes_of("plugins/library.dll"), (Texts{"no-manifest", "wrong-architecture"}));
  const Outcome run = tenon({"inspect", "damaged.dll"});
  expect_part(run,
              "error[broken-file] damaged.dll\n"
              "   found   the table of imports outside of the sections\n"
              "   needed  a file as a linker writes it\n"
              "   fix     copy or build the file again: a part of it is damaged\n");
}

TEST_F(DllCommand, ListNamesADllAsNotForThisSystem) {
  const std::string file = place("rich", "clocks.dll").string();
  const std::string named = place("rich", "renamed.so").string();
  const std::string library = place("library", "library.dll").string();
  const Outcome run = tenon({"list", "--why"});
  EXPECT_EQ(run.exit, 1) << run.err;
  expect_part(run, "wrong-architecture  " + file + "\n");
  expect_part(run, "wrong-architecture  " + named + "\n");
  EXPECT_EQ(run.out.find("wrong-suffix"), std::string::npos) << run.out;
  const json::array files = tenon_json({"list", "--why"}).at("files").as_array();
  const auto reason_of = [&files](const std::string& path) {
    for (const json::value& one : files) {
      if (one.at("path").as_string() == path) return std::string(one.at("reason").as_string());
    }
    return std::string("not listed");
  };
  EXPECT_EQ(reason_of(file), "a file for Windows on x86-64");
  EXPECT_EQ(reason_of(named), "a file for Windows on x86-64");
  EXPECT_EQ(reason_of(library), "no name that ends with .so");
}

TEST_F(DllCommand, ResolveSaysWhyADllIsNotUsed) {
  place("rich", "clocks.dll");
  const Outcome run = tenon({"resolve", "me.example/clock"});
  EXPECT_EQ(run.exit, 1) << run.out;
  EXPECT_NE(run.err.find("a file for Windows on x86-64"), std::string::npos) << run.err;
}

TEST_F(DllCommand, VerifyAndCallLoadNoDll) {
  place("rich", "clocks.dll");
  const Outcome verified = tenon({"verify", "plugins/clocks.dll"});
  EXPECT_EQ(verified.exit, 1) << verified.out;
  EXPECT_NE(verified.err.find("error[wrong-architecture] plugins/clocks.dll\n"), std::string::npos)
      << verified.err;
  const Outcome called = tenon({"call", "--specs", SPECS, "plugins/clocks.dll", "read", "{}"});
  EXPECT_EQ(called.exit, 1) << called.out;
  EXPECT_NE(called.err.find("error[wrong-architecture] "), std::string::npos) << called.err;
}

}}  // namespace tenon::tests
