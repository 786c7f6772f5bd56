// SPDX-License-Identifier: BSL-1.0
//
// Files in a good format that the dynamic loader of this system, or of another one, refuses.
#pragma once

#include <tenon/result.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "binary/bundle.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Remedies for each reason.
inline constexpr std::string_view remedy_for_no_dlopen = "link the plugin without -z nodlopen";
inline constexpr std::string_view remedy_for_processor =
    "build the plugin for the processors that it runs on, eg: with -march=x86-64-v2";
inline constexpr std::string_view remedy_for_executable_stack =
    "link the plugin with -z noexecstack, and give its assembly a section .note.GNU-stack";
inline constexpr std::string_view remedy_for_no_default_directories =
    "link the plugin without -z nodefaultlib, or with a run path that leads to the library";

/// Returns why this process cannot load the files: load-failed, executable-stack. The latter is
/// only a warning if other systems refuse them. Any thread.
std::vector<Error> refusals(const Bundle& bundle);

/// Returns the highest level of the machine that a file of the bundle needs, eg: "x86-64-v3"; empty
/// if none states one.
std::string needed_processor(const Bundle& bundle);

}}}  // namespace tenon::v0_1::detail
