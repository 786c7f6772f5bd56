// SPDX-License-Identifier: BSL-1.0
#include "resource.hpp"

#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/text.hpp>

#include <boost/json.hpp>
#include <boost/json/basic_parser_impl.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "json_text.hpp"

namespace tenon::builtin {
namespace {

namespace json = boost::json;

/// Builds a value from the tokens of the parser of Boost.JSON, see Resource.
class ResourceHandler {
  using Error = boost::system::error_code;
  using Text = json::string_view;

 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  /// `numbers`: receives the texts of the numbers.
  ResourceHandler(json::storage_ptr memory, std::vector<std::string_view>& numbers)
      : numbers_(numbers) {
    values_.reset(std::move(memory));
  }

  json::value take() { return values_.release(); }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) { return true; }
  bool on_object_end(std::size_t size, Error&) {
    values_.push_object(size);
    return true;
  }
  bool on_array_begin(Error&) { return true; }
  bool on_array_end(std::size_t size, Error&) {
    values_.push_array(size);
    return true;
  }
  bool on_key_part(Text text, std::size_t, Error&) {
    values_.push_chars(text);
    return true;
  }
  bool on_key(Text text, std::size_t, Error&) {
    values_.push_key(text);
    return true;
  }
  bool on_string_part(Text text, std::size_t, Error&) {
    values_.push_chars(text);
    return true;
  }
  bool on_string(Text text, std::size_t, Error&) {
    values_.push_string(text);
    return true;
  }
  bool on_number_part(Text, Error&) { return true; }  // not called for a text in one piece
  bool on_int64(std::int64_t, Text text, Error&) { return number(text); }
  bool on_uint64(std::uint64_t, Text text, Error&) { return number(text); }
  bool on_double(double, Text text, Error&) { return number(text); }
  bool on_bool(bool value, Error&) {
    values_.push_bool(value);
    return true;
  }
  bool on_null(Error&) {
    values_.push_null();
    return true;
  }
  bool on_comment_part(Text, Error&) { return true; }
  bool on_comment(Text, Error&) { return true; }

 private:
  bool number(Text text) {
    values_.push_uint64(numbers_.size());
    numbers_.emplace_back(text.data(), text.size());
    return true;
  }

  std::vector<std::string_view>& numbers_;
  json::value_stack values_;
};

/// Appends values to a text. Each number is the index of its text.
class ResourceWriter {
 public:
  explicit ResourceWriter(const std::vector<std::string_view>& numbers) : numbers_(numbers) {}

  void add(const json::value& value) {
    if (const json::object* object = value.if_object()) {
      add_all('{', *object, '}');
    } else if (const json::array* array = value.if_array()) {
      add_all('[', *array, ']');
    } else if (const json::string* string = value.if_string()) {
      append_json_string(text_, *string);
    } else if (const std::uint64_t* number = value.if_uint64()) {
      text_.append(numbers_[*number]);
    } else {
      text_.append(json::serialize(value));
    }
  }
  void add(const json::key_value_pair& member) {
    append_json_string(text_, member.key());
    text_.push_back(':');
    add(member.value());
  }
  std::string take() { return std::move(text_); }

 private:
  template <class Elements>
  void add_all(char begin, const Elements& elements, char end) {
    text_.push_back(begin);
    bool first = true;
    for (const auto& element : elements) {
      if (!std::exchange(first, false)) text_.push_back(',');
      add(element);
    }
    text_.push_back(end);
  }

  const std::vector<std::string_view>& numbers_;
  std::string text_;
};

void check(const boost::system::error_code& error, bool is_object) {
  if (error) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the item is not JSON: ", error.message(),
                       "; needed: a JSON object");
  }
  if (!is_object) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the item is JSON but not a JSON object");
  }
}

/// Parses the text of a resource. Appends the texts of its numbers.
json::value parse(std::string_view text, json::storage_ptr memory,
                  std::vector<std::string_view>& numbers) {
  json::basic_parser<ResourceHandler> parser(json_options(), std::move(memory), numbers);
  boost::system::error_code error;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  json::value value = error ? json::value() : parser.handler().take();
  check(error, value.is_object());
  return value;
}

}  // namespace

// Parsing a typical resource would spend most of its time in allocations, so its memory grows in
// large pieces and is freed at once. The first piece is about what its values need.
Resource::Resource(std::string_view text)
    : memory_(2 * text.size()), value_(parse(text, &memory_, numbers_)) {}

std::string Resource::text() const {
  ResourceWriter writer(numbers_);
  writer.add(value_);
  return writer.take();
}

bool may_contain(std::string_view resource, const std::vector<std::string_view>& texts) {
  const auto [error, is_object] = check_json(resource);
  check(error, is_object);
  // An escape may stand for any character.
  return resource.find('\\') != resource.npos ||
         std::any_of(texts.begin(), texts.end(),
                     [&](std::string_view text) { return resource.find(text) != resource.npos; });
}

const boost::json::object* object_in(const boost::json::object* object, std::string_view name) {
  const boost::json::value* member = object != nullptr ? object->if_contains(name) : nullptr;
  return member != nullptr ? member->if_object() : nullptr;
}

boost::json::object* object_in(boost::json::object* object, std::string_view name) {
  boost::json::value* member = object != nullptr ? object->if_contains(name) : nullptr;
  return member != nullptr ? member->if_object() : nullptr;
}

std::string_view text_in(const boost::json::object* object, std::string_view name) {
  const boost::json::value* member = object != nullptr ? object->if_contains(name) : nullptr;
  const boost::json::string* text = member != nullptr ? member->if_string() : nullptr;
  return text != nullptr ? std::string_view(*text) : std::string_view();
}

std::string title_of(const boost::json::object& resource) {
  const boost::json::object* metadata = object_in(&resource, "metadata");
  const std::string_view space = text_in(metadata, "namespace");
  return sdk::text(text_in(&resource, "kind"), " \"", space, space.empty() ? "" : "/",
                   text_in(metadata, "name"), "\"");
}

}  // namespace tenon::builtin
