// SPDX-License-Identifier: BSL-1.0
#include "package/plain_requirement.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Release {
  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;

  friend auto operator<=>(const Release&, const Release&) = default;
};

struct PlainOperand {
  Release release;
  int numbers = 0;  // how many are written
};

struct Bounds {
  Release low;
  std::optional<Release> high;

  void from(const Release& release) { low = std::max(low, release); }
  void below(const Release& release) { high = high ? std::min(*high, release) : release; }
};

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool take(std::string_view prefix) {
    if (!text_.starts_with(prefix)) return false;
    text_.remove_prefix(prefix.size());
    return true;
  }
  void skip_spaces() {
    while (take(" ") || take("\t")) {
    }
  }
  /// Reads a number of at most 15 digits, which is far from the limit of 64 bits.
  bool take_number(std::uint64_t& number) {
    constexpr std::size_t most_digits = 15;
    std::size_t digits = 0;
    number = 0;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      if (digits == most_digits) return false;
      number = number * 10 + static_cast<std::uint64_t>(text_[digits] - '0');
    }
    const bool leading_zero = digits > 1 && text_[0] == '0';
    text_.remove_prefix(digits);
    return digits > 0 && !leading_zero;
  }
  bool take_operand(PlainOperand& operand) {
    for (std::uint64_t* number :
         {&operand.release.major, &operand.release.minor, &operand.release.patch}) {
      if (operand.numbers > 0 && !take(".")) return true;
      if (!take_number(*number)) return false;
      ++operand.numbers;
    }
    return true;
  }

 private:
  std::string_view text_;
};

/// Returns the first later release that differs in the first `numbers` numbers.
Release after(const Release& release, int numbers) {
  if (numbers <= 1) return {release.major + 1, 0, 0};
  if (numbers == 2) return {release.major, release.minor + 1, 0};
  return {release.major, release.minor, release.patch + 1};
}

// Returns how many numbers must not change after "^": up to the first that is not 0, or all.
int fixed_by_caret(const PlainOperand& operand) {
  if (operand.release.major != 0) return 1;
  if (operand.release.minor != 0) return std::min(operand.numbers, 2);
  return operand.numbers;
}

using Apply = void (*)(const PlainOperand&, Bounds&);

void exactly(const PlainOperand& operand, Bounds& bounds) {
  bounds.from(operand.release);
  bounds.below(after(operand.release, operand.numbers));
}

/// Longer operators come before their prefixes. The last entry is for no operator.
constexpr std::pair<std::string_view, Apply> plain_operators[] = {
    {"==", exactly},
    {"=", exactly},
    {"<=",
     [](const PlainOperand& o, Bounds& bounds) { bounds.below(after(o.release, o.numbers)); }},
    {"<", [](const PlainOperand& o, Bounds& bounds) { bounds.below(o.release); }},
    {">=", [](const PlainOperand& o, Bounds& bounds) { bounds.from(o.release); }},
    {">", [](const PlainOperand& o, Bounds& bounds) { bounds.from(after(o.release, o.numbers)); }},
    {"~=",
     [](const PlainOperand& o, Bounds& bounds) {
       bounds.from(o.release);
       bounds.below(after(o.release, std::min(o.numbers - 1, 2)));
     }},
    {"~",
     [](const PlainOperand& o, Bounds& bounds) {
       bounds.from(o.release);
       bounds.below(after(o.release, std::min(o.numbers, 2)));
     }},
    {"^",
     [](const PlainOperand& o, Bounds& bounds) {
       bounds.from(o.release);
       bounds.below(after(o.release, fixed_by_caret(o)));
     }},
    {"", exactly},
};

bool take_clause(Cursor& cursor, Bounds& bounds) {
  cursor.skip_spaces();
  const auto op = std::find_if(std::begin(plain_operators), std::end(plain_operators),
                               [&](const auto& one) { return cursor.take(one.first); });
  cursor.skip_spaces();
  PlainOperand operand;
  if (!cursor.take_operand(operand)) return false;
  cursor.skip_spaces();
  op->second(operand, bounds);
  return true;
}

Version version_of(const Release& release) {
  return {.major = release.major, .minor = release.minor, .patch = release.patch};
}

}  // namespace

std::optional<Interval> read_plain(std::string_view clauses) {
  Cursor cursor(clauses);
  Bounds bounds;
  do {
    if (!take_clause(cursor, bounds)) return std::nullopt;
  } while (cursor.take(","));
  if (!cursor.at_end() || (bounds.high && *bounds.high <= bounds.low)) return std::nullopt;
  Interval interval{.low = version_of(bounds.low), .high = {}};
  if (bounds.high) interval.high = version_of(*bounds.high);
  return interval;
}

}}}  // namespace tenon::v0_1::detail
