// SPDX-License-Identifier: BSL-1.0
//
// Finds constructors that change the floating-point modes of the thread, without loading the file.
#pragma once

#include <tenon/result.hpp>

#include <filesystem>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// Returns a warning changes-float-modes for each function of a library that the dynamic loader
/// calls when it loads it, and that begins with instructions that set the modes, as that of -Ofast
/// does. Changes further on, by functions that it calls, or of the x87 unit are not found: a host
/// reports them when it loads the library. Nothing if the file cannot be read, or is no library for
/// this machine.
std::vector<Error> float_mode_changes(const std::filesystem::path& library);

}}}  // namespace tenon::v0_1::detail
