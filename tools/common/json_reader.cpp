// SPDX-License-Identifier: BSL-1.0
//
// Boost's parser does not report its position, so it gets one byte at a time, and a cursor follows.
#include "common/json_reader.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

namespace tenon::tools {
namespace {

/// Enough for a list of manifests (builtins.json) with 64 levels each, see abi/manifest.md.
constexpr std::size_t max_depth = 65;

/// Follows the text and keeps the location of the current character and of the current token.
class Cursor {
 public:
  explicit Cursor(const std::string& file) : here_{file, 1, 1}, token_(here_) {}

  void take(char c) {
    const bool continues_character = (static_cast<unsigned char>(c) & 0xc0) == 0x80;
    if (was_newline_) {
      ++here_.line;
      here_.column = 1;
    } else if (!is_first_ && !continues_character) {
      ++here_.column;
    }
    is_first_ = false;
    was_newline_ = c == '\n';
    if (in_text_) {
      in_text_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
      in_token_ = in_text_;
      return;
    }
    const bool between = std::string_view(" \t\r\n,:]}").find(c) != std::string_view::npos;
    if (!between && !in_token_) token_ = here_;
    in_text_ = c == '"';
    in_token_ = !between && c != '{' && c != '[';
  }

  const SourceLocation& here() const noexcept { return here_; }
  const SourceLocation& token() const noexcept { return token_; }

 private:
  SourceLocation here_;
  SourceLocation token_;
  bool is_first_ = true;
  bool was_newline_ = false;
  bool in_text_ = false;
  bool escaped_ = false;
  bool in_token_ = false;
};

/// The handler of boost::json::basic_parser: builds a JsonValue.
struct Builder {
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;

  using Text = boost::json::string_view;
  using Status = boost::system::error_code;

  struct Open {
    JsonValue value;
    std::string key;  // of the current member
    SourceLocation key_location;
    std::unordered_map<std::string, int> lines;  // line of each key
  };

  Cursor cursor;
  Diagnostics& diagnostics;
  std::vector<Open> open{};
  std::string text{};
  JsonValue root{};

  void add(JsonValue value) {
    if (open.empty()) {
      root = std::move(value);
      return;
    }
    Open& parent = open.back();
    if (auto* array = std::get_if<JsonValue::Array>(&parent.value.data)) {
      array->push_back(std::move(value));
      return;
    }
    const auto [first, is_new] = parent.lines.emplace(parent.key, value.location.line);
    if (!is_new) {
      diagnostics.add({.location = parent.key_location,
                       .code = "duplicate-key",
                       .message = "the key '" + parent.key + "' occurs twice in one object",
                       .found = "the first on line " + std::to_string(first->second),
                       .fix = "remove or rename one of the two"});
      return;
    }
    std::get<JsonValue::Object>(parent.value.data)
        .push_back({std::move(parent.key), parent.key_location, std::move(value)});
  }
  template <class T>
  bool add_scalar(T value) {
    add({std::move(value), cursor.token()});
    return true;
  }
  template <class T>
  bool add_number(T value, Text rest) {
    add({value, cursor.token(), take_text(rest)});
    return true;
  }
  template <class T>
  bool begin() {
    open.push_back({{T(), cursor.token()}, {}, {}, {}});
    return true;
  }
  bool end() {
    JsonValue value = std::move(open.back().value);
    open.pop_back();
    add(std::move(value));
    return true;
  }
  std::string take_text(Text rest) {
    text.append(rest.data(), rest.size());
    return std::exchange(text, {});
  }

  // Callbacks of basic_parser.
  bool on_document_begin(Status&) { return true; }
  bool on_document_end(Status&) { return true; }
  bool on_object_begin(Status&) { return begin<JsonValue::Object>(); }
  bool on_object_end(std::size_t, Status&) { return end(); }
  bool on_array_begin(Status&) { return begin<JsonValue::Array>(); }
  bool on_array_end(std::size_t, Status&) { return end(); }
  bool on_key_part(Text part, std::size_t, Status&) { return on_string_part(part, 0, {}); }
  bool on_key(Text part, std::size_t, Status&) {
    open.back().key = take_text(part);
    open.back().key_location = cursor.token();
    return true;
  }
  bool on_string_part(Text part, std::size_t, const Status&) {
    text.append(part.data(), part.size());
    return true;
  }
  bool on_string(Text part, std::size_t, Status&) { return add_scalar(take_text(part)); }
  bool on_number_part(Text part, const Status&) { return on_string_part(part, 0, {}); }
  bool on_int64(std::int64_t number, Text rest, Status&) { return add_number(number, rest); }
  bool on_uint64(std::uint64_t number, Text rest, Status&) { return add_number(number, rest); }
  bool on_double(double number, Text rest, Status&) {
    if (std::isfinite(number)) return add_number(number, rest);
    diagnostics.add({.location = cursor.token(),
                     .code = "wrong-value",
                     .message = "the number is too large",
                     .found = take_text(rest),
                     .needed = "a number in the range of float64, up to about 1.8e308",
                     .fix = "correct the number"});
    return add_scalar(nullptr);
  }
  bool on_bool(bool truth, Status&) { return add_scalar(truth); }
  bool on_null(Status&) { return add_scalar(nullptr); }
  bool on_comment_part(Text, Status&) { return true; }
  bool on_comment(Text, Status&) { return true; }
};

}  // namespace

std::optional<JsonValue> read_json(std::string_view text, const std::string& file,
                                   Diagnostics& diagnostics) {
  boost::json::parse_options options;
  options.max_depth = max_depth;
  boost::json::basic_parser<Builder> parser(options, Builder{Cursor(file), diagnostics});
  Builder& builder = parser.handler();
  boost::system::error_code status;
  for (const char& c : text) {
    builder.cursor.take(c);
    parser.write_some(true, &c, 1, status);
    if (status) break;
  }
  if (!status) parser.write_some(false, text.data(), 0, status);
  if (!status) return std::move(builder.root);
  const bool has_mark = text.starts_with("\xef\xbb\xbf");
  const bool too_deep = status == boost::json::error::too_deep;
  diagnostics.add({.location = builder.cursor.here(),
                   .code = "not-json",
                   .message = "the file is not valid JSON: " + status.message(),
                   .found = has_mark ? "a byte order mark, which most editors do not show" : "",
                   .needed = too_deep ? "at most " + std::to_string(max_depth) + " levels"
                                      : "JSON without comments and without a comma before } or ]",
                   .fix = has_mark ? "save the file as UTF-8 without a byte order mark"
                                   : "correct the text here or just before it"});
  return std::nullopt;
}

}  // namespace tenon::tools
