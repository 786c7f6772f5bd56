// SPDX-License-Identifier: BSL-1.0
#include "common/findings.hpp"

#include <algorithm>
#include <tuple>

#include "base/plain_text.hpp"

namespace tenon::reading {
namespace {

/// Looking for a word that is near takes time for each that is known, and naming them all takes
/// space.
constexpr std::size_t most_known = 1000;
constexpr std::size_t most_shown = 60;

/// How many characters must be added, removed, replaced or swapped with their neighbour; `limit`
/// where that is more.
std::size_t distance(std::string_view a, std::string_view b, std::size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); j++) last[j] = j;
  std::size_t least = 0;
  for (std::size_t i = 1; i <= a.size(); i++) {
    const std::size_t least_before = least;
    least = row[0] = i;
    for (std::size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    // A swap looks two rows back.
    if (std::min(least, least_before) >= limit) return limit;
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string to_text(const Finding& finding) {
  std::string text = harmless(finding.place.file);
  if (finding.place.line != 0) {
    text += ":" + std::to_string(finding.place.line) + ":" + std::to_string(finding.place.column);
  }
  text += ": error[" + finding.code + "]: " + harmless(finding.what);
  const auto add = [&text](std::string_view label, const std::string& line) {
    if (!line.empty()) text.append("\n   ").append(label).append(harmless(line));
  };
  add("found   ", finding.found);
  add("needed  ", finding.needed);
  add("fix     ", finding.fix);
  return text;
}

void Findings::add(Finding finding) {
  all_.push_back(std::move(finding));
  sorted_ = false;
}

const std::vector<Finding>& Findings::all() const {
  if (sorted_) return all_;
  std::stable_sort(all_.begin(), all_.end(), [](const Finding& a, const Finding& b) {
    return std::tie(a.place.file, a.place.line, a.place.column) <
           std::tie(b.place.file, b.place.line, b.place.column);
  });
  sorted_ = true;
  return all_;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  if (known.size() > most_known) return "";
  const std::string* nearest = nullptr;
  // Of a short word something must be left.
  std::size_t least = std::min(word.size(), std::max<std::size_t>(1, word.size() / 3) + 1);
  for (const std::string& candidate : known) {
    const std::size_t far = distance(word, candidate, least);
    if (far < least) {
      least = far;
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
  for (std::size_t i = 0; i < shown; i++) {
    if (i != 0) text += i + 1 == words.size() ? " and " : ", ";
    text += "'" + words[i] + "'";
  }
  return hidden == 0 ? text : text + " and " + std::to_string(hidden) + " more";
}

}  // namespace tenon::reading
