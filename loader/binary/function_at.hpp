// SPDX-License-Identifier: BSL-1.0
//
// Finds names of functions that a module does not export, in the symbol table of files that are not
// stripped.
#pragma once

#include <cstdint>
#include <string>

namespace tenon { inline namespace v0_1 { namespace detail {

class ByteSource;

/// Returns the function of an ELF file that contains an address, and the offset in it, eg:
/// "blur_row+0x1f". C++ functions have their parameters. Empty if the file has no such symbol.
std::string function_at(ByteSource& source, std::uint64_t address);

/// Returns a number in hexadecimal digits, eg: "0x1f".
std::string hexadecimal(std::uint64_t number);

}}}  // namespace tenon::v0_1::detail
