// SPDX-License-Identifier: BSL-1.0
//
// Generates the texts of an SDK package, which authors of plugins download instead of tenon: its
// README, and its packages for CMake and pkg-config.
#pragma once

#include <string>

#include "gen/model/model.hpp"

namespace tenon::gen {

struct SdkPackage {
  std::string app;      // as in HostOptions::app, eg: "photo"
  std::string target;   // the CMake target of the kinds, eg: "photo_kinds"
  std::string version;  // of the program, eg: "1.4.0"

  /// Returns its name for find_package and pkg-config, eg: "photo-sdk".
  std::string name() const { return app + "-sdk"; }

  /// Returns the app's part of the names of environment variables, eg: "PHOTO".
  std::string variable() const;

  /// Returns the name of the crate of the kinds, eg: "photo_kinds".
  std::string rust_crate() const;
};

/// Returns the README, which describes the kinds and how to build a plugin.
std::string emit_sdk_readme(const Model& model, const SdkPackage& package);

/// Return the files that find_package reads. They expect tenonPlugin.cmake beside them, and are
/// three directories below the prefix.
std::string emit_cmake_config(const SdkPackage& package);
std::string emit_cmake_version(const SdkPackage& package);

/// Returns the file for pkg-config, two directories below the prefix. `tenon new` reads its
/// variables `app` and `kinds`, the CMake target.
std::string emit_pkgconfig(const SdkPackage& package);

}  // namespace tenon::gen
