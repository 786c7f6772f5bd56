// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/conversion.hpp>
#include <tenon/detail/widening.hpp>

#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 {
namespace {

constexpr std::string_view absent = "null";
// For a field of type json, null is a value, so an absent one has a type of its own.
constexpr std::string_view json_type = "json";
constexpr std::string_view absent_json_type = "absent";

/// Returns the value of an entry as JSON.
std::string json_of(const BagEntry& entry) {
  if (entry.stored == nullptr) return std::string(entry.value);
  json::Writer out;
  entry.write(out, entry.stored);
  return out.take();
}

}  // namespace

bool Conversion::fail(std::string_view where, std::string_view message) {
  path_ = where;
  message_ = message;
  return false;
}

bool Conversion::fail(std::string_view where, const Error& error) {
  if (error.code() == "not-json") {
    return fail(where, std::string(error.message()) + " (" + std::string(error.where()) + ")");
  }
  const bool inside = !error.where().empty() && error.where().front() != '[';
  return fail(std::string(where) + (inside ? "." : "") + std::string(error.where()),
              error.message());
}

bool Conversion::in(std::string_view field) {
  const bool joins = path_.empty() || path_.front() == '[';
  path_.insert(0, std::string(field) + (joins ? "" : "."));
  return false;
}

bool Conversion::in(std::size_t element) {
  const bool joins = path_.empty() || path_.front() == '[';
  path_.insert(0, "[" + std::to_string(element) + "]" + (joins ? "" : "."));
  return false;
}

std::string Conversion::error() const {
  return path_.empty() ? message_ : path_ + ": " + message_;
}

tenon_status Conversion::status(bool good) {
  if (good) return TENON_OK;
  const std::string message = error();
  call_->functions->fail(call_, TENON_INVALID_ARGUMENT, {message.data(), message.size()});
  return TENON_INVALID_ARGUMENT;
}

namespace detail {

bool read_text(Conversion& conversion, const json::Reader& in, tenon_string& value) {
  std::string_view text;
  if (!in.read(text)) return false;
  value = conversion.copies ? conversion.copy(text) : tenon_string{text.data(), text.size()};
  if (value.data == nullptr) value.data = "";
  return true;
}

double widened(float value) noexcept {
  char digits[32];
  const auto [end, written] = std::to_chars(std::begin(digits), std::end(digits), value);
  double wide = value;
  std::from_chars(digits, end, wide);
  return wide;
}

bool narrowed(double value, float& narrow) noexcept {
  char digits[32];
  const auto [end, written] = std::to_chars(std::begin(digits), std::end(digits), value);
  const auto [stop, error] = std::from_chars(digits, end, narrow);
  return std::isnan(value) || (error == std::errc() && widened(narrow) == value);
}

bool is_exact(const json::Reader& in, float value) {
  double exact = 0;
  float same = 0;
  return in.read(exact) &&
         ((narrowed(exact, same) && (same == value || std::isnan(value))) || in.fail("float32"));
}

bool keep_unknown(Conversion& conversion, std::string_view name, const json::Reader& in,
                  BagEntry& entry) {
  tenon_string value;
  if (!in.read_json(conversion.call(), value)) return false;
  const tenon_string key = conversion.copy(name);
  entry = {text_of(key), conversion.unknown_of, "json", text_of(value)};
  return true;
}

bool read_entry(Conversion& conversion, const BagEntry& entry, std::string_view type,
                ReadEntry read, void* value) {
  const std::string where = "bag." + std::string(entry.name) + "@" + std::string(entry.version);
  if (entry.type != type && entry.type != json_type) {
    return conversion.fail(where + ".type",
                           "expected " + std::string(type) + ", found " + std::string(entry.type));
  }
  const std::string text = json_of(entry);
  json::Parser parser;
  const Result<json::Reader> root = parser.parse(text);
  if (!root) return conversion.fail(where + ".value", root.error());
  const bool copies = std::exchange(conversion.copies, true);
  // A lenient reader may have kept the value for its digits.
  const bool exact_floats = std::exchange(conversion.exact_floats, entry.type == json_type);
  const bool good = read(conversion, *root, value);
  conversion.copies = copies;
  conversion.exact_floats = exact_floats;
  return good || conversion.fail(where + ".value", parser.take_error());
}

}  // namespace detail

void push_absence(Conversion& conversion, Bag& bag, const BagField& from) {
  const std::string_view type = from.type == json_type ? absent_json_type : from.type;
  bag.put(conversion, {from.name, from.version, type, absent});
}

bool pull_absence(Conversion& conversion, Bag& bag, std::string_view name,
                  std::span<const std::string_view> versions) {
  const BagEntry* entry = bag.empty() ? nullptr : bag.find(name, versions);
  if (entry == nullptr || entry->value != absent || entry->type == json_type) return false;
  bag.remove(conversion, *entry);
  return true;
}

}}  // namespace tenon::v0_1
