// SPDX-License-Identifier: BSL-1.0
//
// Generates small plugins of a kind, from which authors start. They implement the required methods,
// or else the first one, and return values that are 0, empty or absent.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

struct ExamplePlugin {
  const Kind& kind;
  std::string name;     // of the plugin and its package, eg: "me.example/blur"
  std::string version;  // of the package, eg: "0.1.0"
};

/// Returns the version for new plugins: the newest one that is not a draft, if there is one.
const KindVersion& recommended(const Kind& kind);

/// Return the source of the plugin.
std::string example_in_c(const ExamplePlugin& plugin);
std::string example_in_cpp(const ExamplePlugin& plugin);
/// `crate` is that of the bindings of the kind, eg: "photo_kinds".
std::string example_in_rust(const ExamplePlugin& plugin, const std::string& crate);

/// Returns a program in C++ that creates the plugin in a host. PLUGIN is the path of the module.
std::string example_test(const ExamplePlugin& plugin);

}  // namespace tenon::gen
