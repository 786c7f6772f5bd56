// SPDX-License-Identifier: BSL-1.0
//
// Measures the conversion of a document to another version: a record by one step, between storage
// types and between ABI structs, and a reading across all its versions. The baselines are a deep
// copy and the parsing of the same document. Also measures the conversion of lines of JSON,
// compared with Boost.JSON, which only parses and serializes them.
#include <tenon/call.hpp>
#include <tenon/document.hpp>
#include <tenon/record_steps.hpp>

#include <benchmark/benchmark.h>
#include <sensor/reading_steps.hpp>

#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "plain_lines.hpp"

namespace tenon::bench { namespace {

using sensor::ReadingV1Storage;
using sensor::ReadingV4Storage;
using sensor::ReadingV5Storage;

// -- The documents ------------------------------------------------------------

/// A stored document of a version.
template <class Storage>
constexpr std::string_view line{};

/// Records of a changed row, as a pipeline stores them.
template <>
constexpr std::string_view line<RecordV1Storage> =
    R"({"type":"tenon.dev/record","version":1,"writer":"tenon-pipeline 0.1.0","value":{)"
    R"("position":"AAAAAAAAEAAAAAAB","metadata":{"opencdc.collection":"customers",)"
    R"("opencdc.version":"v1","source":"eu-west"},"created_at":1700000000000000000,)"
    R"("key":"eyJpZCI6MTcwMDAwfQ==","payload":)"
    R"("eyJpZCI6MTcwMDAwLCJuYW1lIjoiQWRhIExvdmVsYWNlIiwiY2l0eSI6IkxvbmRvbiJ9"}})";
template <>
constexpr std::string_view line<RecordV2Storage> =
    R"({"type":"tenon.dev/record","version":2,"writer":"tenon-pipeline 0.1.0","value":{)"
    R"("position":"AAAAAAAAEAAAAAAB","operation":"update",)"
    R"("metadata":{"opencdc.collection":"customers","opencdc.createdAt":"1700000000000000000",)"
    R"("source":"eu-west"},"key":"eyJpZCI6MTcwMDAwfQ==","payload":{"before":)"
    R"("eyJpZCI6MTcwMDAwLCJuYW1lIjoiQWRhIExvdmVsYWNlIn0=","after":)"
    R"("eyJpZCI6MTcwMDAwLCJuYW1lIjoiQWRhIExvdmVsYWNlIiwiY2l0eSI6IkxvbmRvbiJ9"}}})";

/// A record that version 1 can represent completely.
constexpr std::string_view created =
    R"({"type":"tenon.dev/record","version":2,"writer":"tenon-pipeline 0.1.0","value":{)"
    R"("position":"AAAAAAAAEAAAAAAB","operation":"create",)"
    R"("metadata":{"opencdc.collection":"customers","opencdc.createdAt":"1700000000000000000",)"
    R"("source":"eu-west"},"key":"eyJpZCI6MTcwMDAwfQ==","payload":{"after":)"
    R"("eyJpZCI6MTcwMDAwLCJuYW1lIjoiQWRhIExvdmVsYWNlIiwiY2l0eSI6IkxvbmRvbiJ9"}}})";

/// A reading in each version. The names of two fields differ.
#define READING(version, place, tags)                                                    \
  R"({"type":"sensor.example/reading","version":)" version                               \
  R"(,"writer":"bench 1.0.0","value":{"sensor":"north-7",")" place                       \
  R"(":"roof","at":1700000000000000000,"unit":"degree Celsius","samples":[)"             \
  R"({"at":1700000000000000000,"value":21.5},{"at":1700000000250000000,"value":21.75},)" \
  R"({"at":1700000000500000000,"value":22.125}],")" tags                                 \
  R"(":{"batch":"17","line":"b"},"signal":"AAAAAAAAEAAAAAAB"}})"
template <>
constexpr std::string_view line<ReadingV1Storage> = READING("1", "place", "tags");
template <>
constexpr std::string_view line<ReadingV4Storage> = READING("4", "site", "tags");
template <>
constexpr std::string_view line<ReadingV5Storage> = READING("5", "site", "labels");
#undef READING

/// The label of a version.
template <class Storage>
constexpr std::string_view label{};
template <>
constexpr std::string_view label<RecordV1Storage> = "1";
template <>
constexpr std::string_view label<RecordV2Storage> = "2";
template <>
constexpr std::string_view label<ReadingV1Storage> = "1";
template <>
constexpr std::string_view label<ReadingV4Storage> = "4";
template <>
constexpr std::string_view label<ReadingV5Storage> = "5";

/// A document of a version, in memory.
template <class Storage>
class Document {
 public:
  explicit Document(std::string_view text = line<Storage>) : conversion_(call_.raw()) {
    conversion_.copies = true;
    json::Parser parser;
    const auto read = read_document(conversion_, parser, text, {.to = label<Storage>});
    if (!read) std::abort();
    stored_ = static_cast<const Storage*>(read->stored);
    if (!Stored<Storage>::save(conversion_, *stored_, raw_)) std::abort();
  }

  const Storage& stored() const noexcept { return *stored_; }
  /// Returns the document as an ABI struct.
  const typename Stored<Storage>::Raw& raw() const noexcept { return raw_; }

 private:
  Call call_;
  Conversion conversion_;
  const Storage* stored_;
  typename Stored<Storage>::Raw raw_;
};

// -- Deep copies --------------------------------------------------------------

tenon_string copy(tenon_call* call, const tenon_string& text) {
  if (text.data == nullptr) return text;
  return {static_cast<const char*>(tenon_allocate_copy(call, text.data, text.size)), text.size};
}

tenon_bytes copy(tenon_call* call, const tenon_bytes& bytes) {
  if (bytes.data == nullptr) return bytes;
  return {static_cast<const std::uint8_t*>(tenon_allocate_copy(call, bytes.data, bytes.size)),
          bytes.size};
}

/// Returns a copy of a list, with `copy_element` for each element.
template <class Element, class CopyElement>
tenon_list copy_list(tenon_call* call, const tenon_list& list, CopyElement&& copy_element) {
  auto* made = static_cast<Element*>(tenon_allocate(call, list.count * sizeof(Element)));
  for (std::size_t i = 0; i < list.count; ++i) {
    new (&made[i]) Element(copy_element(TENON_AT(Element, list, i)));
  }
  return {made, list.count, sizeof(Element)};
}

tenon_map copy(tenon_call* call, const tenon_map& map) {
  const auto copy_text = [call](const tenon_string& text) { return copy(call, text); };
  return {copy_list<tenon_string>(call, map.keys, copy_text),
          copy_list<tenon_string>(call, map.values, copy_text)};
}

tenon_record_v1 copy(tenon_call* call, const tenon_record_v1& from) {
  tenon_record_v1 to = from;
  to.position = copy(call, from.position);
  to.metadata = copy(call, from.metadata);
  if (from.created_at != nullptr) {
    to.created_at = static_cast<const tenon_timestamp*>(
        tenon_allocate_copy(call, from.created_at, sizeof *from.created_at));
  }
  to.key = copy(call, from.key);
  to.payload = copy(call, from.payload);
  to.bag = copy(call, from.bag);
  return to;
}

tenon_record_v2 copy(tenon_call* call, const tenon_record_v2& from) {
  tenon_record_v2 to = from;
  to.position = copy(call, from.position);
  to.metadata = copy(call, from.metadata);
  to.key = copy(call, from.key);
  to.payload.before = copy(call, from.payload.before);
  to.payload.after = copy(call, from.payload.after);
  to.payload.bag = copy(call, from.payload.bag);
  to.bag = copy(call, from.bag);
  return to;
}

template <class Form>
Form copy_stored(tenon_call* call, const Form& form) {
  if constexpr (std::is_arithmetic_v<Form>) {
    return form;
  } else if constexpr (StoredEnum<Form>) {
    return {copy(call, form.literal)};
  } else if constexpr (StoredStruct<Form>) {
    Form made = form;
    Form::for_each_field(made, [call]<class Field>(std::string_view, const Field*& field) {
      if (field == nullptr) return;
      field = new (tenon_allocate(call, sizeof(Field))) Field(copy_stored(call, *field));
    });
    return made;
  } else if constexpr (requires { form.raw.keys; }) {
    return {copy(call, form.raw)};
  } else if constexpr (requires { form.raw; }) {
    using Element = std::remove_cvref_t<decltype(form[0])>;
    return {copy_list<Element>(
        call, form.raw, [call](const Element& element) { return copy_stored(call, element); })};
  } else {
    return copy(call, form);
  }
}

// -- Benchmarks ----------------------------------------------------------------

template <class From, class To>
void step(benchmark::State& state) {
  const Document<From> from;
  Call call;
  for (auto _ : state) {
    call.reset();
    Conversion conversion(call.raw());
    To to;
    if (!convert(conversion, from.stored(), to)) std::abort();
    benchmark::DoNotOptimize(to);
  }
}
BENCHMARK(step<RecordV1Storage, RecordV2Storage>)->Name("record_1_to_2");
BENCHMARK(step<RecordV2Storage, RecordV1Storage>)->Name("record_2_to_1");
BENCHMARK(step<ReadingV4Storage, ReadingV5Storage>)->Name("reading_4_to_5");
BENCHMARK(step<ReadingV1Storage, ReadingV5Storage>)->Name("reading_1_to_5");
BENCHMARK(step<ReadingV5Storage, ReadingV1Storage>)->Name("reading_5_to_1");

template <class From, class To, auto convert, const std::string_view& text = line<From>>
void step_of_structs(benchmark::State& state) {
  const Document<From> from(text);
  Call call;
  for (auto _ : state) {
    call.reset();
    typename Stored<To>::Raw to;
    if (convert(call.raw(), from.raw(), to, Keep::everything) != TENON_OK) std::abort();
    benchmark::DoNotOptimize(to);
  }
}
BENCHMARK(step_of_structs<RecordV1Storage, RecordV2Storage, convert_record_1_to_2>)
    ->Name("record_1_to_2_as_struct");
BENCHMARK(step_of_structs<RecordV2Storage, RecordV1Storage, convert_record_2_to_1>)
    ->Name("record_2_to_1_as_struct");
BENCHMARK(step_of_structs<RecordV2Storage, RecordV1Storage, convert_record_2_to_1, created>)
    ->Name("created_2_to_1_as_struct");

template <class Storage>
void deep_copy(benchmark::State& state) {
  const Document<Storage> from;
  Call call;
  for (auto _ : state) {
    call.reset();
    Storage to = copy_stored(call.raw(), from.stored());
    benchmark::DoNotOptimize(to);
  }
}
BENCHMARK(deep_copy<RecordV1Storage>)->Name("copy_record_1");
BENCHMARK(deep_copy<RecordV2Storage>)->Name("copy_record_2");
BENCHMARK(deep_copy<ReadingV1Storage>)->Name("copy_reading_1");
BENCHMARK(deep_copy<ReadingV4Storage>)->Name("copy_reading_4");
BENCHMARK(deep_copy<ReadingV5Storage>)->Name("copy_reading_5");

template <class Storage, const std::string_view& text = line<Storage>>
void deep_copy_of_struct(benchmark::State& state) {
  const Document<Storage> from(text);
  Call call;
  for (auto _ : state) {
    call.reset();
    auto to = copy(call.raw(), from.raw());
    benchmark::DoNotOptimize(to);
  }
}
BENCHMARK(deep_copy_of_struct<RecordV1Storage>)->Name("copy_record_1_as_struct");
BENCHMARK(deep_copy_of_struct<RecordV2Storage>)->Name("copy_record_2_as_struct");
BENCHMARK(deep_copy_of_struct<RecordV2Storage, created>)->Name("copy_created_2_as_struct");

/// Parses JSON into the storage type.
template <class Storage>
void parse(benchmark::State& state) {
  constexpr std::string_view text = line<Storage>;
  Call call;
  json::Parser parser;
  for (auto _ : state) {
    call.reset();
    Conversion conversion(call.raw());
    auto read = read_document(conversion, parser, text, {.to = label<Storage>});
    if (!read) std::abort();
    benchmark::DoNotOptimize(read);
  }
}
BENCHMARK(parse<RecordV1Storage>)->Name("parse_record_1");
BENCHMARK(parse<RecordV2Storage>)->Name("parse_record_2");
BENCHMARK(parse<ReadingV1Storage>)->Name("parse_reading_1");
BENCHMARK(parse<ReadingV5Storage>)->Name("parse_reading_5");

void count_bytes(benchmark::State& state, std::string_view text) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

/// Converts the text of a stored document.
template <class From, class To>
void convert_line(benchmark::State& state) {
  DocumentConverter converter;
  for (auto _ : state) {
    const auto converted = converter.convert(line<From>, {.to = label<To>});
    if (!converted) std::abort();
    benchmark::DoNotOptimize(converted->data());
  }
  count_bytes(state, line<From>);
}
BENCHMARK(convert_line<RecordV1Storage, RecordV2Storage>)->Name("convert_line_1_to_2");
BENCHMARK(convert_line<RecordV2Storage, RecordV2Storage>)->Name("convert_line_2_to_2");
BENCHMARK(convert_line<RecordV2Storage, RecordV1Storage>)->Name("convert_line_2_to_1");

template <class Storage>
void plain_line(benchmark::State& state) {
  PlainLines plain;
  for (auto _ : state) {
    benchmark::DoNotOptimize(plain.copy(line<Storage>).data());
  }
  if (plain.copy(line<Storage>) != line<Storage>) std::abort();
  count_bytes(state, line<Storage>);
}
BENCHMARK(plain_line<RecordV1Storage>)->Name("plain_line_1");
BENCHMARK(plain_line<RecordV2Storage>)->Name("plain_line_2");

}}  // namespace tenon::bench
