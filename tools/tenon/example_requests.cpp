// SPDX-License-Identifier: BSL-1.0
#include "example_requests.hpp"

#include <tenon/detail/json.hpp>
#include <tenon/values.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <type_traits>
#include <utility>

namespace tenon::command {
namespace {

using gen::Field;
using gen::Shape;
using gen::Type;
using Fields = std::vector<Field>;
using Random = std::mt19937_64;

constexpr std::size_t long_size = 4096;
/// The longest list of `Example::highest`.
constexpr std::size_t several = 3;

/// Writes valid values as JSON.
class ExampleWriter {
 public:
  /// Chooses an example for each value at random.
  explicit ExampleWriter(Random& random) : random_(&random) {}
  explicit ExampleWriter(Example example) : example_(example) {}

  /// One field may have another example.
  std::string object(const Fields& fields, const Field* special = nullptr,
                     Example of_special = Example::empty) {
    out_.begin_object();
    for (const Field& field : fields) {
      const Example usual = example_;
      if (&field == special) example_ = of_special;
      write_field(field, false);
      example_ = usual;
    }
    out_.end_object();
    return out_.take();
  }

 private:
  Example next() { return random_ == nullptr ? example_ : static_cast<Example>((*random_)() % 4); }

  /// Fields that may be left out are left out if they are to be empty.
  void write_field(const Field& field, bool may_miss) {
    const bool needed = !may_miss && field.type.shape != Shape::optional;
    if (gen::is_stream(field.type) || (!needed && next() == Example::empty)) return;
    out_.key(field.name);
    write(gen::without_optional(field.type));
  }

  /// Fields of documents and of structs with a bag may be left out.
  void write_object(const Fields& fields, bool may_miss) {
    out_.begin_object();
    for (const Field& field : fields) write_field(field, may_miss);
    out_.end_object();
  }

  void write(const Type& type) {
    switch (type.shape) {
      case Shape::boolean: {
        const Example example = next();
        return out_.boolean(example == Example::small || example == Example::highest);
      }
      case Shape::string:
        return out_.text(next_text("\xc3\xa9"));  // U+00E9
      case Shape::bytes:
      case Shape::buffer:
        return out_.base64(BytesView(next_text("\xff")));
      case Shape::json:
        return out_.raw(next() == Example::highest ? R"({"a":[1,{"b":null}],"c":"d"})" : "{}");
      case Shape::enumeration:
        return write_name(type.enumeration->values);
      case Shape::list:
        out_.begin_array();
        for (std::size_t left = next_count(); left > 0; --left) write(*type.element);
        return out_.end_array();
      case Shape::map:
        return write_map(*type.element);
      case Shape::structure:
        return write_object(type.structure->fields, type.structure->bag);
      case Shape::document:
        return write_object(type.document->fields, true);
      default:
        return write_number(type.shape);
    }
  }

  void write_name(const std::vector<std::string>& names) {
    const Example example = next();
    const bool last = example == Example::small || example == Example::highest;
    out_.text(last ? names.back() : names.front());
  }

  void write_map(const Type& element) {
    const std::size_t count = next_count();
    out_.begin_object();
    for (std::size_t i = 0; i < count; ++i) {
      out_.key(std::string(i + 1, 'a'));
      write(element);
    }
    out_.end_object();
  }

  void write_number(Shape shape) {
    switch (shape) {
      case Shape::int8:
        return write_number<std::int8_t>();
      case Shape::int16:
        return write_number<std::int16_t>();
      case Shape::int32:
        return write_number<std::int32_t>();
      case Shape::uint8:
        return write_number<std::uint8_t>();
      case Shape::uint16:
        return write_number<std::uint16_t>();
      case Shape::uint32:
        return write_number<std::uint32_t>();
      case Shape::uint64:
        return write_number<std::uint64_t>();
      case Shape::float32:
        return write_number<float>();
      case Shape::float64:
        return write_number<double>();
      case Shape::duration:
        return write_number<std::int64_t>(0);
      default:  // int64 and timestamp
        return write_number<std::int64_t>();
    }
  }

  template <class Number>
  void write_number(Number lowest = std::numeric_limits<Number>::lowest()) {
    const Example example = next();
    const Number value = example == Example::empty    ? Number(0)
                         : example == Example::small  ? Number(1)
                         : example == Example::lowest ? lowest
                                                      : std::numeric_limits<Number>::max();
    if constexpr (std::is_floating_point_v<Number>) {
      out_.number(value);
    } else if constexpr (std::is_signed_v<Number>) {
      out_.number(std::int64_t{value});
    } else {
      out_.number(std::uint64_t{value});
    }
  }

  std::string next_text(std::string_view piece) {
    const Example example = next();
    std::string text(example == Example::small ? "a" : "");
    while (example == Example::highest && text.size() < long_size) text += piece;
    return text;
  }

  std::size_t next_count() {
    const Example example = next();
    return example == Example::small ? 1 : example == Example::highest ? several : 0;
  }

  Random* const random_ = nullptr;
  Example example_ = Example::empty;
  json::Writer out_;
};

}  // namespace

std::string example_request(const Fields& fields, Example example) {
  return ExampleWriter(example).object(fields);
}

std::vector<std::string> generated_requests(const Fields& fields, std::uint64_t seed,
                                            std::size_t most) {
  std::vector<std::string> requests;
  const auto add = [&](std::string request) {
    const bool known = std::ranges::find(requests, request) != requests.end();
    if (!known && requests.size() < most) requests.push_back(std::move(request));
  };
  for (const Example example :
       {Example::empty, Example::small, Example::lowest, Example::highest}) {
    add(example_request(fields, example));
  }
  for (const Field& field : fields) {
    for (const Example example : {Example::lowest, Example::highest}) {
      add(ExampleWriter(Example::small).object(fields, &field, example));
    }
  }
  Random random(seed);
  for (std::size_t tries = 2 * most; tries > 0 && requests.size() < most; --tries) {
    add(ExampleWriter(random).object(fields));
  }
  return requests;
}

}  // namespace tenon::command
