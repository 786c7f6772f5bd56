// SPDX-License-Identifier: BSL-1.0
#include <tenon/call.hpp>
#include <tenon/processor.hpp>
#include <tenon/record.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "footprint.hpp"
#include "lifecycle_cases.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

using Records = std::vector<Record>;
using Results = std::vector<Processor::Result>;

constexpr std::size_t record_count = 20;
constexpr std::size_t megabyte = 1 << 20;

/// Returns a record whose payload is a JSON object or an array of objects, because processors
/// accept one or the other.
Record record_of(std::size_t number) {
  const std::string text = std::to_string(number);
  const std::string object = R"({"number":)" + text + R"(,"text":"record )" + text + "\"}";
  Record record;
  record.position = to_bytes("position " + text);
  record.key = to_bytes("key " + text);
  record.payload.after = to_bytes(number % 2 == 0 ? object : "[" + object + "," + object + "]");
  return record;
}

Records records_of(std::size_t count) {
  Records records;
  for (std::size_t number = 1; number <= count; ++number) records.push_back(record_of(number));
  return records;
}

Records unusual_records() {
  Record deleted = record_of(1);
  deleted.operation = Record::Operation::Delete;
  deleted.payload.after.reset();
  Record bare;
  bare.position = to_bytes("bare");
  Record large = record_of(3);
  large.payload.after = to_bytes("{\"text\":\"" + std::string(megabyte, 'x') + "\"}");
  Record not_json = record_of(4);
  not_json.payload.after = Bytes{0xff, 0x00, 0xfe};
  return {deleted, bare, large, not_json};
}

void require_count(std::size_t results, const Records& records) {
  require(results == records.size(),
          counted(records.size(), "record") + ", found " + counted(results, "result"));
}

/// An open processor.
class OpenProcessor {
 public:
  explicit OpenProcessor(Subject& subject) : processor_(subject, config_of<Processor>(subject)) {
    require_done(processor_->open());
  }

  Processor* operator->() noexcept { return processor_.operator->(); }

  /// Processes one batch. Fails the case unless there is one result for each record.
  Results process(const Records& records) {
    Results results = value_of(processor_->process(records));
    require_count(results.size(), records);
    return results;
  }

  void teardown() { processor_.teardown(); }

 private:
  Instance<Processor> processor_;
};

/// Processes records in batches of at most `size` in a new instance.
Results results_in_batches(Subject& subject, const Records& records, std::size_t size) {
  OpenProcessor processor(subject);
  Results all;
  for (std::size_t at = 0; at < records.size(); at += size) {
    const auto begin = records.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = static_cast<std::ptrdiff_t>(std::min(size, records.size() - at));
    Results results = processor.process({begin, begin + count});
    std::move(results.begin(), results.end(), std::back_inserter(all));
  }
  return all;
}

void gives_each_record_a_result(Subject& subject) {
  const Records records = records_of(record_count);
  OpenProcessor processor(subject);
  processor.process({records[0]});
  processor.process({records.begin() + 1, records.begin() + 8});
  processor.process({records.begin() + 8, records.end()});
}

void gives_valid_records(Subject& subject) {
  subject.check_calls();
  OpenProcessor processor(subject);
  processor.process(records_of(record_count));
  processor.process(unusual_records());
}

void does_not_depend_on_batches(Subject& subject) {
  const Records records = records_of(record_count);
  const Results needed = results_in_batches(subject, records, records.size());
  if (results_in_batches(subject, records, records.size()) != needed) {
    skip("the processor is not deterministic");
  }
  for (const std::size_t size : {1, 3}) {
    const Results found = results_in_batches(subject, records, size);
    const auto differs = std::ranges::mismatch(needed, found).in1;
    if (differs == needed.end()) continue;
    fail("the record at " + shown(records[differs - needed.begin()].position) +
         " gets another result in batches of " + counted(size, "record"));
  }
}

bool is_code(const std::string& text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
}

void accepts_or_refuses_every_record(Subject& subject) {
  const Records records = unusual_records();
  const Results results = OpenProcessor(subject).process(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!results[i].error || is_code(results[i].error->code)) continue;
    fail("the record at " + shown(records[i].position) + " is refused with the code \"" +
         results[i].error->code + "\", needed: lower-case letters and hyphens");
  }
}

/// Processes records between unusual ones, which may be refused.
void refuses_records_one_by_one(Subject& subject) {
  const Records records = records_of(2 * unusual_records().size());
  const Results alone = OpenProcessor(subject).process(records);
  Records mixed;
  for (std::size_t i = 0; i < records.size(); ++i) {
    mixed.push_back(unusual_records()[i / 2]);
    mixed.push_back(records[i]);
  }
  const Results results = OpenProcessor(subject).process(mixed);
  for (std::size_t i = 0; i < records.size(); ++i) {
    require(alone[i].error || !results[2 * i + 1].error,
            "the record at " + shown(records[i].position) + " is refused after an unusual one");
  }
}

void accepts_newer_records(Subject& subject) {
  const Records records = records_of(2);
  Records newer = records;
  for (Record& record : newer) record.bag = record.payload.bag = bag();
  const Results needed = OpenProcessor(subject).process(records);
  const Results found = OpenProcessor(subject).process(newer);
  for (std::size_t i = 0; i < records.size(); ++i) {
    require(needed[i].error || !found[i].error,
            "the record at " + shown(records[i].position) +
                " is refused if its version is newer: " +
                (found[i].error ? found[i].error->message : ""));
  }
}

/// Processes records in a cancelled call. A processor may ignore the cancellation.
void process_cancelled(OpenProcessor& processor, const Records& records) {
  tenon::Call call;
  call.cancel();
  const auto results = processor->process(call, records);
  if (results) return require_count(results->size(), records);
  require(is(results.error(), TENON_CANCELLED),
          "needed cancelled, found " + results.error().to_string());
}

void ends_a_cancelled_call(Subject& subject) {
  OpenProcessor processor(subject);
  process_cancelled(processor, records_of(record_count));
}

void processes_again(Subject& subject) {
  OpenProcessor processor(subject);
  process_cancelled(processor, records_of(record_count));
  processor.process(records_of(record_count));
}

void is_torn_down_after_open(Subject& subject) {
  OpenProcessor(subject).teardown();
  OpenProcessor processor(subject);
  processor.process(records_of(1));
  processor.teardown();
}

/// A processor may refuse to open a resource that another instance uses.
void works_beside_another(Subject& subject) {
  OpenProcessor first(subject);
  Instance<Processor> second(subject, config_of<Processor>(subject));
  const auto opened = second->open();
  if (!opened && !is(opened.error(), TENON_UNIMPLEMENTED)) {
    skip("a second instance is refused: " + opened.error().to_string());
  }
  const Records records = records_of(record_count);
  first.process(records);
  require_count(value_of(second->process(records)).size(), records);
  first.process(records);
}

void run_and_end(Subject& subject) {
  OpenProcessor processor(subject);
  processor.process(records_of(record_count));
  processor.teardown();
}

void leaves_nothing(Subject& subject) {
  require_nothing_left(subject, run_and_end);
}

constexpr Definition own_cases[] = {
    {"gives each record one result", gives_each_record_a_result},
    {"gives valid records", gives_valid_records},
    {"gives the same results in batches of any size", does_not_depend_on_batches},
    {"accepts or refuses every record, whatever its content", accepts_or_refuses_every_record},
    {"refuses a record but not its neighbours", refuses_records_one_by_one},
    {"accepts records of a newer version", accepts_newer_records},
    {"ends a call that is already cancelled", ends_a_cancelled_call},
    {"processes records again after a cancelled call", processes_again},
    {"can be torn down after open", is_torn_down_after_open},
    {"works alongside a second instance", works_beside_another},
    {"leaves no threads or descriptors after teardown", leaves_nothing},
};

constexpr auto all = with_lifecycle_cases<Processor>(own_cases);

}  // namespace

Definitions processor_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
