// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to the parser of JSON and what it reads to the writer: what was written is read back
// the same, whatever it was.
#include <tenon/gen/arena.hpp>
#include <tenon/gen/json.hpp>

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon;
using fuzzing::require;

/// Writes what `write` does as the only value, and hands its reader to `read`.
template <class Write, class Read>
void there_and_back(Write&& write, Read&& read) {
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

/// What could be read is written and read again as the same; what could not has an error.
template <class T>
void read_real(json::Parser& parser, const json::Reader& in) {
  T value;
  if (!in.read(value)) {
    require(parser.take_error().code() == "wrong-value");
    return;
  }
  there_and_back([&](json::Writer& out) { out.number(value); },
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
  // As a text and as a JSON text inside of another it can always be written.
  there_and_back([&](json::Writer& out) { out.text(input); },
                 [](const json::Reader& back) { require(back.form() == json::Form::text); });
  there_and_back([&](json::Writer& out) { out.json(input); }, [](const json::Reader&) {});

  json::Parser parser;
  const auto root = parser.parse(input);
  if (!root) {
    require(root.error().code() == "not-json" && !root.error().where().empty());
    return 0;
  }
  const std::string text = text_of(*root);
  there_and_back([&](json::Writer& out) { out.value(*root); },
                 [&](const json::Reader& back) { require(text_of(back) == text); });
  read_all(parser, *root);
  return 0;
}
