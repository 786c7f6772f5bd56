// SPDX-License-Identifier: BSL-1.0
#include "json_text.hpp"

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tenon::builtin {
namespace {

using Error = boost::system::error_code;
using Text = boost::json::string_view;

/// A handler of the parser that only records whether the outermost value is an object.
class OutermostHandler {
 public:
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) {
    if (depth_++ == 0) is_object_ = true;
    return true;
  }
  bool on_object_end(std::size_t, Error&) { return leave(); }
  bool on_array_begin(Error&) {
    ++depth_;
    return true;
  }
  bool on_array_end(std::size_t, Error&) { return leave(); }
  bool on_key_part(Text, std::size_t, Error&) { return true; }
  bool on_key(Text, std::size_t, Error&) { return true; }
  bool on_string_part(Text, std::size_t, Error&) { return true; }
  bool on_string(Text, std::size_t, Error&) { return true; }
  bool on_number_part(Text, Error&) { return true; }
  bool on_int64(std::int64_t, Text, Error&) { return true; }
  bool on_uint64(std::uint64_t, Text, Error&) { return true; }
  bool on_double(double, Text, Error&) { return true; }
  bool on_bool(bool, Error&) { return true; }
  bool on_null(Error&) { return true; }
  bool on_comment_part(Text, Error&) { return true; }
  bool on_comment(Text, Error&) { return true; }

  bool is_object() const noexcept { return is_object_; }

 private:
  bool leave() {
    --depth_;
    return true;
  }

  int depth_ = 0;
  bool is_object_ = false;
};

/// Whether a character may have an escape in a JSON string.
constexpr std::array<bool, 256> is_escaped = [] {
  std::array<bool, 256> escaped{};
  for (std::size_t c = 0; c < 0x20; ++c) escaped[c] = true;
  for (const std::size_t c : {0x22, 0x5c, 0x7f}) escaped[c] = true;  // the quote and the backslash
  return escaped;
}();

}  // namespace

boost::json::parse_options json_options() {
  boost::json::parse_options options;
  options.max_depth = 256;
  return options;
}

JsonText check_json(std::string_view text) {
  boost::json::basic_parser<OutermostHandler> parser(json_options());
  JsonText checked;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), checked.error);
  if (!checked.error && read < text.size()) checked.error = boost::json::error::extra_data;
  checked.is_object = !checked.error && parser.handler().is_object();
  return checked;
}

std::string json_string(std::string_view text) {
  std::string string;
  append_json_string(string, text);
  return string;
}

void append_json_string(std::string& to, std::string_view text) {
  // Most texts need no escapes, and starting the serializer takes longer than copying them.
  const bool is_plain =
      std::none_of(text.begin(), text.end(), [](unsigned char c) { return is_escaped[c]; });
  if (is_plain) {
    to.push_back('"');
    to.append(text).push_back('"');
  } else {
    to += boost::json::serialize(boost::json::string_view(text.data(), text.size()));
  }
}

std::string text_of_json(std::string_view string) {
  if (string.find('\\') == std::string_view::npos) {
    return std::string(string.substr(1, string.size() - 2));
  }
  const boost::json::value value = boost::json::parse({string.data(), string.size()});
  return std::string(value.get_string());
}

}  // namespace tenon::builtin
