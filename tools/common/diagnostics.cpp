// SPDX-License-Identifier: BSL-1.0
#include "common/diagnostics.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/plain_text.hpp"

namespace tenon::tools {
namespace {

/// Limits the time for the search of a similar word, which is linear in the known words.
constexpr std::size_t most_known = 1000;
/// Limits the length of an enumeration.
constexpr std::size_t most_shown = 60;

/// Returns the optimal string alignment distance: the number of characters to add, remove, replace,
/// or swap with their neighbour; at most `limit`.
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  std::size_t least = 0;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    const std::size_t least_before = least;
    least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    // A swap depends on the last two rows.
    if (std::min(least, least_before) >= limit) return limit;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string to_text(const SourceLocation& location) {
  std::string text = escaped_for_display(location.file);
  if (location.line == 0) return text;
  return text + ":" + std::to_string(location.line) + ":" + std::to_string(location.column);
}

std::string to_text(const Diagnostic& diagnostic) {
  std::string text = to_text(diagnostic.location);
  if (diagnostic.message.empty()) {
    text = "error[" + diagnostic.code + "] " + text;  // as Error::to_string
  } else {
    text += ": error[" + diagnostic.code + "]: " + escaped_for_display(diagnostic.message);
  }
  const auto add = [&text](std::string_view label, const std::string& line) {
    if (!line.empty()) text.append("\n   ").append(label).append(escaped_for_display(line));
  };
  add("found   ", diagnostic.found);
  add("needed  ", diagnostic.needed);
  add("fix     ", diagnostic.fix);
  return text;
}

void Diagnostics::add(Diagnostic diagnostic) {
  all_.push_back(std::move(diagnostic));
  sorted_ = false;
}

const std::vector<Diagnostic>& Diagnostics::all() const {
  if (sorted_) return all_;
  std::stable_sort(all_.begin(), all_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.location.file, a.location.line, a.location.column) <
           std::tie(b.location.file, b.location.line, b.location.column);
  });
  sorted_ = true;
  return all_;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  if (known.size() > most_known) return "";
  // A known word is right.
  if (std::find(known.begin(), known.end(), word) != known.end()) return "";
  const std::string* nearest = nullptr;
  // At least one character of a short word must remain.
  std::size_t least = std::min(word.size(), std::max<std::size_t>(1, word.size() / 3) + 1);
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate, least);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest != nullptr ? "did you mean '" + *nearest + "'?" : "";
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known,
                         std::string_view otherwise) {
  std::string question = did_you_mean(word, known);
  return question.empty() ? std::string(otherwise) : question;
}

std::string enumerate(const std::vector<std::string>& words) {
  const std::size_t shown = words.size() > most_shown ? most_shown : words.size();
  const std::size_t hidden = words.size() - shown;
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    if (i != 0) text += i + 1 == words.size() ? " and " : ", ";
    text += "'" + words[i] + "'";
  }
  return hidden == 0 ? text : text + " and " + std::to_string(hidden) + " more";
}

}  // namespace tenon::tools
