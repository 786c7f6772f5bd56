// SPDX-License-Identifier: BSL-1.0
//
// The files of the projects that `tenon new` makes: those below tools/tenon/new.
#pragma once

#include <span>
#include <string_view>

namespace tenon::command {

/// The words of the directory say to which projects a template belongs: those in
/// "plugin-cmake-c" to plugins in C that CMake builds. The rest of the path is that in the project.
struct Template {
  std::string_view path;  // eg: "plugin-cmake-c/CMakeLists.txt"
  std::string_view text;
};

std::span<const Template> templates() noexcept;

}  // namespace tenon::command
