// SPDX-License-Identifier: BSL-1.0
//
// Plugins that derive from the base classes of the SDK. The config of a source is a script with one
// word for each read. A destination does what the payload of a record says.
#include <tenon/sdk/async_destination.hpp>
#include <tenon/sdk/batcher.hpp>
#include <tenon/sdk/reading_source.hpp>
#include <tenon/sdk/retry.hpp>

#include <chrono>
#include <deque>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tenon::sdk::Failure;

tenon::RecordV2 record_at(const std::string& position) {
  tenon::RecordV2 record;
  record.position = tenon::to_bytes(position);
  record.payload.after = record.position;
  return record;
}

class Source : public tenon::sdk::ReadingSource {
 public:
#ifdef FAULT_CREATE
  Source() {
    throw Failure(TENON_INTERNAL, "makes no instance");
  }
#endif

  void configure(const tenon::sdk::Config& config) override {
    std::istringstream script(config.get("script", ""));
    for (std::string word; script >> word;) script_.push_back(word);
  }

  void open(std::optional<tenon::BytesView> position) override {
    while (position && !script_.empty() && take() != position->text()) {
    }
  }

  std::optional<tenon::RecordV2> read() override {
    if (!held_.empty()) return record_at(next_of(held_));
    if (script_.empty()) return std::nullopt;
    const std::string word = take();
    if (word == "retry") throw Failure(TENON_UNAVAILABLE, "not now").retryable();
    if (word == "fail") throw Failure(TENON_DATA_LOSS, "illegible");
    if (word == "wait") call().wait(1h);
    if (word == "endless") script_.push_front(word);
    if (word == "fetch") {  // buffers all remaining words
      held_.swap(script_);
      return read();
    }
    return record_at(word);
  }

  bool buffered() const override {
    return !held_.empty();
  }

 private:
  static std::string next_of(std::deque<std::string>& words) {
    std::string word = words.front();
    words.pop_front();
    return word;
  }
  std::string take() {
    return next_of(script_);
  }

  std::deque<std::string> script_;
  std::deque<std::string> held_;
};

/// Reads its script in batches, as many words as fit into each.
class BatchSource : public Source {
 public:
  void read_some(tenon::sdk::RecordBatch& batch) override {
    while (!batch.full()) {
      std::optional<tenon::RecordV2> record = read();
      if (!record) return;
      batch.add(*record);
    }
  }
};

/// Retries failed reads itself.
class PatientSource : public Source {
 public:
  std::optional<tenon::RecordV2> read() override {
    return tenon::sdk::retry(call(), [&] { return Source::read(); });
  }
};

class Destination : public tenon::sdk::AsyncDestination {
 public:
#ifdef FAULT_CREATE
  Destination() {
    throw Failure(TENON_INTERNAL, "makes no instance");
  }
#endif

  void configure(const tenon::sdk::Config& config) override {
    flush_ = config.get("flush", "all");
  }

  void write_async(tenon::RecordV2View record, const tenon::sdk::AckCallback& ack) override {
    const std::string_view what = record.payload().after()->text();
    if (what == "later") return held_.push_back(ack);
    if (what == "refuse") return ack({"ugly", "too ugly", false});
    if (what == "drop") return;
    if (what == "throw") throw Failure(TENON_UNAVAILABLE, "gone with ", record.position().text());
    if (what == "busy") throw Failure(TENON_UNAVAILABLE, "busy").retryable();
    if (what == "release") release();
    if (what == "twice") ack();
    ack();
  }

  void flush() override {
    if (flush_ == "all" || ++flushes_ == 2) release();
    if (flush_ == "fail") throw Failure(TENON_DATA_LOSS, "lost");
    if (flush_ == "thread") thread_ = std::thread([this] { release(); });
  }

  void teardown() override {
    if (thread_.joinable()) thread_.join();
  }

 private:
  /// Acknowledges the held records in reverse order.
  void release() {
    for (; !held_.empty(); held_.pop_back()) held_.back()();
  }

  std::string flush_;
  int flushes_ = 0;
  std::vector<tenon::sdk::AckCallback> held_;
  std::thread thread_;
};

/// Writes records in batches of three, and appends the sizes to a file.
class BatchDestination : public tenon::sdk::AsyncDestination {
 public:
  void configure(const tenon::sdk::Config& config) override {
    path_ = config.get<std::string>("path");
  }
  void open() override {
    batcher_.emplace(3, 1h, [this](const std::vector<tenon::RecordV2>& records) -> Refused {
      std::ofstream(path_, std::ios::app) << records.size() << '\n';
      return {};
    });
  }
  void write_async(tenon::RecordV2View record, const tenon::sdk::AckCallback& ack) override {
    batcher_->add(record, ack);
  }
  void flush() override { batcher_->flush(call()); }
  void teardown() override { batcher_.reset(); }

 private:
  std::string path_;
  std::optional<tenon::sdk::Batcher> batcher_;
};

}  // namespace

#define PLUGINS(P)                                \
  P(Source, "test.example/author")                \
  P(BatchSource, "test.example/batch-author")     \
  P(PatientSource, "test.example/patient-author") \
  P(Destination, "test.example/author")           \
  P(BatchDestination, "test.example/batch-author")
TENON_PLUGINS("test.example/author", EDITION, PLUGINS, {"threads": "joined"});
