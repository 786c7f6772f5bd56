// SPDX-License-Identifier: BSL-1.0
#include <tenon/call.hpp>
#include <tenon/destination.hpp>
#include <tenon/record.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "footprint.hpp"
#include "lifecycle_cases.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

using Ack = DestinationV2Ack;
using Acks = std::vector<Ack>;
using Records = std::vector<Record>;

constexpr std::size_t record_count = 20;
constexpr std::size_t megabyte = 1 << 20;

/// Returns a record whose payload is a JSON object, which most destinations accept.
Record record_of(std::size_t number) {
  const std::string text = std::to_string(number);
  Record record;
  record.position = to_bytes("position " + text);
  record.key = to_bytes("key " + text);
  record.payload.after = to_bytes(R"({"number":)" + text + R"(,"text":"record )" + text + "\"}");
  return record;
}

Records records_of(std::size_t count) {
  Records records;
  for (std::size_t number = 1; number <= count; ++number) records.push_back(record_of(number));
  return records;
}

/// An open destination.
class OpenDestination {
 public:
  explicit OpenDestination(Subject& subject)
      : subject_(subject), destination_(subject, config_of<Destination>(subject)) {
    require_done(destination_->open());
  }

  Destination* operator->() noexcept { return destination_.operator->(); }

  void write(const Records& records) { value_of(destination_->write_batch(records)); }

  /// Collects acknowledgements until there are `count`, or until no more arrive in time.
  Acks collect(std::size_t count) {
    const auto end = std::chrono::steady_clock::now() + subject_.patience();
    Acks acks;
    while (acks.size() < count && collect_some(end, acks)) {
    }
    return acks;
  }

  /// Stops the destination after the written records, and collects the remaining acknowledgements.
  Acks stop(const Records& written) {
    const auto last =
        written.empty() ? std::nullopt : std::optional<BytesView>(written.back().position);
    tenon::Call call;
    call.set_timeout(subject_.patience());
    require_done(destination_->stop(call, last));
    return collect(written.size() + 1);
  }

  void teardown() { destination_.teardown(); }

 private:
  /// Collects acknowledgements once. Returns whether to collect again.
  bool collect_some(std::chrono::steady_clock::time_point end, Acks& acks) {
    tenon::Call call;
    call.set_deadline(end);
    const auto next = destination_->next_acks(call);
    if (next) {
      for (const DestinationV2AckView& ack : *next) acks.push_back(own(ack));
      return true;
    }
    const bool too_late = std::chrono::steady_clock::now() >= end;
    if (!too_late && !is(next.error(), TENON_OUT_OF_RANGE)) fail(next.error().to_string());
    return false;
  }

  Subject& subject_;
  Instance<Destination> destination_;
};

bool stands_for(const Ack& ack, const Record& record) {
  return ack.position == record.position;
}

/// Fails the case unless there is one acknowledgement for each record, in the same order.
void require_acks(const Acks& acks, const Records& records) {
  for (std::size_t i = 0; i < std::min(acks.size(), records.size()); ++i) {
    require(stands_for(acks[i], records[i]), "acknowledgement " + std::to_string(i + 1) +
                                                 ": needed " + shown(records[i].position) +
                                                 ", found " + shown(acks[i].position));
  }
  require(acks.size() == records.size(), "needed " + counted(records.size(), "acknowledgement") +
                                             ", found " + std::to_string(acks.size()));
}

void require_safe(const Acks& acks) {
  for (const Ack& ack : acks) {
    if (!ack.error) continue;
    fail("the record at " + shown(ack.position) + " is refused: " + ack.error->code + ": " +
         ack.error->message);
  }
}

void acknowledges_in_order(Subject& subject) {
  const Records records = records_of(record_count);
  OpenDestination destination(subject);
  destination.write({records[0]});
  destination.write({records.begin() + 1, records.begin() + 5});
  destination.write({records.begin() + 5, records.end()});
  const Acks acks = destination.collect(records.size());
  require_acks(acks, records);
  require_safe(acks);
}

/// Acknowledgements before and after stop count together.
void acknowledges_once(Subject& subject) {
  const Records records = records_of(record_count);
  OpenDestination destination(subject);
  destination.write(records);
  const Acks first = destination.collect(records.size());
  const Acks rest = destination.stop(records);
  require(first.size() + rest.size() <= records.size(),
          counted(records.size(), "record") + " have " +
              counted(first.size() + rest.size(), "acknowledgement"));
}

void writes_all_at_stop(Subject& subject) {
  const Records records = records_of(record_count);
  OpenDestination destination(subject);
  destination.write(records);
  const Acks acks = destination.stop(records);
  for (const Record& record : records) {
    require(std::ranges::any_of(acks, [&](const Ack& ack) { return stands_for(ack, record); }),
            "the record at " + shown(record.position) + " is not acknowledged after stop");
  }
  destination.teardown();
}

void stops_without_records(Subject& subject) {
  OpenDestination destination(subject);
  const Acks acks = destination.stop({});
  require(acks.empty(), "an acknowledgement without a record, of " +
                            (acks.empty() ? "" : shown(acks.front().position)));
  destination.teardown();
}

void ends_a_cancelled_wait(Subject& subject) {
  OpenDestination destination(subject);
  tenon::Call call;
  call.cancel();
  const auto acks = destination->next_acks(call);
  require(!acks, "an acknowledgement without a record");
  require(is(acks.error(), TENON_CANCELLED), "needed cancelled, found " + acks.error().to_string());
}

void ends_a_wait_at_its_deadline(Subject& subject) {
  OpenDestination destination(subject);
  tenon::Call call;
  call.set_timeout(std::min(std::chrono::milliseconds(200), subject.patience()));
  require(!destination->next_acks(call), "an acknowledgement without a record");
}

/// Writes records and fails the case unless each is acknowledged as safe.
void write_all(Subject& subject, const Records& records) {
  OpenDestination destination(subject);
  destination.write(records);
  Acks acks = destination.collect(records.size());
  require_acks(acks, records);
  require_safe(acks);
  require_done(destination->stop(records.back().position));
  destination.teardown();
}

/// The third instance keeps the module loaded.
void opens_again(Subject& subject) {
  const Instance<Destination> third(subject, config_of<Destination>(subject));
  write_all(subject, records_of(5));
  write_all(subject, records_of(5));
}

void tolerates_newer_records(Subject& subject) {
  Record record = record_of(1);
  record.bag = bag();
  record.payload.bag = bag();
  write_all(subject, {record});
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
  return {deleted, bare, large, not_json, record_of(5)};
}

void answers_for_every_record(Subject& subject) {
  const Records records = unusual_records();
  OpenDestination destination(subject);
  destination.write(records);
  const Acks acks = destination.collect(records.size());
  require_acks(acks, records);
  for (const Ack& ack : acks) {
    require(!ack.error || !ack.error->code.empty(),
            "the record at " + shown(ack.position) + " is refused without a code");
  }
}

/// A destination may refuse to open a resource that another instance uses.
void works_beside_another(Subject& subject) {
  const Records all = records_of(10);
  const Records first_records(all.begin(), all.begin() + 5);
  const Records second_records(all.begin() + 5, all.end());
  OpenDestination first(subject);
  Instance<Destination> refused(subject, config_of<Destination>(subject));
  const auto opened = refused->open();
  refused.teardown();
  if (!opened && !is(opened.error(), TENON_UNIMPLEMENTED)) {
    skip("a second instance is refused: " + opened.error().to_string());
  }
  OpenDestination second(subject);
  first.write(first_records);
  second.write(second_records);
  require_acks(first.collect(first_records.size()), first_records);
  require_acks(second.collect(second_records.size()), second_records);
}

void run_and_end(Subject& subject) {
  write_all(subject, records_of(5));
}

void leaves_nothing(Subject& subject) {
  require_nothing_left(subject, run_and_end);
}

constexpr Definition own_cases[] = {
    {"acknowledges records in order", acknowledges_in_order},
    {"acknowledges no record twice", acknowledges_once},
    {"has written and acknowledged all records after stop", writes_all_at_stop},
    {"stops without records", stops_without_records},
    {"ends a wait for acknowledgements that was cancelled", ends_a_cancelled_wait},
    {"ends a wait for acknowledgements at its deadline", ends_a_wait_at_its_deadline},
    {"can be opened again after stop", opens_again},
    {"accepts records of a newer version", tolerates_newer_records},
    {"acknowledges or refuses every record, whatever its content", answers_for_every_record},
    {"works alongside a second instance", works_beside_another},
    {"leaves no threads or descriptors after teardown", leaves_nothing},
};

constexpr auto all = with_lifecycle_cases<Destination>(own_cases);

}  // namespace

Definitions destination_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
