// SPDX-License-Identifier: BSL-1.0
#include "app_converter.hpp"

#include <optional>
#include <utility>

namespace tenon::command {
namespace {

std::optional<json::Reader> member_of(const json::Reader& object, std::string_view name) {
  for (const auto& [key, value] : object.members()) {
    if (key == name) return value;
  }
  return std::nullopt;
}

/// Returns an empty text if there is no such member.
std::string text_member(const json::Reader& object, std::string_view name) {
  const auto member = member_of(object, name);
  std::string_view text;
  if (member && member->form() == json::Form::text) member->read(text);
  return std::string(text);
}

std::string request_for(std::string_view text, const DocumentReadOptions& options) {
  json::Writer out;
  out.begin_object();
  const auto write = [&out](std::string_view name, std::string_view value) {
    out.key(name);
    out.text(value);
  };
  write("document", text);
  write("type", options.type);
  write("from", options.from);
  write("to", options.to);
  out.key("lenient");
  out.boolean(options.lenient);
  out.end_object();
  return out.take() += '\n';
}

}  // namespace

AppConverter::AppConverter(std::filesystem::path program, std::chrono::milliseconds limit)
    : program_(std::move(program)), limit_(limit) {}

Result<std::string_view> AppConverter::convert(std::string_view text,
                                               const DocumentReadOptions& options) {
  if (given_up_) return *given_up_;
  if (!process_) {
    process_ = std::make_unique<ConverterProcess>(limit_);
    if (std::string why = process_->start(program_); !why.empty()) {
      return failed(std::move(why));
    }
  }
  if (std::string why = process_->request(request_for(text, options), response_); !why.empty()) {
    return failed(std::move(why));
  }
  const Result<json::Reader> response = parser_.parse(response_);
  if (!response) return failed("its response is not JSON: " + response_.substr(0, 80));
  const auto error = member_of(*response, "error");
  if (std::string code = error ? text_member(*error, "code") : ""; !code.empty()) {
    return Error({.code = std::move(code),
                  .message = text_member(*error, "message"),
                  .where = text_member(*error, "where"),
                  .found = text_member(*error, "found"),
                  .needed = text_member(*error, "needed"),
                  .fix = text_member(*error, "fix")});
  }
  const auto document = member_of(*response, "document");
  std::string_view converted;
  if (!document || !document->read(converted)) {
    return failed("its response is neither a document nor an error: " + response_.substr(0, 80));
  }
  return converted;
}

Error AppConverter::failed(std::string why) {
  process_->stop();
  const bool was_killed = process_->was_killed();
  process_.reset();
  Error error({.code = "converter-failed",
               .message = "the converter of the app failed",
               .where = program_.string(),
               .found = std::move(why),
               .needed = "a converted document or an error",
               .fix = "reinstall the app, or report this to its authors"});
  if (was_killed) given_up_ = error;
  return error;
}

}  // namespace tenon::command
