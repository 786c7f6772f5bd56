// SPDX-License-Identifier: BSL-1.0
//
// Copies the content of a file in the cheapest way that the file systems support.
#pragma once

#include <tenon/sdk/call.hpp>

#include <sys/types.h>

#include <string>

namespace tenon::builtin {

/// Copies the first `size` bytes of a file into one that is empty: shares the blocks (reflink), or
/// lets the system copy, or reads and writes. Holes stay holes. Ends early at the end of the file.
/// `path` names the source in messages. Throws sdk::Failure, also if the call is cancelled.
void copy_file(sdk::Call call, int from, int to, off_t size, const std::string& path);

}  // namespace tenon::builtin
