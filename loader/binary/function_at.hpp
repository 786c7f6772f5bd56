// SPDX-License-Identifier: BSL-1.0
//
// Names of functions that a module does not export: from the table of symbols that lies in files
// that were not stripped.
#pragma once

#include <cstdint>
#include <string>

namespace tenon {

class ByteSource;

/// The function of an ELF file that an address lies in, and how far behind its beginning, eg:
/// "blur_row+0x1f"; a function of C++ with its parameters. Empty where the file does not tell.
std::string function_at(ByteSource& source, std::uint64_t address);

/// eg: "0x1f"
std::string hexadecimal(std::uint64_t number);

}  // namespace tenon
