// SPDX-License-Identifier: BSL-1.0
//
// test.example/actor: a source, a processor and a destination whose behaviour their config defines.
// They write their calls to a journal. EDITION is the version of their package.
#include <tenon/sdk/destination.hpp>
#include <tenon/sdk/processor.hpp>
#include <tenon/sdk/source.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <ios>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#ifndef EDITION
#define EDITION "1.0.0"
#endif

namespace {

using namespace std::chrono_literals;
using tenon::sdk::Failure;

/// Appends lines to a file, each with one write. Thread-safe, also for several of one file.
class Journal {
 public:
  void open(const std::string& path) {
    if (!path.empty()) file_.open(path, std::ios::binary | std::ios::app);
  }
  void add(const std::string& line) {
    if (!file_.is_open()) return;
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    if (!(file_ << line + "\n" << std::flush)) std::abort();
  }

 private:
  std::ofstream file_;
};

bool exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

[[noreturn]] void hang() {
  for (;;) std::this_thread::sleep_for(1h);
}

std::string text_of(tenon::MapView<std::string> config) {
  return std::string(config.find("note").value_or("-"));
}

std::string text_of(std::optional<tenon::BytesView> position) {
  return position ? std::string(position->text()) : "-";
}

/// Fails a step if the test configured a status.
void end_step(int status) {
  if (status != 0) throw Failure(status, "as told");
}

/// Ends the process with status 0.
void end_process(const std::string& how) {
  if (how == "exit") std::exit(0);
  if (how == "_Exit") std::_Exit(0);
#ifndef _WIN32  // MinGW has none
  if (how == "quick_exit") std::quick_exit(0);
#endif
  std::thread([] { std::exit(0); }).join();
}

/// Records 1 to `count`.
class Source : public tenon::sdk::SourceV2 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    journal_.open(config.get("journal", ""));
    journal_.add("source: configure");
    config.get("note", "");
    ends_ = config.get("ends", "");
    ends_in_ = config.get("ends_in", "");
    end_in("configure");
    if (config.get("endless", false)) hang();
    if (exists(config.get("endless_if", ""))) {
      journal_.add("source: endless");
      hang();
    }
    count_ = config.get("count", 10);
    batch_ = config.get("batch", 1000);
    delay_ = config.get("delay", 0ns);
    fail_at_ = config.get("fail_at", 0);
    crash_at_ = config.get("crash_at", 0);
    retry_at_ = config.get("retry_at", 0);
    deaf_at_ = config.get("deaf", false) ? 1 : config.get("deaf_at", 0);
    wait_at_ = config.get("wait_at", 0);
    unacknowledged_ = config.get("unacknowledged", 0);
    broken_ = config.get("broken", false);
    ack_status_ = config.get("ack_status", 0);
    ack_waits_ = config.get("ack_waits", false);
    stop_status_ = config.get("stop_status", 0);
    stop_waits_ = config.get("stop_waits", false);
    teardown_status_ = config.get("teardown_status", 0);
  }
  void on_created(tenon::MapView<std::string> config) override {
    journal_.add("source: created " + text_of(config));
  }
  void on_updated(tenon::MapView<std::string> before, tenon::MapView<std::string> after) override {
    journal_.add("source: updated " + text_of(before) + " " + text_of(after));
  }
  void on_deleted(tenon::MapView<std::string> config) override {
    journal_.open(std::string(config.find("journal").value_or("")));
    journal_.add("source: deleted " + text_of(config));
  }
  void open(std::optional<tenon::BytesView> position) override {
    journal_.add("source: open " + text_of(position));
    end_in("open");
    if (broken_) throw Failure(TENON_UNAVAILABLE, "nobody is at home");
    at_ = position ? std::stoi(text_of(position)) : 0;
    acknowledged_ = at_;
  }
  std::vector<tenon::RecordV2> read_batch(std::int32_t max, std::optional<std::int64_t>) override {
    if (at_ + 1 == deaf_at_) {
      journal_.add("source: deaf");
      hang();
    }
    call().check();
    if (at_ + 1 == wait_at_) journal_.add("source: waits");
    while (at_ + 1 == wait_at_ && !exists("go")) pause_call();
    while (unacknowledged_ != 0 && at_ - acknowledged_ >= unacknowledged_) pause_call();
    if (delay_ > 0ns) call().wait(delay_);
    if (call().cancelled()) call().check();
    if (at_ > 0) end_in("read_batch");
    if (at_ >= count_) throw Failure(TENON_OUT_OF_RANGE, "no more records");
    std::vector<tenon::RecordV2> records;
    while (static_cast<int>(records.size()) < std::min(max, batch_) && at_ < count_) {
      const int next = at_ + 1;
      if (next == crash_at_) {
        if (!records.empty()) break;
        if (std::remove("crash") == 0 || std::remove("crash again") == 0) {
          *static_cast<volatile int*>(nullptr) = 0;
        }
      }
      if (next == fail_at_ || next == retry_at_) {
        if (!records.empty()) break;
        if (next == fail_at_) throw Failure(TENON_DATA_LOSS, "record ", next, " is illegible");
        retry_at_ = 0;
        throw Failure(TENON_UNAVAILABLE | TENON_RETRYABLE, "not now");
      }
      at_ = next;
      tenon::RecordV2 record;
      record.position = tenon::to_bytes(std::to_string(at_));
      record.key = record.position;
      record.payload.after = tenon::to_bytes("{\"n\":" + std::to_string(at_) + "}");
      records.push_back(std::move(record));
    }
    return records;
  }
  void ack(tenon::ListView<tenon::Bytes> positions) override {
    journal_.add("source: ack " + text_of(positions[0]) + " to " +
                 text_of(positions[positions.size() - 1]));
    acknowledged_ = std::stoi(text_of(positions[positions.size() - 1]));
    end_in("ack");
    while (ack_waits_) {
      call().check();
      call().wait(1h);
    }
    end_step(ack_status_);
  }
  std::optional<tenon::Bytes> stop() override {
    journal_.add("source: stop");
    while (stop_waits_ && acknowledged_ != at_) std::this_thread::sleep_for(2ms);
    end_step(stop_status_);
    return tenon::to_bytes(std::to_string(at_));
  }
  void teardown() override {
    journal_.add("source: teardown");
    end_in("teardown");
    end_step(teardown_status_);
  }

 private:
  void end_in(std::string_view method) const {
    if (ends_in_ == method) end_process(ends_);
  }
  void pause_call() {
    call().wait(2ms);
    call().check();
  }

  Journal journal_;
  std::string ends_, ends_in_;
  int count_ = 0, batch_ = 0, fail_at_ = 0, crash_at_ = 0, retry_at_ = 0, at_ = 0;
  int deaf_at_ = 0, wait_at_ = 0, unacknowledged_ = 0;
  int ack_status_ = 0, stop_status_ = 0, teardown_status_ = 0;
  std::atomic<int> acknowledged_ = 0;
  bool broken_ = false, ack_waits_ = false, stop_waits_ = false;
  tenon::sdk::Duration delay_{};
};

/// Returns records whose keys are their positions, or "POSITION.PART" if a record is split.
class Processor : public tenon::sdk::ProcessorV1 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    journal_.open(config.get("journal", ""));
    journal_.add("processor: configure");
    keep_every_ = config.get("keep_every", 1);
    parts_ = config.get("parts", 1);
    refuse_ = config.get("refuse", 0);
    refuse_every_ = config.get("refuse_every", 0);
    refuse_part_ = config.get("refuse_part", "");
    away_ = config.get("away", false);
    crash_at_ = config.get("crash_at", 0);
    fail_at_ = config.get("fail_at", 0);
    status_ = config.get("status", TENON_INTERNAL);
    forget_at_ = config.get("forget_at", 0);
    deaf_ = config.get("deaf", false);
    broken_ = config.get("broken", false);
    stamp_ = config.get("stamp", false);
    delay_ = config.get("delay", 0ns);
    batches_ = config.get("batches", false);
  }
  void open() override {
    journal_.add("processor: open");
    if (broken_) throw Failure(TENON_UNAVAILABLE, "nobody is at home");
  }
  std::vector<Result> process(tenon::ListView<tenon::RecordV2> records) override {
    if (deaf_) {
      journal_.add("processor: deaf");
      hang();
    }
    if (batches_) journal_.add("processor: process " + std::to_string(records.size()));
    if (delay_ > 0ns) call().wait(delay_);
    std::vector<Result> results;
    for (const tenon::RecordV2View record : records) {
      const int position = std::stoi(std::string(record.position().text()));
      if (position == crash_at_ && (std::remove("crash") == 0 || exists("crash always"))) {
        *static_cast<volatile int*>(nullptr) = 0;
      }
      if (position == fail_at_) throw Failure(status_, "out of thread");
      if (position != forget_at_) results.push_back(process(record, position));
    }
    return results;
  }
  void teardown() override { journal_.add("processor: teardown"); }

 private:
  Result process(tenon::RecordV2View from, int position) const {
    const std::string key(from.key() ? from.key()->text() : "");
    if (position == refuse_ || (refuse_every_ != 0 && position % refuse_every_ == 0) ||
        (key == refuse_part_ && !key.empty())) {
      return {{}, tenon::ProcessorV1ResultError{"ugly", "too ugly", false}};
    }
    if (away_ && exists("away")) {
      return {{}, tenon::ProcessorV1ResultError{"away", "the dictionary is away", true}};
    }
    Result result;
    for (int part = 1; part <= parts_ && position % keep_every_ == 0; ++part) {
      tenon::RecordV2 record = tenon::Value<tenon::RecordV2>::own(from.raw());
      if (parts_ > 1) record.key = tenon::to_bytes(key + "." + std::to_string(part));
      if (stamp_) record.payload.after = stamp(*record.key);
      record.position = tenon::to_bytes("none");  // the host must replace it
      result.records.push_back(std::move(record));
    }
    return result;
  }

  static tenon::Bytes stamp(tenon::BytesView key) {
    return tenon::to_bytes("{\"" + std::string(key.text()) + "\":\"" EDITION "\"}");
  }

  Journal journal_;
  int keep_every_ = 1, parts_ = 1, refuse_ = 0, refuse_every_ = 0, crash_at_ = 0, fail_at_ = 0;
  int forget_at_ = 0, status_ = 0;
  std::string refuse_part_;
  bool away_ = false, deaf_ = false, broken_ = false, stamp_ = false, batches_ = false;
  tenon::sdk::Duration delay_{};
};

/// Writes positions to a file, one in each line; or keys, which then also identify records.
class Destination : public tenon::sdk::DestinationV2 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    journal_.open(config.get("journal", ""));
    written_.open(config.get("written", ""));
    keys_ = config.get("keys", false);
    batches_ = config.get("batches", false);
    journal_.add("destination: configure");
    config.get("note", "");
    config.get("delete_status", 0);
    refuse_ = config.get("refuse", "");
    refuse_every_ = config.get("refuse_every", 0);
    away_ = config.get("away", false);
    mute_ = config.get("mute", false);
    keep_ = config.get("keep", "");
    deaf_ = config.get("deaf", false);
    lie_at_ = config.get("lie_at", "");
    fail_at_ = config.get("fail_at", "");
    hold_ = config.get("hold", false);
    busy_until_ = config.get("busy_until", "");
    broken_ = config.get("broken", false);
    open_status_ = config.get("open_status", 0);
    stop_status_ = config.get("stop_status", 0);
  }
  void on_created(tenon::MapView<std::string> config) override {
    journal_.add("destination: created " + text_of(config));
  }
  void on_updated(tenon::MapView<std::string> before, tenon::MapView<std::string> after) override {
    journal_.add("destination: updated " + text_of(before) + " " + text_of(after));
  }
  void on_deleted(tenon::MapView<std::string> config) override {
    journal_.open(std::string(config.find("journal").value_or("")));
    journal_.add("destination: deleted " + text_of(config));
    end_step(std::stoi(std::string(config.find("delete_status").value_or("0"))));
  }
  void open() override {
    journal_.add("destination: open");
    if (broken_) throw Failure(TENON_UNAVAILABLE, "nobody is at home");
    end_step(open_status_);
  }
  void write_batch(tenon::ListView<tenon::RecordV2> records) override {
    if (deaf_) {
      journal_.add("destination: deaf");
      hang();
    }
    if (batches_) journal_.add("destination: write " + std::to_string(records.size()));
    while (!busy_until_.empty() && !exists(busy_until_)) call().wait(2ms);
    std::lock_guard lock(mutex_);
    for (const tenon::RecordV2View record : records) {
      if (record.position().text() == fail_at_) throw Failure(TENON_INTERNAL, "out of ink");
    }
    for (const tenon::RecordV2View record : records) {
      const std::string position(keys_ ? record.key()->text() : record.position().text());
      tenon::DestinationV2Ack ack;
      ack.position = position == lie_at_ ? tenon::to_bytes("elsewhere") : record.position().own();
      if (position == refuse_ || (refuse_every_ != 0 && std::stoi(position) % refuse_every_ == 0)) {
        ack.error = tenon::DestinationV2AckError{"ugly", "too ugly", false};
      } else if (away_ && exists("away")) {
        ack.error = tenon::DestinationV2AckError{"away", "the database is away", true};
      } else {
        written_.add(position);
      }
      acks_.push_back(std::move(ack));
    }
    changed_.notify_all();
  }
  std::vector<tenon::DestinationV2Ack> next_acks() override {
    std::unique_lock lock(mutex_);
    const auto kept = [&] { return !acks_.empty() && text_of(acks_.front().position) == keep_; };
    while (acks_.empty() || mute_ || kept() || (hold_ && !stopped_)) {
      call().check();
      changed_.wait_for(lock, 2ms);
    }
    std::vector<tenon::DestinationV2Ack> acks;
    while (!acks_.empty() && !kept()) {
      acks.push_back(std::move(acks_.front()));
      acks_.pop_front();
    }
    return acks;
  }
  void stop(std::optional<tenon::BytesView> last_position) override {
    journal_.add("destination: stop " + text_of(last_position));
    std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
    end_step(stop_status_);
  }
  void teardown() override { journal_.add("destination: teardown"); }

 private:
  Journal journal_;
  Journal written_;
  std::string refuse_, lie_at_, fail_at_, keep_, busy_until_;
  int refuse_every_ = 0;
  bool hold_ = false, broken_ = false, away_ = false, deaf_ = false, mute_ = false, keys_ = false;
  bool batches_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<tenon::DestinationV2Ack> acks_;
  bool stopped_ = false;
  int open_status_ = 0, stop_status_ = 0;
};

}  // namespace

#define PLUGINS(P)                   \
  P(Source, "test.example/actor")    \
  P(Processor, "test.example/actor") \
  P(Destination, "test.example/actor")
#ifdef STATED_VERSION
namespace {
[[maybe_unused]] const bool loaded = std::ofstream("loaded").is_open();
}
TENON_PLUGINS("test.example/actor", EDITION, PLUGINS, {
  "threads": "joined",
  "properties": {
    "test.example/actor": {
      "source_parameters": {
        "version": STATED_VERSION,
        "value": {
          "count": {"description": "How many records", "type": "int", "default_value": "3"},
          "journal": {"description": "Where calls are written", "type": "string", "required": true},
          "delay": {"description": "Before each record", "type": "duration"}
        }
      }
    }
  }
});
#else
TENON_PLUGINS("test.example/actor", EDITION, PLUGINS, {"threads": "joined"});
#endif
