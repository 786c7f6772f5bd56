// SPDX-License-Identifier: BSL-1.0
#include "file_format.hpp"

#include <string_view>

namespace tenon::builtin {
namespace {

std::string_view extension(std::string_view path) {
  std::size_t dot = path.rfind('.');
  std::size_t slash = path.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && slash > dot)) return {};
  return path.substr(dot);
}

}  // namespace

FileFormat file_format(const sdk::Config& config, const std::string& path) {
  std::string name = config.get("format", "");
  if (name == "json-lines") return FileFormat::json_lines;
  if (name == "csv") return FileFormat::csv;
  if (!name.empty()) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"format\" is \"", name,
                       "\", expected json-lines or csv");
  }
  std::string_view end = extension(path);
  if (end == ".jsonl" || end == ".ndjson" || end == ".json") return FileFormat::json_lines;
  if (end == ".csv") return FileFormat::csv;
  throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"format\" is required: the name \"", path,
                     "\" has no extension of json-lines or csv");
}

}  // namespace tenon::builtin
