// SPDX-License-Identifier: BSL-1.0
//
// What the file source and the file destination agree on.
#pragma once

#include <tenon/sdk/config.hpp>

#include <string>

namespace tenon::builtin {

enum class FileFormat { json_lines, csv };

/// From the parameter `format`, or else from the extension of the path. Throws sdk::Failure.
FileFormat file_format(const sdk::Config& config, const std::string& path);

}  // namespace tenon::builtin
