// SPDX-License-Identifier: BSL-1.0
//
// Valid and invalid names of plugins, for tests that register them and tests that look them up.
#pragma once

#include <string>
#include <vector>

namespace tenon::tests {

struct PluginName {
  std::string name;
  bool good;
};

inline const std::vector<PluginName>& plugin_names() {
  using namespace std::string_literals;
  static const std::vector<PluginName> all = {
      {"a/b", true},
      {"me.example/blur", true},
      {"1.2/3", true},
      {"a-b.c--d/e", true},
      {"a/B_c", true},
      {"a/-", true},
      {"a/..", true},
      {R"(a/!"#$%&'()*+,-.;<=>?[\]^_`{|}~)", true},
      {std::string(63, 'a') + ".b/c", true},
      {std::string(64, 'a') + ".b/c", true},  // only the whole name has a limit
      {std::string(253, 'a') + "/b", true},
      {"a/" + std::string(253, 'b'), true},
      {std::string(254, 'a') + "/b", false},
      {"a/" + std::string(254, 'b'), false},
      {"", false},
      {"/", false},
      {"a/", false},
      {"/b", false},
      {"a/b/c", false},
      {"a//b", false},
      {"/a/b", false},
      {"a/b/", false},
      {"A/b", false},
      {"a.exAmple/b", false},
      {"a_b/c", false},
      {"-a/b", false},
      {"a-/b", false},
      {"a.-b/c", false},
      {"a-.b/c", false},
      {".a/b", false},
      {"a./b", false},
      {"a..b/c", false},
      {"*/b", false},
      {"a/b@", false},
      {"a/@b", false},
      {"a/b@1.2.3", false},
      {"a/b:c", false},
      {"a/:", false},
      {"a/builtin:c@^1", false},
      {"a:b/c", false},
      {"a@b/c", false},
      {"\u00fc/b", false},
      {" a/b", false},
      {"a /b", false},
      {"a/ b", false},
      {"a/b c", false},
      {"a/b ", false},
      {"a/b\t", false},
      {"a/b\n", false},
      {"a/b\x01", false},
      {"a/b\x7f", false},
      {"a/b\0"s, false},
      {"a/\u00fc", false},
  };
  return all;
}

}  // namespace tenon::tests
