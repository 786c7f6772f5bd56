// SPDX-License-Identifier: BSL-1.0
//
// A source, a destination and their specifier that follow the rules of their kinds, except for the
// one that planted_fault names. meson.build lists the variants.
#include <tenon/sdk/destination.hpp>
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/source.hpp>
#include <tenon/sdk/specifier.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planted.h"
#ifdef _WIN32
#include "wrong_windows.hpp"
#else
#include "wrong_posix.hpp"
#endif

namespace {

using namespace std::chrono_literals;
using tenon::sdk::Failure;
using Type = tenon::ParameterV2::Type;
using Rule = tenon::ParameterV2::Rule;

bool planted(std::string_view fault) {
  return fault == planted_fault;
}

int* volatile nowhere = nullptr;

void crash() {
  *nowhere = 1;
}

/// Prints what a plugin sees of the process, and a control character.
void look_around() {
  const char* secret = std::getenv("WORLD_SECRET");
  void* memory = std::malloc(std::size_t{3} << 30);
  std::printf("\x1b[2Jsecret %s, memory %s\n", secret != nullptr ? secret : "none",
              memory != nullptr ? "enough" : "none");
  std::fflush(stdout);
  std::free(memory);
}

// -- Parameters ---------------------------------------------------------------

struct Settings {
  std::int64_t count = 0;
  bool waits = false;
};

constexpr auto parameters = tenon::sdk::parameters(
    tenon::sdk::parameter(&Settings::count, "count", "of the records").required().greater_than("0"),
    tenon::sdk::parameter(&Settings::waits, "waits", "for more records at the end")
        .otherwise("false"));

Settings read_or_ignore(const tenon::sdk::Config& config) {
  try {
    return parameters.read(config);
  } catch (const Failure&) {
    return {1, false};
  }
}

Settings read(const tenon::sdk::Config& config) {
  if (planted("says nothing of unknown parameters")) config.entries();
  if (planted("does not need its required parameter") && !config.has("count")) return {1, false};
  if (planted("takes values of any type") && config.has("count")) return read_or_ignore(config);
  if (planted("does not name its required parameter") && !config.has("count")) {
    throw Failure(TENON_INVALID_ARGUMENT, "something is missing");
  }
  if (planted("fails with another status") && !config.has("count")) {
    throw Failure(TENON_INTERNAL, "parameter \"count\" is required");
  }
  return parameters.read(config);
}

// -- The source ---------------------------------------------------------------

class Source : public tenon::sdk::SourceV2 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    configured_ = true;
    if (planted("refuses its configuration")) throw Failure(TENON_INVALID_ARGUMENT, "never");
    settings_ = read(config);
  }

  void open(std::optional<tenon::BytesView> position) override {
    opened_ = true;
    if (planted("leaks a thread")) leak_thread();
    if (planted("leaks a descriptor")) leak_descriptor();
    if (position) last_ = std::stoll(std::string(position->text()));
    if (position && planted("loses a record when it is opened again")) ++last_;
    if (position && planted("repeats a record when it is opened again")) --last_;
  }

  std::vector<tenon::RecordV2> read_batch(std::int32_t max,
                                          std::optional<std::int64_t> max_bytes) override {
    if (!planted("reads on when it is cancelled")) call().check();
    if (last_ >= settings_.count) end();
    if (max == 3 && planted("takes no limit of records")) max = 10;
    if (planted("takes no limit of bytes")) max_bytes.reset();
    if (max_bytes && planted("refuses a limit of bytes")) throw Failure(TENON_INTERNAL, "no");
    std::vector<tenon::RecordV2> records;
    for (std::int64_t bytes = 0; records.size() < static_cast<std::size_t>(max) &&
                                 last_ < settings_.count && (!max_bytes || bytes < *max_bytes);) {
      records.push_back(next());
      bytes += static_cast<std::int64_t>(bytes_of(records.back()));
    }
    return records;
  }

  void ack(tenon::ListView<tenon::Bytes> positions) override {
    if (stopped_ && planted("ends the process")) std::exit(3);
    if (stopped_ && planted("hangs")) hang();
    if (positions.size() > 1 && planted("takes one acknowledgement at a time")) {
      throw Failure(TENON_INVALID_ARGUMENT, "too many");
    }
  }

  std::optional<tenon::Bytes> stop() override {
    stopped_ = true;
    if (planted("stops at the first record")) return tenon::to_bytes("1");
    if (!given_) return std::nullopt;
    return position_of(last_);
  }

  void teardown() override {
    if (!configured_ && planted("crashes in teardown")) crash();
    if (!configured_ && planted("leaves a process")) leave_process();
    if (!configured_ && planted("looks around")) look_around();
    if (!configured_ && planted("throws from teardown")) throw Failure(TENON_INTERNAL, "no");
    if (opened_ && planted("throws from teardown after open")) throw Failure(TENON_INTERNAL, "no");
  }

 private:
  [[noreturn]] void end() const {
    if (planted("waits whatever comes")) hang();
    while (settings_.waits) call().wait(1h);
    if (planted("fails at its end")) throw Failure(TENON_DATA_LOSS, "nothing is left");
    throw Failure(TENON_OUT_OF_RANGE, "no more records");
  }

  static std::size_t bytes_of(const tenon::RecordV2& record) {
    std::size_t bytes = 2 * record.position.size();
    for (const auto& [key, value] : record.metadata) bytes += key.size() + value.size();
    return bytes;
  }

  static tenon::Bytes position_of(std::int64_t number) {
    if (number == 15 && planted("repeats a position")) --number;
    return tenon::to_bytes(std::to_string(number));
  }

  tenon::RecordV2 next() {
    given_ = true;
    tenon::RecordV2 record;
    record.position = position_of(++last_);
    record.payload.after = record.position;
    if (planted("gives the first data when it is opened again")) {
      record.payload.after = position_of(++read_);
    }
    if (planted("gives text that is not UTF-8")) record.metadata["language"] = "fran\xe7\x61is";
    return record;
  }

  Settings settings_;
  bool configured_ = false;
  bool opened_ = false;
  std::int64_t last_ = 0;
  std::int64_t read_ = 0;
  bool given_ = false;
  bool stopped_ = false;
};

// -- The destination ----------------------------------------------------------

std::mutex shared_mutex;
std::deque<tenon::DestinationV2Ack> shared_acks;
bool opened_before = false;

class Destination : public tenon::sdk::DestinationV2 {
 public:
  void configure(const tenon::sdk::Config& config) override { settings_ = read(config); }

  void open() override {
    opened_ = true;
    if (planted("leaks a descriptor")) leak_descriptor();
    if (planted("opens only once") && std::exchange(opened_before, true)) {
      throw Failure(TENON_INTERNAL, "opened already");
    }
  }

  void write_batch(tenon::ListView<tenon::RecordV2> records) override {
    if (held_) acks().push_back(*std::exchange(held_, {}));
    for (const auto& record : records) accept(record);
    const std::lock_guard<std::mutex> lock(shared_mutex);
    if (planted("acknowledges out of order") && acks().size() > 10) {
      std::swap(acks()[0], acks()[1]);
    }
    if (planted("drops the last record at stop")) held_ = take_last();
  }

  std::vector<tenon::DestinationV2Ack> next_acks() override {
    if (planted("waits whatever comes") && is_empty()) hang();
    for (; is_empty(); call().wait(1ms)) {
      if (stopped_) throw Failure(TENON_OUT_OF_RANGE, "no more acknowledgements");
    }
    if (planted("waits for stop") && !stopped_ && count() > 5) call().wait(1h);
    const std::lock_guard<std::mutex> lock(shared_mutex);
    std::vector<tenon::DestinationV2Ack> taken(acks().begin(), acks().end());
    acks().clear();
    return taken;
  }

  void stop(std::optional<tenon::BytesView>) override {
    const std::lock_guard<std::mutex> lock(shared_mutex);
    stopped_ = true;
    if (!last_ && planted("acknowledges what it never got"))
      acks().push_back({tenon::to_bytes("x"), {}});
    if (planted("acknowledges again at stop") && last_) acks().push_back({*last_, {}});
  }

  void teardown() override {
    if (opened_ && planted("throws from teardown after open")) throw Failure(TENON_INTERNAL, "no");
  }

 private:
  void accept(const tenon::RecordV2View& record) {
    tenon::DestinationV2Ack ack;
    ack.position = record.position().own();
    last_ = ack.position;
    const bool is_bare = !record.payload().after() && !record.payload().before();
    if (is_bare && planted("loses records without payload")) return;
    if (is_bare && planted("refuses without a code")) ack.error.emplace();
    if (!record.bag().empty() && planted("refuses newer records")) {
      ack.error = {{"too-new", "never seen", false}};
    }
    const std::lock_guard<std::mutex> lock(shared_mutex);
    acks().push_back(std::move(ack));
  }

  std::optional<tenon::DestinationV2Ack> take_last() {
    if (acks().empty()) return std::nullopt;
    tenon::DestinationV2Ack last = acks().back();
    acks().pop_back();
    return last;
  }

  bool is_empty() {
    const std::lock_guard<std::mutex> lock(shared_mutex);
    if (held_ && acks().empty() && !stopped_) acks().push_back(*std::exchange(held_, {}));
    return acks().empty();
  }

  std::size_t count() {
    const std::lock_guard<std::mutex> lock(shared_mutex);
    return acks().size();
  }

  std::deque<tenon::DestinationV2Ack>& acks() {
    return planted("shares its acknowledgements") ? shared_acks : acks_;
  }

  Settings settings_;
  std::deque<tenon::DestinationV2Ack> acks_;
  std::optional<tenon::DestinationV2Ack> held_;
  std::optional<tenon::Bytes> last_;
  bool opened_ = false;
  bool stopped_ = false;
};

// -- The specifier ------------------------------------------------------------

class Specifier : public tenon::sdk::SpecifierV1 {
 public:
  tenon::Specification specify() override {
    tenon::Specification numbers;
    numbers.name = planted("has blanks around its name") ? "numbers " : "numbers";
    numbers.summary = planted("has no summary") ? "" : "Counts from 1";
    numbers.description = "Counts from 1. What is written is forgotten.";
    if (planted("specifies something else each time")) {
      numbers.description += std::to_string(calls_++);
    }
    numbers.version = planted("has no version")        ? "1.0"
                      : planted("has a later version") ? "2.0.0"
                                                       : "1.2.0";
    numbers.author = "Me";
    numbers.source_parameters = parameters.specification();
    numbers.destination_parameters = parameters.specification();
    if (planted("has other parameters than its manifest")) {
      numbers.destination_parameters["waits"].description = "for the end";
    }
    tenon::ParameterV2& waits = numbers.source_parameters["waits"];
    if (planted("has a default of the wrong type")) waits.default_value = "perhaps";
    if (planted("has a default that is not included")) {
      waits.validations.push_back({Rule::Inclusion, R"(["true"])", {}});
    }
    if (planted("has a bound that is no number")) {
      waits.type = Type::Int;
      waits.default_value.clear();
      waits.validations.push_back({Rule::GreaterThan, "many", {}});
    }
    return numbers;
  }

 private:
  int calls_ = 0;
};

void start(tenon::sdk::Call, tenon::sdk::Host) {
  if (planted("leaks a thread when it is loaded")) leak_thread();
  if (!planted("loads only once")) return;
  if (std::getenv("TENON_TESTS_LOADED") != nullptr) throw Failure(TENON_INTERNAL, "loaded already");
  set_variable("TENON_TESTS_LOADED");
}

}  // namespace

#ifdef WITHOUT_SPECIFIER
#define PLUGINS(P) P(Source, "test.example/numbers") P(Destination, "test.example/numbers")
#else
#define PLUGINS(P)                       \
  P(Source, "test.example/numbers")      \
  P(Destination, "test.example/numbers") \
  P(Specifier, "test.example/numbers")
#endif
TENON_PLUGINS_WITH("test.example/numbers", "1.2.0", start, nullptr, PLUGINS, {
  "summary": "Counts",
  "properties": {
    "test.example/numbers": {
      "destination_parameters": {
        "version": 2,
        "value": {
          "count": {
            "description": "of the records",
            "type": "int",
            "validations":
                [{"type": "required", "value": ""}, {"type": "greater_than", "value": "0"}]
          },
          "waits": {
            "description": "for more records at the end",
            "type": "bool",
            "default_value": "false"
          }
        }
      }
    }
  }
});
