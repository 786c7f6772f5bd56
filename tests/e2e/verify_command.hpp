// SPDX-License-Identifier: BSL-1.0
//
// The command `tenon verify`. TENON is the program, WRONG the directory of modules that are named
// after their faults, MODULES that of packages that require each other, ABI and SPECS those of the
// specs of the standard kinds and of the tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "framework/world.hpp"

namespace tenon::tests {

/// Returns a path with its drive on Windows, and with slashes: the worlds may be on another one.
inline std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).generic_string();
}

class VerifyCommand : public testing::Test {
 protected:
  VerifyCommand() {
    world_.write("numbers.json", R"([{"kind": "tenon.dev/source", "plugin": "test.example/numbers",
                                      "config": {"count": "30"}}])");
  }

  /// Returns a copy of a module with a fault. The directory of the build may be one that others may
  /// change.
  std::string wrong(const std::string& fault) const {
    const std::string file = "wrong/" + fault + ".so";
    std::filesystem::copy_file(module_file(WRONG "/" + fault + ".so"), world_.path(file),
                               std::filesystem::copy_options::skip_existing);
    return (world_.root() / file).generic_string();
  }
  Outcome verify(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "verify"});
    return world_.run_portably(arguments);
  }
  /// Runs with the specs of the kinds of tests.
  Outcome verify_echo(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--specs", specs_});
    return verify(std::move(arguments));
  }
  Outcome verify_as_json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {TENON, "verify", "--json"});
    return world_.run_portably(arguments, true);
  }
  Outcome verify_echo_as_json(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--specs", specs_});
    return verify_as_json(std::move(arguments));
  }
  /// Places a copy of a module in which one function has a fault, see tests/faults/unruly.cpp.
  /// Returns its path.
  std::string plant(const std::string& function, const std::string& fault) const {
    const std::string directory = "planted/" + function + "/" + fault;
    world_.write(directory + "/fault", function + "\n" + fault + "\n");
    const auto path = world_.path(directory + "/unruly.so");
    std::filesystem::copy_file(module_file(WRONG "/unruly-planted.so"), path);
    return (world_.root() / directory / "unruly.so").generic_string();
  }
  static std::string last_line(const std::string& text) {
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  }
  /// Returns the line of a case, without the padding of its columns.
  static std::string line_of(const std::string& text, const std::string& kind,
                             const std::string& name) {
    std::string all = text;
    for (std::size_t at = 0; (at = all.find("   ", at)) != std::string::npos;) all.erase(at, 1);
    const std::string begin = kind + "  test.example/numbers  " + name;
    const std::size_t at = all.find(begin);
    return at == std::string::npos ? all : all.substr(at, all.find('\n', at) - at);
  }

  World world_{"tenon"};
  const std::string specs_ = absolute(SPECS "/echo");  // of the kinds of tests
};

}  // namespace tenon::tests
