// SPDX-License-Identifier: BSL-1.0
#include "report.hpp"

#include <string_view>

#include "archive_path.hpp"
#include "common/hidden_values.hpp"

namespace backup {
namespace {

constexpr std::size_t max_kept = 10'000;
constexpr std::uint64_t max_shown = 20;
/// Of one text of a problem, in bytes. Plugins may report texts of any size, and all problems must
/// fit into a record: ten texts of this size for each are 205 MB, unless many of their characters
/// are escaped.
constexpr std::size_t max_text = 2048;

/// Returns at most `max_text` bytes of a text without hidden values, and "…" if it was longer.
std::string shortened(std::string_view unsafe) {
  std::string text = tenon::tools::without_hidden_values(unsafe);
  if (text.size() <= max_text) return text;
  std::size_t size = max_text;
  while (size != 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size) + "…";
}

tenon::ProblemV1 problem_of(const tenon::Error& error, const std::string& item, bool warning) {
  tenon::ProblemV1 problem;
  problem.code = shortened(error.code());
  std::string_view separator;
  for (const std::string_view part : {error.where(), error.message(), error.cause()}) {
    if (part.empty()) continue;
    problem.message.append(separator).append(shortened(part));
    separator = ": ";
  }
  if (!error.found().empty()) problem.message.append("; found ").append(shortened(error.found()));
  if (!error.needed().empty())
    problem.message.append("; needed ").append(shortened(error.needed()));
  problem.item = shortened(item);
  problem.plugin = shortened(error.plugin());
  problem.method = shortened(error.method());
  problem.warning = warning;
  problem.fix = shortened(error.fix());
  return problem;
}

}  // namespace

void Report::error(const tenon::Error& error, const tenon::ResourceIdV1& item) {
  add(error, id_text(item), false);
}

void Report::warning(const tenon::Error& error, const tenon::ResourceIdV1& item) {
  add(error, id_text(item), true);
}

void Report::add(const tenon::Error& error, const std::string& item, bool warning) {
  ++(warning ? warnings_ : errors_);
  if (!warning && host_ != nullptr) {
    failed_.add(1);
    host_->set_health({}, error.to_string());
  }
  const std::uint64_t number = errors_ + warnings_;
  if (number > max_kept) return;
  problems_.push_back(problem_of(error, item, warning));
  if (number <= max_shown) console_.say(to_text(problems_.back()));
  if (number == max_shown + 1) {
    console_.say("further problems are not printed; --json lists them");
  }
}

std::string to_text(const tenon::Error& error) {
  std::string text = error.to_string();
  // The texts of other errors have a fix already.
  if (error.status() != 0 && !error.fix().empty()) {
    text.append("\n   fix     ").append(error.fix());
  }
  return text;
}

std::string to_text(const tenon::ProblemV1& problem) {
  std::string text = (problem.warning ? "warning[" : "error[") + problem.code + "]";
  for (const std::string* part : {&problem.item, &problem.plugin, &problem.method}) {
    if (!part->empty()) text.append(" ").append(*part).append(":");
  }
  text.append(" ").append(problem.message);
  if (!problem.fix.empty()) text.append("\n   fix     ").append(problem.fix);
  return text;
}

}  // namespace backup
