// SPDX-License-Identifier: BSL-1.0
//
// The formats that the file source and the file destination share.
#pragma once

#include <tenon/sdk/config.hpp>

#include <string>

namespace tenon::builtin {

enum class FileFormat { json_lines, csv };

/// Returns the format from the parameter `format`, otherwise from the extension of the path. Throws
/// sdk::Failure.
FileFormat file_format(const sdk::Config& config, const std::string& path);

}  // namespace tenon::builtin
