// SPDX-License-Identifier: BSL-1.0
//
// What a Parser keeps from text to text, and what the readers of its text share.
#pragma once

#include <tenon/gen/json.hpp>

#include <boost/json/basic_parser.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::json::detail {

/// How deep arrays and objects may lie in each other.
inline constexpr std::size_t most_levels = 64;

/// Returns why a text is not JSON, eg: "unexpected '}'"; empty: it is. For texts of others, whose
/// keys may repeat and which may have 256 levels.
std::string problem_of_json(std::string_view text);

/// Puts the values of a text one behind the other while Boost.JSON goes through it: `nodes` is what
/// Reader reads.
class Recorder {
 public:
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  using View = boost::json::string_view;
  using ErrorCode = boost::json::error_code;

  Recorder();

  std::vector<Node> nodes;

  void reset(std::string_view text);
  /// How deep the deepest array or object lies; the outermost is level 1.
  std::size_t levels() const noexcept { return levels_; }
  /// The key that an object has twice, if that is why parsing ended.
  const std::optional<std::string_view>& duplicate() const noexcept { return duplicate_; }

  bool on_document_begin(ErrorCode&) { return true; }
  bool on_document_end(ErrorCode&) { return true; }
  bool on_array_begin(ErrorCode&) { return open(Form::array); }
  bool on_array_end(std::size_t count, ErrorCode&) { return close(count); }
  bool on_object_begin(ErrorCode&) { return open(Form::object); }
  bool on_object_end(std::size_t count, ErrorCode& error);
  bool on_key_part(View part, std::size_t, ErrorCode&) { return keep(part); }
  bool on_key(View last, std::size_t, ErrorCode&);
  bool on_string_part(View part, std::size_t, ErrorCode&) { return keep(part); }
  bool on_string(View last, std::size_t, ErrorCode&);
  bool on_number_part(View, ErrorCode&) { return true; }
  bool on_int64(std::int64_t, View digits, ErrorCode&) { return add(Form::number, digits); }
  bool on_uint64(std::uint64_t, View digits, ErrorCode&) { return add(Form::number, digits); }
  bool on_double(double, View digits, ErrorCode&) { return add(Form::number, digits); }
  bool on_bool(bool value, ErrorCode&) { return add(Form::boolean, value ? "true" : "false"); }
  bool on_null(ErrorCode&) { return add(Form::null, "null"); }
  bool on_comment_part(View, ErrorCode&) { return true; }
  bool on_comment(View, ErrorCode&) { return true; }

 private:
  bool add(Form form, View text);
  bool open(Form form);
  bool close(std::size_t count);
  bool keep(View part);
  View whole(View last);

  std::string_view text_;
  std::string unescaped_;               // all texts with escapes; never grows beyond text_.size()
  std::size_t unescaped_begin_ = 0;     // where the text under way begins there
  std::vector<std::string_view> keys_;  // of the objects that are open
  std::size_t open_ = 0;  // the array or object under way; while it is open, its extent is what
                          // `open_` was before
  std::size_t depth_ = 0;
  std::size_t levels_ = 0;
  std::optional<std::string_view> duplicate_;
};

struct Tape {
  Tape();

  boost::json::basic_parser<Recorder> parser;
  std::optional<Error> error;  // why a reader answered false
  Writer scratch;              // of Reader::read_json
};

}  // namespace tenon::json::detail
