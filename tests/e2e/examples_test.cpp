// SPDX-License-Identifier: BSL-1.0
//
// The examples in the help of the commands, which the manual page contains, are valid. TENON is the
// command.
#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

/// Returns a line of a manual page without the escapes of troff.
std::string plain(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      text += line[i];
    } else if (++i < line.size()) {
      text += line[i] == 'e' ? '\\' : line[i];
    }
  }
  return text;
}

/// Returns the examples by command.
std::map<std::string, std::vector<std::string>> examples_in(const std::string& page) {
  constexpr std::string_view begin = "  tenon ";
  std::map<std::string, std::vector<std::string>> examples;
  std::istringstream lines(page);
  std::string command;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(".SS ")) examples[command = plain(line.substr(4))];
    if (line.starts_with(begin)) examples[command].push_back(plain(line.substr(2)));
  }
  return examples;
}

TEST(Examples, OfEachCommandAreValid) {
  World world("photo");
  const std::string directory = fs::path(TENON).parent_path().string();
  const Outcome page = world.run({TENON, "--generate", "manual"});
  const auto commands = examples_in(page.out);
  EXPECT_GT(commands.size(), 15U);
  for (const auto& [command, lines] : commands) {
    if (command == "tenon abi") continue;  // has commands of its own
    EXPECT_FALSE(lines.empty()) << command;
    for (const std::string& line : lines) {
      EXPECT_TRUE(line.starts_with(command + " ") || line == command) << line;
      const Outcome run =
          world.run({"sh", "-c", "PATH=" + directory + ":$PATH; LAST=50; export LAST; " + line});
      EXPECT_NE(run.exit, 2) << line << "\n" << run.err;  // usage error
      EXPECT_NE(run.exit, 127) << line << "\n" << run.err;
    }
  }
}

/// The page contains the help of commands; lines are not joined.
TEST(Examples, AreInTheHelp) {
  const World world("photo");
  const Outcome run = world.run({TENON, "help", "lock"});
  EXPECT_NE(run.out.find("\nExamples:\n  tenon lock -a photo\n  tenon lock -a photo --check\n"),
            std::string::npos)
      << run.out;
}

}}  // namespace tenon::tests
