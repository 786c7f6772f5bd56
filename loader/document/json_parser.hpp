// SPDX-License-Identifier: BSL-1.0
//
// The state of a Parser, which its readers share.
#pragma once

#include <tenon/detail/json.hpp>

#include <boost/json/basic_parser.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace json { namespace detail {

/// The maximum nesting of arrays and objects.
inline constexpr std::size_t max_levels = 64;

/// Returns why a text is not JSON, eg: "unexpected '}'"; empty if it is. Accepts duplicate keys and
/// up to 256 levels.
std::string json_syntax_error(std::string_view text);

/// Returns line and column, in characters, of the byte at `at`, eg: "3:14".
std::string line_and_column(std::string_view text, std::size_t at);

/// A handler of Boost.JSON that stores all values of a text as consecutive nodes, which Reader
/// reads.
class Recorder {
 public:
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  using View = boost::json::string_view;
  using ErrorCode = boost::system::error_code;

  Recorder();

  std::vector<Node> nodes;

  void reset(std::string_view text);
  /// Returns the deepest level of nesting; the outermost array or object is level 1.
  std::size_t levels() const noexcept { return levels_; }
  /// Returns the duplicate key, if that is why parsing failed.
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
  std::size_t unescaped_begin_ = 0;     // start of the current text in it
  std::vector<std::string_view> keys_;  // of the objects that are open
  std::size_t open_ = 0;  // the current array or object; while it is open, its extent is the
                          // previous value of `open_`
  std::size_t depth_ = 0;
  std::size_t levels_ = 0;
  std::optional<std::string_view> duplicate_;
};

/// Why a reader returned false. Its message and path are only built if they are needed, because
/// lenient readers discard most failures.
struct Failure {
  const Node* node = nullptr;
  std::optional<std::string> key;  // of the member of `node`, if that failed
  std::string text;                // the value that is needed; the message if a member failed
};

struct Tape {
  Tape();

  boost::json::basic_parser<Recorder> parser;
  Failure failure;
  Writer scratch;  // of Reader::read_json
};

}}}}  // namespace tenon::v0_1::json::detail
