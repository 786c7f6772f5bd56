// SPDX-License-Identifier: BSL-1.0
//
// Uses the parser of Boost.JSON, but not its values, which would round numbers and copy texts.
#include "document/json_parser.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <functional>

namespace tenon { inline namespace v0_1 { namespace json {
namespace detail {

// Reserves enough for most texts.
Recorder::Recorder() {
  nodes.reserve(64);
  keys_.reserve(16);
}

void Recorder::reset(std::string_view text) {
  nodes.clear();
  text_ = text;
  unescaped_.clear();
  unescaped_begin_ = 0;
  keys_.clear();
  open_ = 0;
  depth_ = 0;
  levels_ = 0;
  duplicate_.reset();
}

bool Recorder::add(Form form, View text) {
  Node& node = nodes.emplace_back();  // filled in place, which is faster than a move
  node.form = form;
  node.data = text.data();
  node.size = text.size();
  node.extent = 1;
  return true;
}

bool Recorder::open(Form form) {
  levels_ = std::max(levels_, ++depth_);
  Node& node = nodes.emplace_back();
  node.form = form;
  node.extent = std::exchange(open_, nodes.size() - 1);
  return true;
}

bool Recorder::close(std::size_t count) {
  --depth_;
  Node& node = nodes[open_];
  node.size = count;
  node.extent = std::exchange(open_, node.extent);
  node.extent = nodes.size() - node.extent;
  return true;
}

/// Returns a key that occurs twice, if there is one.
std::optional<std::string_view> find_duplicate(std::string_view* begin, std::string_view* end) {
  constexpr std::ptrdiff_t few = 12;  // comparing all pairs is faster than sorting
  if (end - begin > few) {
    std::sort(begin, end);
    const std::string_view* twice = std::adjacent_find(begin, end);
    return twice != end ? std::optional(*twice) : std::nullopt;
  }
  for (const std::string_view* key = begin; key != end; ++key) {
    if (std::find(key + 1, static_cast<const std::string_view*>(end), *key) != end) return *key;
  }
  return std::nullopt;
}

bool Recorder::on_object_end(std::size_t count, ErrorCode& error) {
  std::string_view* const end = keys_.data() + keys_.size();
  duplicate_ = find_duplicate(end - count, end);
  if (duplicate_) {
    error = boost::json::error::syntax;
    return false;
  }
  keys_.resize(keys_.size() - count);
  return close(count);
}

bool Recorder::on_key(View last, std::size_t, ErrorCode&) {
  const View key = whole(last);
  keys_.emplace_back(key.data(), key.size());
  return add(Form::text, key);
}

bool Recorder::on_string(View last, std::size_t, ErrorCode&) {
  return add(Form::text, whole(last));
}

bool Recorder::keep(View part) {
  // Reserved once, so that views stay valid: unescaping never makes a text longer.
  if (unescaped_.empty()) unescaped_.reserve(text_.size());
  unescaped_.append(part.data(), part.size());
  return true;
}

/// Returns the whole text that ends with `last`: a part of the input if it has no escapes.
Recorder::View Recorder::whole(View last) {
  const char* const end = text_.data() + text_.size();
  const bool in_text =
      std::less_equal<>()(text_.data(), last.data()) && std::less<>()(last.data(), end);
  if (in_text && unescaped_.size() == unescaped_begin_) return last;
  keep(last);
  const std::size_t begin = std::exchange(unescaped_begin_, unescaped_.size());
  return {unescaped_.data() + begin, unescaped_.size() - begin};
}

namespace {

std::string message_of(boost::system::error_code error, std::string_view rest, std::size_t levels) {
  if (error == boost::json::error::too_deep) {
    return "more than " + std::to_string(levels) + " levels";
  }
  if (rest.empty()) return "incomplete JSON";
  if (error != boost::json::error::syntax) return error.message();
  const auto c = static_cast<unsigned char>(rest.front());
  if (c > 0x20 && c < 0x7f) return std::string("unexpected '") + rest.front() + "'";
  static constexpr char hex[] = "0123456789abcdef";
  return std::string("unexpected byte 0x") + hex[c >> 4] + hex[c & 0xf];
}

boost::json::parse_options options(std::size_t levels) {
  boost::json::parse_options options;
  options.max_depth = levels;
  return options;
}

/// A handler of Boost.JSON that ignores all values.
struct SyntaxCheck {
  using View = boost::json::string_view;
  using ErrorCode = boost::system::error_code;
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  static bool on_document_begin(ErrorCode&) { return true; }
  static bool on_document_end(ErrorCode&) { return true; }
  static bool on_array_begin(ErrorCode&) { return true; }
  static bool on_array_end(std::size_t, ErrorCode&) { return true; }
  static bool on_object_begin(ErrorCode&) { return true; }
  static bool on_object_end(std::size_t, ErrorCode&) { return true; }
  static bool on_string_part(View, std::size_t, ErrorCode&) { return true; }
  static bool on_string(View, std::size_t, ErrorCode&) { return true; }
  static bool on_key_part(View, std::size_t, ErrorCode&) { return true; }
  static bool on_key(View, std::size_t, ErrorCode&) { return true; }
  static bool on_number_part(View, ErrorCode&) { return true; }
  static bool on_int64(std::int64_t, View, ErrorCode&) { return true; }
  static bool on_uint64(std::uint64_t, View, ErrorCode&) { return true; }
  static bool on_double(double, View, ErrorCode&) { return true; }
  static bool on_bool(bool, ErrorCode&) { return true; }
  static bool on_null(ErrorCode&) { return true; }
  static bool on_comment_part(View, ErrorCode&) { return true; }
  static bool on_comment(View, ErrorCode&) { return true; }
};

}  // namespace

std::string line_and_column(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto column = std::count_if(line.begin(), line.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  });
  return std::to_string(lines + 1) + ":" + std::to_string(column + 1);
}

std::string json_syntax_error(std::string_view text) {
  constexpr std::size_t levels = 256;
  boost::json::basic_parser<SyntaxCheck> parser(options(levels));
  boost::system::error_code error;
  const std::size_t end = parser.write_some(false, text.data(), text.size(), error);
  if (!error && end < text.size()) error = boost::json::error::extra_data;
  return error ? message_of(error, text.substr(end), levels) : std::string();
}

Tape::Tape() : parser(options(max_levels)) {}

}  // namespace detail

Parser::Parser() : tape_(std::make_unique<detail::Tape>()) {}
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;
Parser::~Parser() = default;

Result<Reader> Parser::parse(std::string_view text) {
  auto& parser = tape_->parser;
  detail::Recorder& recorder = parser.handler();
  parser.reset();
  recorder.reset(text);
  boost::system::error_code error;
  const std::size_t end = parser.write_some(false, text.data(), text.size(), error);
  if (!error && end < text.size()) error = boost::json::error::extra_data;
  if (!error) return Reader(*tape_, recorder.nodes.front());

  std::string message = recorder.duplicate()
                            ? "the key \"" + std::string(*recorder.duplicate()) +
                                  "\" is duplicated in the object that ends here"
                            : detail::message_of(error, text.substr(end), detail::max_levels);
  return Error({.code = "not-json",
                .message = std::move(message),
                .where = detail::line_and_column(text, end)});
}

std::size_t Parser::levels() const noexcept {
  return tape_->parser.handler().levels();
}

}}}  // namespace tenon::v0_1::json
