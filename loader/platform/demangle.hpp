// SPDX-License-Identifier: BSL-1.0
//
// Readable names of C++ symbols.
#pragma once

#include <string>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns the readable form of a mangled name; the name itself if it cannot be demangled.
std::string demangled(const std::string& name);

}}}  // namespace tenon::v0_1::platform
