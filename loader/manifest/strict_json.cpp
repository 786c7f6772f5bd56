// SPDX-License-Identifier: BSL-1.0
#include "manifest/strict_json.hpp"

#include "package/quote.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include <algorithm>
#include <memory_resource>
#include <string>
#include <vector>

namespace tenon {
namespace {

namespace json = boost::json;
using json::error_code;

/// Builds the value as the parser goes through the text, and remembers the keys of the objects
/// that are open.
class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  explicit Builder(json::storage_ptr storage)
      : values_(json::storage_ptr(), value_memory_, sizeof value_memory_),
        key_memory_(key_buffer_, sizeof key_buffer_),
        keys_(&key_memory_),
        key_(&key_memory_) {
    values_.reset(std::move(storage));
    keys_.reserve(16);
  }

  json::value release() { return values_.release(); }
  /// The key that stands twice, if that is why parsing ended.
  const std::pmr::string& duplicate() const { return duplicate_; }

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t count, error_code& error) {
    const auto first = keys_.end() - static_cast<std::ptrdiff_t>(count);
    std::sort(first, keys_.end());
    const auto twice = std::adjacent_find(first, keys_.end());
    if (twice != keys_.end()) {
      duplicate_ = *twice;
      error = json::error::syntax;
      return false;
    }
    keys_.erase(first, keys_.end());
    values_.push_object(count);
    return true;
  }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t count, error_code&) {
    values_.push_array(count);
    return true;
  }
  bool on_key_part(json::string_view text, std::size_t, error_code&) {
    key_.append(text.data(), text.size());
    values_.push_chars(text);
    return true;
  }
  bool on_key(json::string_view text, std::size_t, error_code&) {
    key_.append(text.data(), text.size());
    keys_.push_back(key_);
    key_.clear();
    values_.push_key(text);
    return true;
  }
  bool on_string_part(json::string_view text, std::size_t, error_code&) {
    values_.push_chars(text);
    return true;
  }
  bool on_string(json::string_view text, std::size_t, error_code&) {
    values_.push_string(text);
    return true;
  }
  bool on_number_part(json::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view, error_code&) {
    values_.push_int64(number);
    return true;
  }
  bool on_uint64(std::uint64_t number, json::string_view, error_code&) {
    values_.push_uint64(number);
    return true;
  }
  bool on_double(double number, json::string_view, error_code&) {
    values_.push_double(number);
    return true;
  }
  bool on_bool(bool value, error_code&) {
    values_.push_bool(value);
    return true;
  }
  bool on_null(error_code&) {
    values_.push_null();
    return true;
  }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }

 private:
  // A usual manifest needs no more than this, and so nothing of the heap.
  unsigned char value_memory_[1024];
  unsigned char key_buffer_[2048];
  json::value_stack values_;
  std::pmr::monotonic_buffer_resource key_memory_;
  std::pmr::vector<std::pmr::string> keys_;
  std::pmr::string key_;
  std::pmr::string duplicate_;
};

Error broken_json(std::string found) {
  return Error({.code = "broken-json", .found = std::move(found), .needed = "one JSON value"});
}

}  // namespace

Result<json::value> parse_strict_json(std::string_view text, json::storage_ptr storage) {
  json::basic_parser<Builder> parser(json::parse_options(), std::move(storage));
  error_code error;
  const auto end = parser.write_some(false, text.data(), text.size(), error);
  if (!parser.handler().duplicate().empty()) {
    return broken_json("the key " + in_quotes(parser.handler().duplicate()) +
                       " twice in the object that ends at byte " + std::to_string(end));
  }
  if (!error && end < text.size()) error = json::error::extra_data;
  if (error) return broken_json(error.message() + " at byte " + std::to_string(end));
  return parser.handler().release();
}

}  // namespace tenon
