// SPDX-License-Identifier: BSL-1.0
//
// What the dynamic loader of this system accepts, apart from the format of files.
#pragma once

#include <boost/dll/shared_library_load_mode.hpp>

#include <cstdint>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns the levels of its machine that this processor has, a bit each: x86-64, x86-64-v2 and so
/// on. A system that does not compare them has all levels.
std::uint32_t processor_levels() noexcept;

/// Returns whether a file that needs an executable stack is refused: by glibc 2.41 and newer, if
/// the program of this process does not need one.
bool refuses_executable_stacks() noexcept;

/// Returns how modules are loaded: with all symbols resolved. On Windows, the libraries that a
/// module needs are searched in its own directory, that of the program and that of the system.
boost::dll::load_mode::type load_mode() noexcept;

}}}  // namespace tenon::v0_1::platform
