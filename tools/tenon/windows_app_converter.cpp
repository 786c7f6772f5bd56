// SPDX-License-Identifier: BSL-1.0
//
// The converters of apps are not run on Windows.
#include <utility>

#include "app_converter.hpp"

namespace tenon::command {

class AppConverter::Process {};

AppConverter::AppConverter(std::filesystem::path program, std::chrono::milliseconds limit)
    : program_(std::move(program)), limit_(limit) {}

AppConverter::~AppConverter() = default;

Result<std::string_view> AppConverter::convert(std::string_view, const DocumentReadOptions&) {
  return failed("Windows, where tenon does not run it");
}

Error AppConverter::failed(std::string why) {
  return Error({.code = "converter-failed",
                .message = "the converter of the app failed",
                .where = program_.string(),
                .found = std::move(why),
                .needed = "a document type without hand-written steps of the app",
                .fix = "convert the document on Linux"});
}

}  // namespace tenon::command
