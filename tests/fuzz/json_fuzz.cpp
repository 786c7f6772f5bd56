// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the JSON parser, and the result to the writer. Every written value must be read
// back unchanged.
#include <tenon/detail/arena.hpp>
#include <tenon/detail/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon;
using fuzzing::require;

/// Writes a document of one value with `write`, parses it, and passes the reader to `read`.
template <class Write, class Read>
void round_trip(Write&& write, Read&& read) {
  json::Writer out;
  write(out);
  require(out.view().find('\n') == std::string_view::npos);
  json::Parser parser;
  const auto root = parser.parse(out.view());
  require(root.has_value());
  read(*root);
}

std::string text_of(const json::Reader& value) {
  json::Writer out;
  out.value(value);
  return out.take();
}

/// A value that can be read must round-trip; otherwise there must be an error.
template <class T>
void read_real(json::Parser& parser, const json::Reader& in) {
  T value;
  if (!in.read(value)) {
    require(parser.take_error().code() == "wrong-value");
    return;
  }
  round_trip([&](json::Writer& out) { out.number(value); },
             [&](const json::Reader& back) {
               T again;
               require(back.read(again));
               require(std::isnan(value) ? std::isnan(again) : value == again);
               require(std::signbit(value) == std::signbit(again));
             });
}

void read_scalar(json::Parser& parser, const json::Reader& in) {
  read_real<float>(parser, in);
  read_real<double>(parser, in);
  std::int64_t integer;
  using Limits = std::numeric_limits<std::int64_t>;
  if (in.read_integer(integer, Limits::min(), Limits::max(), "int64")) {
    json::Writer out;
    out.number(integer);
    require(out.view() == text_of(in) || text_of(in) == "-0");
  }
  Arena arena;
  tenon_bytes bytes;
  if (in.read_bytes(arena.raw(), bytes)) {
    json::Writer out;
    out.base64({bytes.data, bytes.size});
    require(out.view() == text_of(in));
  }
}

void read_all(json::Parser& parser, const json::Reader& in) {
  if (in.form() == json::Form::array) {
    for (const json::Reader& element : in.elements()) read_all(parser, element);
  } else if (in.form() == json::Form::object) {
    for (const auto& [key, value] : in.members()) read_all(parser, value);
    json::Fields fields(in);
    for (const auto& [key, value] : in.members()) require(fields.take(key) != nullptr);
    require(fields.finish());
  } else {
    read_scalar(parser, in);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = fuzzing::text_of(data, size);
  // Any input can be written as a text, and as JSON inside a document.
  round_trip([&](json::Writer& out) { out.text(input); },
             [](const json::Reader& back) { require(back.form() == json::Form::text); });
  round_trip([&](json::Writer& out) { out.json(input); }, [](const json::Reader&) {});

  json::Parser parser;
  const auto root = parser.parse(input);
  if (!root) {
    require(root.error().code() == "not-json" && !root.error().where().empty());
    return 0;
  }
  const std::string text = text_of(*root);
  round_trip([&](json::Writer& out) { out.value(*root); },
             [&](const json::Reader& back) { require(text_of(back) == text); });
  read_all(parser, *root);
  return 0;
}
