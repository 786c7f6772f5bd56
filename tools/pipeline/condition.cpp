// SPDX-License-Identifier: BSL-1.0
#include "condition.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace pipeline {
namespace {

using boost::json::value;

constexpr std::string_view blanks = " \t\r\n";
constexpr std::string_view metadata_prefix = "metadata.";

boost::json::string_view boost_view(std::string_view text) {
  return {text.data(), text.size()};
}

value string_of(std::string_view text) {
  return value(boost_view(text));
}

/// Returns the value of a JSON text; nothing if it is not JSON.
std::optional<value> value_of_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = 256;  // as plugins read payloads
  boost::system::error_code failed;
  auto parsed = boost::json::parse(boost_view(text), failed, {}, options);
  return failed ? std::nullopt : std::optional<value>(std::move(parsed));
}

template <class T>
int order(const T& a, const T& b) {
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

int order_of_numbers(const value& a, const value& b) {
  if (a.is_double() || b.is_double()) return order(a.to_number<double>(), b.to_number<double>());
  const auto is_negative = [](const value& number) {
    return number.is_int64() && number.get_int64() < 0;
  };
  if (is_negative(a) || is_negative(b)) {
    if (is_negative(a) && is_negative(b)) return order(a.get_int64(), b.get_int64());
    return is_negative(a) ? -1 : 1;
  }
  return order(a.to_number<std::uint64_t>(), b.to_number<std::uint64_t>());
}

/// Returns a negative number, 0 or a positive number if a is less than, equal to or greater than b;
/// nothing if they are of different types, or have no order.
std::optional<int> compare(const value& a, const value& b) {
  if (a.is_number() && b.is_number()) return order_of_numbers(a, b);
  if (a.is_string() && b.is_string()) return a.get_string().compare(b.get_string());
  if (a.is_bool() && b.is_bool()) return order(a.get_bool(), b.get_bool());
  if (a.is_null() && b.is_null()) return 0;
  return std::nullopt;
}

bool is_pointer(std::string_view text) {
  if (text.empty() || text[0] != '/') return false;
  for (std::size_t at = text.find('~'); at != std::string_view::npos; at = text.find('~', at + 1)) {
    if (at + 1 == text.size() || (text[at + 1] != '0' && text[at + 1] != '1')) return false;
  }
  return true;
}

bool is_operand(std::string_view text) {
  return is_pointer(text) || text == "operation" || text == "key" ||
         (text.starts_with(metadata_prefix) && text.size() > metadata_prefix.size());
}

}  // namespace

/// Reads the words of a condition from left to right.
class ConditionReader {
 public:
  explicit ConditionReader(std::string_view text) : rest_(text) { skip_blanks(); }

  /// Returns nothing if the text is wrong; then `rest` begins with the wrong part.
  std::optional<Condition> read() {
    Condition condition;
    do {
      Condition::Alternative& all = condition.alternatives_.emplace_back();
      do {
        auto comparison = read_comparison();
        if (!comparison) return std::nullopt;
        all.push_back(*std::move(comparison));
      } while (take("and"));
    } while (take("or"));
    if (!rest_.empty()) return std::nullopt;
    return condition;
  }

  std::string_view rest() const { return rest_; }
  std::string_view needed() const { return needed_; }

 private:
  using Operator = Condition::Operator;

  std::optional<Condition::Comparison> read_comparison() {
    const bool negated = take("not");
    needed_ = "the path of a field such as /address/city, operation, key or metadata.NAME";
    const std::string_view operand = next_word();
    if (!is_operand(operand)) return std::nullopt;
    remove(operand.size());
    if (negated) {
      needed_ = "'and', 'or' or the end";
      return Condition::Comparison{std::string(operand), Operator::is_absent, {}};
    }
    needed_ = "==, !=, <, <=, >, >=, 'and', 'or' or the end";
    const Operator comparator = read_operator();
    if (comparator == Operator::exists) {
      return Condition::Comparison{std::string(operand), comparator, {}};
    }
    needed_ = "a JSON string, a number, true, false, null, or a word";
    auto compared = read_value();
    if (!compared) return std::nullopt;
    needed_ = "'and', 'or' or the end";
    return Condition::Comparison{std::string(operand), comparator, *std::move(compared)};
  }

  Operator read_operator() {
    constexpr std::pair<std::string_view, Operator> operators[] = {
        {"==", Operator::equal},         {"!=", Operator::unequal},
        {"<=", Operator::less_or_equal}, {">=", Operator::greater_or_equal},
        {"<", Operator::less},           {">", Operator::greater}};
    for (const auto& [text, comparator] : operators) {
      if (!rest_.starts_with(text)) continue;
      remove(text.size());
      return comparator;
    }
    return Operator::exists;
  }

  std::optional<value> read_value() {
    if (!rest_.starts_with('"')) {
      const std::string_view word = next_word();
      if (word.empty() || std::string_view("{[\"=").find(word[0]) != std::string_view::npos) {
        return std::nullopt;
      }
      remove(word.size());
      return value_of_json(word).value_or(string_of(word));
    }
    std::size_t end = 1;
    while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
    if (end >= rest_.size()) return std::nullopt;
    auto string = value_of_json(rest_.substr(0, end + 1));
    if (string) remove(end + 1);
    return string;
  }

  /// Removes a word if it is the next one.
  bool take(std::string_view word) {
    if (next_word() != word) return false;
    remove(word.size());
    return true;
  }
  std::string_view next_word() const { return rest_.substr(0, rest_.find_first_of(blanks)); }
  void remove(std::size_t size) {
    rest_.remove_prefix(size);
    skip_blanks();
  }
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  }

  std::string_view rest_;
  std::string_view needed_;
};

/// The operands in one record. Its payload is read once.
class Condition::Operands {
 public:
  explicit Operands(const tenon::RecordView& record) : record_(record) {}

  /// Returns nothing if the record does not have the operand.
  std::optional<value> find(std::string_view operand) {
    if (operand[0] == '/') return find_field(operand);
    if (operand == "operation") return string_of(to_text(record_.operation()));
    if (operand == "key") {
      const auto key = record_.key();
      return key ? std::optional(string_of(key->text())) : std::nullopt;
    }
    operand.remove_prefix(metadata_prefix.size());
    for (const auto& [name, text] : record_.metadata()) {
      if (name == operand) return string_of(text);
    }
    return std::nullopt;
  }

 private:
  std::optional<value> find_field(std::string_view pointer) {
    if (!is_read_) {
      is_read_ = true;
      const auto after = record_.payload().after();
      const auto bytes = after ? after : record_.payload().before();
      if (bytes) payload_ = value_of_json(bytes->text());
    }
    if (!payload_) return std::nullopt;
    boost::system::error_code failed;
    const value* found = payload_->find_pointer(boost_view(pointer), failed);
    return found != nullptr && !failed ? std::optional<value>(*found) : std::nullopt;
  }

  const tenon::RecordView& record_;
  bool is_read_ = false;
  std::optional<value> payload_;
};

std::optional<Condition> Condition::read(std::string_view text,
                                         const tenon::tools::SourceLocation& location,
                                         tenon::tools::Diagnostics& diagnostics) {
  ConditionReader reader(text);
  auto condition = reader.read();
  if (condition) return condition;
  diagnostics.add(
      {.location = location,
       .code = "wrong-condition",
       .message = "the condition cannot be read",
       .found = reader.rest().empty() ? "the end of the condition" : std::string(reader.rest()),
       .needed = std::string(reader.needed()),
       .fix = "correct the condition, eg: /address/city == \"Berlin\""});
  return std::nullopt;
}

bool Condition::holds(const tenon::RecordView& record) const {
  Operands operands(record);
  return std::any_of(alternatives_.begin(), alternatives_.end(), [&](const Alternative& all) {
    return std::all_of(all.begin(), all.end(),
                       [&](const Comparison& comparison) { return holds(comparison, operands); });
  });
}

bool Condition::holds(const Comparison& comparison, Operands& operands) {
  const auto found = operands.find(comparison.operand);
  if (comparison.comparator == Operator::exists) return found.has_value();
  if (comparison.comparator == Operator::is_absent) return !found;
  std::optional<int> compared;
  if (found) compared = compare(*found, comparison.value);
  // A key or a text of the metadata is compared with a number as a number.
  if (found && !compared && found->is_string() && comparison.operand[0] != '/') {
    if (const auto number = value_of_json(std::string_view(found->get_string()))) {
      compared = compare(*number, comparison.value);
    }
  }
  if (!compared) return comparison.comparator == Operator::unequal;
  const int order = *compared;
  switch (comparison.comparator) {
    case Operator::equal:
      return order == 0;
    case Operator::unequal:
      return order != 0;
    case Operator::less:
      return order < 0;
    case Operator::less_or_equal:
      return order <= 0;
    case Operator::greater:
      return order > 0;
    default:
      return order >= 0;
  }
}

}  // namespace pipeline
