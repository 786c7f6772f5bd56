// SPDX-License-Identifier: BSL-1.0
//
// Lines of JSON that are read and written again: by tenon with everything in it as the value that
// it is, bytes decoded and names found, against Boost.JSON, which only keeps the texts.
#include <tenon/call.hpp>
#include <tenon/json.hpp>

#include <benchmark/benchmark.h>
#include <boost/json.hpp>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace tenon::bench {
namespace {

/// A record of a change of a row, as a pipeline stores it.
constexpr std::string_view line =
    R"({"position":"AAAAAAAAEAAAAAAB","operation":"update","metadata":{"table":"customers",)"
    R"("created_at":"1700000000000000000","source":"eu-west"},)"
    R"("key":"eyJpZCI6MTcwMDAwfQ==","payload":{"before":)"
    R"("eyJpZCI6MTcwMDAwLCJuYW1lIjoiQWRhIExvdmVsYWNlIn0=","after":)"
    R"("eyJpZCI6MTcwMDAwLCJuYW1lIjoiQWRhIExvdmVsYWNlIiwiY2l0eSI6IkxvbmRvbiJ9"}})";

struct Change {
  tenon_bytes before;
  tenon_bytes after;
};

struct Record {
  tenon_bytes position;
  std::string_view operation;
  std::array<std::pair<std::string_view, std::string_view>, 8> metadata;
  std::size_t metadata_count;
  tenon_bytes key;
  Change payload;
};

bool read_bytes(json::Fields& fields, std::string_view name, Call& call, tenon_bytes& value) {
  const json::Reader* field = fields.take(name);
  return field != nullptr && field->read_bytes(call.raw(), value);
}

bool read_record(const json::Reader& in, Call& call, Record& record) {
  json::Fields fields(in);
  if (!read_bytes(fields, "position", call, record.position)) return false;
  if (!fields.take("operation")->read(record.operation)) return false;
  record.metadata_count = 0;
  for (const auto& [key, value] : fields.take("metadata")->members()) {
    auto& entry = record.metadata[record.metadata_count++];
    entry.first = key;
    if (!value.read(entry.second)) return false;
  }
  if (!read_bytes(fields, "key", call, record.key)) return false;
  json::Fields change(*fields.take("payload"));
  return read_bytes(change, "before", call, record.payload.before) &&
         read_bytes(change, "after", call, record.payload.after) && change.finish() &&
         fields.finish();
}

void write_bytes(json::Writer& out, std::string_view name, const tenon_bytes& value) {
  out.key(name);
  out.base64({value.data, value.size});
}

void write_record(json::Writer& out, const Record& record) {
  out.begin_object();
  write_bytes(out, "position", record.position);
  out.key("operation");
  out.text(record.operation);
  out.key("metadata");
  out.begin_object();
  for (std::size_t i = 0; i < record.metadata_count; i++) {
    out.key(record.metadata[i].first);
    out.text(record.metadata[i].second);
  }
  out.end_object();
  write_bytes(out, "key", record.key);
  out.key("payload");
  out.begin_object();
  write_bytes(out, "before", record.payload.before);
  write_bytes(out, "after", record.payload.after);
  out.end_object();
  out.end_object();
}

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * line.size()));
}

void json_line(benchmark::State& state) {
  json::Parser parser;
  json::Writer out;
  Call call;
  Record record;
  for (auto _ : state) {
    call.reset();
    out.clear();
    const auto root = parser.parse(line);
    if (!root || !read_record(*root, call, record)) std::abort();
    write_record(out, record);
    benchmark::DoNotOptimize(out.view().data());
  }
  if (out.view() != line) std::abort();
  count_bytes(state);
}
BENCHMARK(json_line);

void json_line_by_boost(benchmark::State& state) {
  namespace boost_json = boost::json;
  unsigned char memory[1 << 14];
  char buffer[BOOST_JSON_STACK_BUFFER_SIZE];
  boost_json::serializer serializer;
  std::string out;
  for (auto _ : state) {
    boost_json::monotonic_resource resource(memory);
    const boost_json::value value = boost_json::parse({line.data(), line.size()}, &resource);
    out.clear();
    serializer.reset(&value);
    while (!serializer.done()) {
      const auto part = serializer.read(buffer);
      out.append(part.data(), part.size());
    }
    benchmark::DoNotOptimize(out.data());
  }
  if (out != line) std::abort();
  count_bytes(state);
}
BENCHMARK(json_line_by_boost);

}  // namespace
}  // namespace tenon::bench
