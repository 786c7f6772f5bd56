// SPDX-License-Identifier: BSL-1.0
//
// A source as authors write them, on the bases of the SDK. Its config is a script, one word for each
// read: see `Source::read`.
#include <tenon/sdk/reading_source.hpp>

#include <chrono>
#include <deque>
#include <optional>
#include <sstream>
#include <string>

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
  Source() { throw Failure(TENON_INTERNAL, "makes no instance"); }
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
    if (word == "fetch") {  // what is left, at once
      held_.swap(script_);
      return read();
    }
    return record_at(word);
  }

  bool buffered() const override { return !held_.empty(); }

 private:
  static std::string next_of(std::deque<std::string>& words) {
    std::string word = words.front();
    words.pop_front();
    return word;
  }
  std::string take() { return next_of(script_); }

  std::deque<std::string> script_;
  std::deque<std::string> held_;
};

/// Reads its script in batches, as far as a batch takes it.
class BatchSource : public Source {
 public:
  void read_some(tenon::sdk::RecordBatch& batch) override {
    while (!batch.full()) {
      std::optional<tenon::RecordV2> record = read();
      if (!record) return;
      batch.add(*std::move(record));
    }
  }
};

}  // namespace

#define PLUGINS(P)                 \
  P(Source, "test.example/author") \
  P(BatchSource, "test.example/batch-author")
TENON_PLUGINS("test.example/author", EDITION, PLUGINS);
