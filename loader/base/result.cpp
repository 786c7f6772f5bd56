// SPDX-License-Identifier: BSL-1.0
#include <tenon/result.hpp>

#include <iterator>
#include <utility>

#include "base/plain_text.hpp"

namespace tenon { inline namespace v0_1 {
namespace {

/// Indents the lines of a text, so that none looks like a line of the error itself.
std::string indented(std::string_view text) {
  std::string lines;
  for (;;) {
    const auto end = text.find('\n');
    lines += escaped_for_display(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    lines += "\n           ";
    text.remove_prefix(end + 1);
  }
}

bool is_status(tenon_status status) {
  constexpr tenon_status flags = TENON_RETRYABLE | TENON_FATAL | TENON_RESTARTED;
  const tenon_status code = status & ~flags;
  if (code == TENON_OK) return status == TENON_OK;
  return (code > TENON_OK && code <= TENON_UNAUTHENTICATED) || code == TENON_CRASHED;
}

/// Returns the number of a status that is not defined; empty otherwise.
std::string number_of(tenon_status status) {
  return is_status(status) ? "" : " (status " + std::to_string(status) + ")";
}

}  // namespace

std::string_view status_word(tenon_status status) noexcept {
  constexpr std::string_view words[] = {"ok",
                                        "cancelled",
                                        "unknown",
                                        "invalid-argument",
                                        "deadline-exceeded",
                                        "not-found",
                                        "already-exists",
                                        "permission-denied",
                                        "resource-exhausted",
                                        "failed-precondition",
                                        "aborted",
                                        "out-of-range",
                                        "unimplemented",
                                        "internal",
                                        "unavailable",
                                        "data-loss",
                                        "unauthenticated"};
  if (TENON_CODE(status) == TENON_CRASHED) return "crashed";
  const auto code = static_cast<std::size_t>(TENON_CODE(status));
  return code < std::size(words) ? words[code] : words[TENON_UNKNOWN];
}

std::string status_text(tenon_status status) {
  return std::string(status_word(status)) + number_of(status);
}

std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::error:
      break;
    case Severity::warning:
      return "warning";
    case Severity::note:
      return "note";
  }
  return "error";
}

void detail::throw_bad_result(const Error& error) {
  throw BadResult(error);
}

Error::Error(ErrorDetails details) : details_(new ErrorDetails(std::move(details))) {
  if (details_->code.empty()) details_->code = status_word(details_->status);
}

Error::Error(const Error& other)
    : details_(other.details_ ? new ErrorDetails(*other.details_) : nullptr) {}

void Error::Delete::operator()(ErrorDetails* details) const noexcept {
  delete details;
}

std::string Error::to_string() const {
  return status() != 0 ? call_text() : problem_text();
}

std::string Error::call_text() const {
  // A plugin that only forwards an error has no message of its own.
  const std::string_view own = cause().ends_with(message()) ? std::string_view() : message();
  const std::string word = std::string(code()) + number_of(status());
  std::string line;
  for (std::string_view part : {plugin(), method(), where(), std::string_view(word), own}) {
    if (part.empty()) continue;
    if (!line.empty()) line += ": ";
    line += escaped_for_display(part);
  }
  if (retryable()) line += " (retryable)";
  if (fatal()) line += " (fatal)";
  if (restarted()) line += " (restarted)";
  if (!cause().empty()) line.append("; behind it ").append(escaped_for_display(cause()));
  return line;
}

std::string Error::problem_text() const {
  std::string lines(tenon::to_string(severity()));
  lines.append("[").append(escaped_for_display(code())).append("]");
  if (!where().empty()) lines.append(" ").append(escaped_for_display(where()));
  if (!message().empty()) lines.append(where().empty() ? " " : ": ").append(indented(message()));
  const auto add = [&lines](std::string_view label, std::string_view text) {
    if (!text.empty()) lines.append("\n   ").append(label).append(indented(text));
  };
  add("found   ", found());
  add("needed  ", needed());
  add("fix     ", fix());
  return lines;
}

}}  // namespace tenon::v0_1
