// SPDX-License-Identifier: BSL-1.0
#include "common/hidden_values.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"

namespace tenon::tools {
namespace {

constexpr std::size_t shortest_hidden = 3;
constexpr std::size_t shortest_everywhere = 8;

struct HiddenValue {
  std::string value;
  std::string shown;
};

bool is_word_character(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

bool occurs_at(std::string_view text, std::size_t at, std::string_view value) {
  if (text.compare(at, value.size(), value) != 0) return false;
  if (value.size() >= shortest_everywhere) return true;
  return (at == 0 || !is_word_character(text, at - 1)) &&
         !is_word_character(text, at + value.size());
}

class HiddenValues {
 public:
  void add(std::string_view value, std::string_view shown) {
    const sync::Lock lock(mutex_);
    const auto same = [&](const HiddenValue& one) { return one.value == value; };
    if (std::any_of(values_.begin(), values_.end(), same)) return;
    // The longest first: a value may contain another one.
    const auto place = std::find_if(values_.begin(), values_.end(), [&](const HiddenValue& one) {
      return one.value.size() < value.size();
    });
    values_.insert(place, {std::string(value), std::string(shown)});
  }
  std::string removed_from(std::string_view text) const {
    const sync::Lock lock(mutex_);
    if (values_.empty()) return std::string(text);
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const auto found = std::find_if(values_.begin(), values_.end(), [&](const HiddenValue& one) {
        return occurs_at(text, at, one.value);
      });
      if (found == values_.end()) {
        result += text[at++];
      } else {
        result += found->shown;
        at += found->value.size();
      }
    }
    return result;
  }

 private:
  mutable sync::Mutex mutex_;
  std::vector<HiddenValue> values_ TENON_GUARDED_BY(mutex_);
};

HiddenValues& all() {
  static HiddenValues& values = *new HiddenValues;  // outlives every thread
  return values;
}

}  // namespace

void hide_value(std::string_view value, std::string_view shown) {
  if (value.size() < shortest_hidden) return;
  all().add(value, shown);
  all().add(tenon::escaped_for_display(value), shown);  // as messages contain it
}

std::string without_hidden_values(std::string_view text) {
  return all().removed_from(text);
}

}  // namespace tenon::tools
