// SPDX-License-Identifier: BSL-1.0
#include "generator.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "records.hpp"

namespace tenon::builtin {
namespace {

constexpr std::string_view payload_begin = "{\"fill\":\"";
constexpr std::string_view payload_end = "\"}";
constexpr std::size_t smallest_payload = payload_begin.size() + payload_end.size();

constexpr std::size_t max_digits = 20;
constexpr std::string_view json_format = "json";

/// Returns a record with the parts that all records of a batch share, in the arena of the call.
tenon_record_v2 shared_parts(tenon_call* call, std::string_view payload) {
  static const TextMap metadata = {{std::string(format_key), std::string(json_format)}};
  tenon_record_v2 record{};
  record.operation = TENON_RECORD_V2_OPERATION_CREATE;
  record.metadata = Value<TextMap>::raw<Copy::deep>(call, metadata);
  record.payload.after = Value<Bytes>::raw<Copy::deep>(call, BytesView(payload));
  return record;
}

/// Returns the size of a record without its position and key.
std::int64_t shared_bytes(std::string_view payload) {
  return static_cast<std::int64_t>(format_key.size() + json_format.size() + payload.size());
}

}  // namespace

void GeneratorSource::configure(const sdk::Config& config) {
  count_ = config.get<std::int64_t>("count", 0);
  rate_ = config.get("rate", 0.0);
  auto size = config.get<std::size_t>("size", 100);
  if (count_ < 0) throw std::invalid_argument("parameter \"count\" must not be negative");
  if (!(rate_ >= 0)) throw std::invalid_argument("parameter \"rate\" must not be negative");
  if (size < smallest_payload) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"size\" is ", size,
                       ", expected at least ", smallest_payload);
  }
  payload_.assign(payload_begin);
  payload_.append(size - smallest_payload, 'x');
  payload_.append(payload_end);
}

void GeneratorSource::open(std::optional<BytesView> position) {
  made_before_ = made_ = position ? parse_position(*position) : 0;
  if (made_ < 0) throw foreign_position(*position);
  begin_ = std::chrono::steady_clock::now();
}

std::int64_t GeneratorSource::wait_for_due() {
  if (rate_ == 0) return INT64_MAX;
  for (;;) {
    std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin_;
    const double wanted = std::min(since.count() * rate_, 9e18);
    auto due = static_cast<std::int64_t>(wanted) - (made_ - made_before_);
    if (due > 0) return due;
    double next = static_cast<double>(made_ - made_before_ + 1) / rate_ - since.count();
    call().wait(std::chrono::ceil<Duration>(std::chrono::duration<double>(next)));
  }
}

tenon_status GeneratorSource::raw_read_batch(tenon_call* call,
                                             const tenon_source_v2_read_batch_request* in,
                                             const tenon_source_v2_read_batch_response** out) {
  sdk::Call(call).check();
  std::int64_t left = (count_ == 0 ? INT64_MAX : count_) - made_;
  if (left <= 0) return tenon_fail(call, TENON_OUT_OF_RANGE, "no more records");
  auto size = std::min({static_cast<std::int64_t>(in->max), left, wait_for_due()});

  auto* response = sdk::detail::new_response<tenon_source_v2_read_batch_response>(call);
  void* elements;
  response->records =
      tenon_new_list(call, static_cast<std::size_t>(size), sizeof(tenon_record_v2), &elements);
  auto* record = static_cast<tenon_record_v2*>(elements);
  auto* digits =
      static_cast<char*>(tenon_allocate(call, static_cast<std::size_t>(size) * max_digits));
  const tenon_record_v2 shared = shared_parts(call, payload_);
  const bool limited = TENON_HAS(in, max_bytes) && in->max_bytes != nullptr;
  std::int64_t bytes_left = limited ? *in->max_bytes : INT64_MAX;
  std::size_t count = 0;
  for (; count < static_cast<std::size_t>(size) && bytes_left > 0; ++count, ++record) {
    char* end = std::to_chars(digits, digits + max_digits, ++made_).ptr;
    *record = shared;
    record->position = {reinterpret_cast<const std::uint8_t*>(digits),
                        static_cast<std::size_t>(end - digits)};
    record->key = record->position;
    bytes_left -= shared_bytes(payload_) + 2 * (end - digits);
    digits = end;
  }
  response->records.count = count;
  *out = response;
  return TENON_OK;
}

}  // namespace tenon::builtin
