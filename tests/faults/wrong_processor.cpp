// SPDX-License-Identifier: BSL-1.0
//
// A processor and its specifier that follow the rules of their kinds, except for the one that
// planted_fault names. meson.build lists the variants.
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/parameters.hpp>
#include <tenon/sdk/processor.hpp>
#include <tenon/sdk/specifier.hpp>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planted.h"

namespace {

using tenon::ProcessorV1Result;
using tenon::sdk::Failure;

bool planted(std::string_view fault) {
  return fault == planted_fault;
}

/// The thread runs no code of the module, which may be unloaded before it starts.
void leak_thread() {
  const auto sleep_for_ever = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void*>(pause));
  pthread_t thread;
  pthread_create(&thread, nullptr, sleep_for_ever, nullptr);
}

void leak_descriptor() {
  static_cast<void>(open("/dev/null", O_RDONLY | O_CLOEXEC));
}

struct Settings {
  std::string stamp;
  bool strict = true;
};

constexpr auto parameters = tenon::sdk::parameters(
    tenon::sdk::parameter(&Settings::stamp, "stamp", "in the metadata").required(),
    tenon::sdk::parameter(&Settings::strict, "strict", "refuses records without a payload")
        .otherwise("true"));

class Processor;
const Processor* owner = nullptr;

/// Adds a stamp to the metadata of records, and refuses records without a payload.
class Processor : public tenon::sdk::ProcessorV1 {
 public:
  void configure(const tenon::sdk::Config& config) override {
    if (planted("does not need its required parameter") && !config.has("stamp")) return;
    settings_ = parameters.read(config);
  }

  void open() override {
    if (planted("leaks a thread")) leak_thread();
    if (planted("leaks a descriptor")) leak_descriptor();
    if (owner == nullptr) owner = this;
    opened_ = true;
  }

  std::vector<ProcessorV1Result> process(tenon::ListView<tenon::RecordV2> records) override {
    check_cancelled();
    std::vector<ProcessorV1Result> results;
    bool refused = false;
    for (const tenon::RecordV2View& record : records) {
      results.push_back(result_of(record));
      if (refused && planted("refuses the rest of a batch")) refuse(results.back(), "refused");
      refused = refused || results.back().error;
    }
    spoil(results);
    return results;
  }

  tenon_status raw_process(tenon_call* call, const tenon_processor_v1_process_request* in,
                           const tenon_processor_v1_process_response** out) override {
    const tenon_status status = ProcessorV1::raw_process(call, in, out);
    if (status == TENON_OK && planted("returns memory of its own")) replace_key(**out);
    return status;
  }

  void teardown() override {
    if (owner == this) owner = nullptr;
    if (opened_ && !processed_ && planted("throws from teardown")) {
      throw Failure(TENON_INTERNAL, "nothing was processed");
    }
  }

 private:
  void replace_key(const tenon_processor_v1_process_response& response) {
    const auto& result = TENON_AT(tenon_processor_v1_result, response.results, 0);
    if (result.records.count == 0) return;
    auto& record = const_cast<tenon_record_v2&>(TENON_AT(tenon_record_v2, result.records, 0));
    key_.assign(record.key.data, record.key.data + record.key.size);
    record.key.data = key_.data();
  }

  void check_cancelled() {
    if (broken_) throw Failure(TENON_INTERNAL, "broken by a cancelled call");
    if (!call().cancelled()) return;
    broken_ = planted("processes nothing after a cancelled call");
    while (planted("hangs in a cancelled call")) pause();
    if (planted("fails in a cancelled call")) throw Failure(TENON_INTERNAL, "cancelled");
    call().check();
  }

  ProcessorV1Result result_of(const tenon::RecordV2View& record) {
    processed_ = true;
    ProcessorV1Result result;
    if (settings_.strict && !record.payload().after()) {
      if (planted("fails for a single record")) throw Failure(TENON_DATA_LOSS, "no payload");
      refuse(result, planted("refuses without a code") ? "" : "no-payload");
      return result;
    }
    if (!record.bag().empty() && planted("refuses newer records")) refuse(result, "too-new");
    result.records.push_back(tenon::own(record));
    result.records.back().metadata["stamp"] =
        planted("gives text that is not UTF-8") ? "fran\xe7\x61is" : settings_.stamp;
    return result;
  }

  static void refuse(ProcessorV1Result& result, std::string code) {
    result.error = {{std::move(code), "not accepted", false}};
  }

  /// Applies the faults of whole batches.
  void spoil(std::vector<ProcessorV1Result>& results) {
    if (results.size() == 7 && planted("drops a result")) results.pop_back();
    if (results.size() > 7 && planted("swaps two results")) std::swap(results[0], results[2]);
    if (planted("keeps the last record back")) {
      std::swap(kept_, results.back().records);
    }
    if (owner != this && planted("processes only in the first instance")) results.clear();
  }

  Settings settings_;
  bool opened_ = false;
  bool processed_ = false;
  bool broken_ = false;
  std::vector<tenon::RecordV2> kept_;
  tenon::Bytes key_;
};

class Specifier : public tenon::sdk::SpecifierV1 {
 public:
  tenon::Specification specify() override {
    tenon::Specification stamp;
    stamp.name = "stamp";
    stamp.summary = "Stamps records";
    stamp.description = "Adds a stamp to the metadata of records.";
    stamp.version = "1.0.0";
    stamp.author = "Me";
    stamp.processor_parameters = parameters.specification();
    if (planted("has a default of the wrong type")) {
      stamp.processor_parameters["strict"].default_value = "perhaps";
    }
    return stamp;
  }
};

}  // namespace

#define PLUGINS(P)                   \
  P(Processor, "test.example/stamp") \
  P(Specifier, "test.example/stamp")
TENON_PLUGINS("test.example/stamp", "1.0.0", PLUGINS, {"summary": "Stamps records"});
