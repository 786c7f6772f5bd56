// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit_sdk_package.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "gen/emit/cpp_names.hpp"
#include "gen/emit/emit_example.hpp"

namespace tenon::gen {
namespace {

int unchanged(int c) {
  return c;
}

std::string identifier(std::string name, int (*convert)(int)) {
  std::transform(name.begin(), name.end(), name.begin(), [convert](unsigned char c) {
    return static_cast<char>(std::isalnum(c) ? convert(c) : '_');
  });
  return name;
}

/// Replaces @APP@, @APP_VARIABLE@, @CRATE@, @SDK@, @SDK_VARIABLE@, @TARGET@ and @VERSION@.
std::string filled(std::string text, const SdkPackage& package) {
  const std::pair<std::string_view, std::string> values[] = {
      {"@APP@", package.app},
      {"@APP_VARIABLE@", package.variable()},
      {"@CRATE@", package.rust_crate()},
      {"@SDK@", package.name()},
      {"@SDK_VARIABLE@", identifier(package.name(), unchanged)},
      {"@TARGET@", package.target},
      {"@VERSION@", package.version}};
  for (const auto& [name, value] : values) {
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + value.size())) {
      text.replace(at, name.size(), value);
    }
  }
  return text;
}

/// Returns a text for a cell of a table in Markdown.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string row(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += " " + cell(each) + " |";
  return text + "\n";
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string stage(const Life& life) {
  switch (life.stage) {
    case Life::Stage::draft:
      return "draft: may still change";
    case Life::Stage::released:
      return "released with " + life.version + " on " + life.date;
    case Life::Stage::deprecated:
      return "deprecated: " + life.message;
    case Life::Stage::removed:
      return "removed: " + life.message;
  }
  return {};
}

/// Returns the kind for the example: one of the app's own, if there is one.
const Kind& example_kind(const Model& model) {
  const auto own = std::find_if(model.kinds.begin(), model.kinds.end(),
                                [](const auto& kind) { return !kind->standard; });
  return own != model.kinds.end() ? **own : *model.kinds.front();
}

std::string describe(const Kind& kind) {
  const KindVersion& version = recommended(kind);
  std::string text = "### " + kind.id + "\n\n" + version.doc + "\n\n";
  text += "| version | state | C++ class | C header |\n|---|---|---|---|\n";
  for (const auto& each : kind.versions) {
    text += row({std::to_string(each->number), stage(each->life),
                 code(kind.space + "::sdk::" + local_name(*each)), code("<" + each->header + ">")});
  }
  text += "\nMethods of version " + std::to_string(version.number) + ":\n\n";
  text += "| method | what it does |\n|---|---|\n";
  for (const Method& method : version.methods) {
    text += row({code(method.name) + (method.required ? " (required)" : ""), method.doc});
  }
  if (!version.properties.empty()) {
    text += "\nProperties in the manifest:\n\n| property | type | meaning |\n|---|---|---|\n";
    for (const Property& property : version.properties) {
      text += row({code(property.name), to_text(property.type), property.doc});
    }
  }
  return text + "\n";
}

constexpr const char* introduction = R"(# SDK for plugins of @APP@ @VERSION@

These files are enough to write a plugin of @APP@ in C11, C++17, Rust or another language that can call C.
tenon need not be installed.

| directory | contents |
|---|---|
| `include/` | C headers of each version, and base classes in C++ |
| `share/cmake/@SDK@/` | the CMake package, and the export map `plugin.map` |
| `share/pkgconfig/` | the file for pkg-config and Meson |
| `share/@SDK@/rust/` | a crate for plugins in Rust, and the bindings of the kinds |
| `share/@APP@/tenon/specs/` | the specs of the kinds |

## A plugin

`example.cpp`:

```cpp
)";

constexpr const char* building = R"(```

Methods that are not overridden return `unimplemented`. An exception of a method becomes an error of
that call.

## Build with CMake

`CMakeLists.txt`:

```cmake
cmake_minimum_required(VERSION 3.21)
project(example LANGUAGES C CXX)

find_package(@SDK@ REQUIRED)
tenon_add_plugin(example example.cpp KINDS @TARGET@)
```

```sh
cmake -S . -B build -DCMAKE_PREFIX_PATH="$SDK"
cmake --build build
```

`$SDK` is the directory that contains `include` and `share`.

## Build with Meson

`meson.build`:

```meson
project('example', 'c', 'cpp', default_options: 'cpp_std=c++17')

shared_module('example', 'example.cpp', dependencies: dependency('@SDK@'), gnu_symbol_visibility: 'hidden')
```

```sh
PKG_CONFIG_PATH="$SDK/share/pkgconfig" meson setup build
meson compile -C build
```

## Build by hand

```sh
c++ -std=c++17 -shared -fPIC -fvisibility=hidden -I"$SDK/include" example.cpp \
  -Wl,--version-script="$SDK/share/cmake/@SDK@/plugin.map" -o libexample.so
```

## Test

With tenon installed, `tenon new plugin me.example/blur --sdk "$SDK"` makes a project with a test, in C, C++ or
Rust, for CMake or Meson. A test creates the plugin in a host and calls its methods. It is a program in C++20,
with a `main` or with GoogleTest. `example_test.cpp`:

```cpp
@TEST@```

```cmake
cmake_minimum_required(VERSION 3.21)
project(example LANGUAGES C CXX)
enable_testing()

find_package(@SDK@ REQUIRED COMPONENTS testing)
tenon_add_plugin(example example.cpp KINDS @TARGET@)
tenon_add_plugin_test(example_test example_test.cpp PLUGIN example KINDS @TARGET@)
```

```sh
cmake -S . -B build -DCMAKE_PREFIX_PATH="$SDK"
cmake --build build
ctest --test-dir build
```

Add the directory of tenon to `CMAKE_PREFIX_PATH`, after a `;`, if CMake does not find it. With
`OPTIONAL_COMPONENTS testing` and `if(@SDK@_testing_FOUND)` the plugin is also built where tenon is not
installed. The functions of tests are in `tenon/sdk/testing.hpp`; `tenon verify` finds faults of plugins
without a test.

## Rust

The bindings of the kinds have a trait for each version. They are the crate `@CRATE@`, and need the crate
`tenon`, whose `lib.rs` and `plugin.rs` say how a plugin implements a trait, and rustc 1.63 or newer:

```sh
crates="$SDK/share/@SDK@/rust"
rustc --edition 2021 -O --crate-type rlib --crate-name tenon "$crates/tenon/lib.rs"
rustc --edition 2021 -O --crate-type rlib -L . --extern tenon "$crates/@CRATE@.rs"
rustc --edition 2021 -O --crate-type cdylib -L . --extern tenon --extern @CRATE@ example.rs -o libexample.so
```

## Install

@APP@ searches plugins in these places, in this order: the directories and files in `$@APP_VARIABLE@_PLUGIN_PATH`,
`~/.local/lib/@APP@/plugins`, `/usr/local/lib/@APP@/plugins`, `/usr/lib/@APP@/plugins`. With tenon
installed, `tenon inspect libexample.so` shows what is in a plugin without running its code, and
`tenon list -a @APP@` lists the plugins that @APP@ finds.

## Kinds

)";

}  // namespace

std::string SdkPackage::variable() const {
  return identifier(app, std::toupper);
}

std::string SdkPackage::rust_crate() const {
  return identifier(target, unchanged);
}

std::string emit_sdk_readme(const Model& model, const SdkPackage& package) {
  const ExamplePlugin example{example_kind(model), package.app + ".example/example", "1.0.0"};
  std::string text = filled(introduction, package);
  text += example_in_cpp(example);
  std::string rest = filled(building, package);
  constexpr std::string_view test = "@TEST@";
  text += rest.replace(rest.find(test), test.size(), example_test(example));
  for (const auto& kind : model.kinds) text += describe(*kind);
  text.pop_back();
  return text;
}

std::string emit_cmake_config(const SdkPackage& package) {
  return filled(R"(# Generated by tenon-gen. Do not edit.
#
# find_package(@SDK@) defines the target @TARGET@, which contains the kinds of @APP@, and the
# function tenon_add_plugin (see tenonPlugin.cmake):
#
#   tenon_add_plugin(example example.cpp KINDS @TARGET@)
#
# With the component `testing` it also finds tenon, which tests of plugins need.
get_filename_component(@SDK_VARIABLE@_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(@SDK@_RUST_DIR "${@SDK_VARIABLE@_PREFIX}/share/@SDK@/rust") # the crates for plugins in Rust
foreach(target IN ITEMS tenon::sdk @TARGET@)
  if(NOT TARGET ${target})
    add_library(${target} INTERFACE IMPORTED)
    set_target_properties(${target} PROPERTIES
      INTERFACE_INCLUDE_DIRECTORIES "${@SDK_VARIABLE@_PREFIX}/include"
      TENON_INCLUDE "${@SDK_VARIABLE@_PREFIX}/include"
      TENON_SPECS "${@SDK_VARIABLE@_PREFIX}/share/@APP@/tenon/specs")
  endif()
endforeach()
foreach(component IN LISTS @SDK@_FIND_COMPONENTS)
  set(@SDK@_${component}_FOUND FALSE)
  if(component STREQUAL "testing")
    find_package(tenon QUIET)
    set(@SDK@_testing_FOUND ${tenon_FOUND})
    set(reason "the component testing needs tenon, which was not found; add its prefix to "
      "CMAKE_PREFIX_PATH")
  else()
    set(reason "@SDK@ has no component '${component}'; it has: testing")
  endif()
  if(@SDK@_FIND_REQUIRED_${component} AND NOT @SDK@_${component}_FOUND)
    set(@SDK@_FOUND FALSE)
    string(CONCAT @SDK@_NOT_FOUND_MESSAGE ${reason})
  endif()
endforeach()
include("${CMAKE_CURRENT_LIST_DIR}/tenonPlugin.cmake")
)",
                package);
}

std::string emit_cmake_version(const SdkPackage& package) {
  return filled(R"(# Generated by tenon-gen. Do not edit.
#
# A newer SDK contains the versions of the kinds that an older one had.
set(PACKAGE_VERSION "@VERSION@")
if(NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()
)",
                package);
}

std::string emit_pkgconfig(const SdkPackage& package) {
  return filled(R"(prefix=${pcfiledir}/../..
plugin_map=${prefix}/share/cmake/@SDK@/plugin.map
specs=${prefix}/share/@APP@/tenon/specs
rust=${prefix}/share/@SDK@/rust
app=@APP@
kinds=@TARGET@

Name: @SDK@
Description: Headers and the export map for plugins of @APP@
Version: @VERSION@
Cflags: -I${prefix}/include
Libs: -Wl,--version-script=${plugin_map}
)",
                package);
}

}  // namespace tenon::gen
