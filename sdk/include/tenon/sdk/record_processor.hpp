// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/record_processor.hpp: a base for processors that process one record after another.
//
//   struct Creations : tenon::sdk::RecordProcessor {
//     void process_record(tenon::RecordV2View record, Records& into) override {
//       if (record.operation() == tenon::RecordV2Operation::Create) into.pass(record);
//     }
//   };
#pragma once

#if !defined(__cpp_exceptions)
#error "tenon/sdk/record_processor.hpp needs exceptions"
#endif

#include <tenon/sdk/acknowledgement.hpp>
#include <tenon/sdk/processor.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk {

/// Override `process_record`. Override `configure`, `open` and `teardown` if the plugin needs them.
class RecordProcessor : public ProcessorV1 {
 public:
  /// The output records. Valid during `process_record`, for its thread.
  class Records {
   public:
    /// Adds a record that refers to bytes of the input record or to bytes that `keep` returned.
    /// Only the struct is copied.
    void pass(RecordV2View record) { records_.push_back(record.raw()); }
    /// Adds a deep copy of a record.
    void add(const RecordV2& record) {
      records_.push_back(Value<RecordV2>::raw<Copy::deep>(call_, record));
    }
    /// Copies bytes to the arena of the call, for a field of a record that is passed.
    tenon_bytes keep(std::string_view bytes) {
      const void* copy = tenon_allocate_copy(call_, bytes.data(), bytes.size());
      return {static_cast<const std::uint8_t*>(copy), bytes.size()};
    }

   private:
    friend class RecordProcessor;

    tenon_call* call_ = nullptr;
    std::vector<tenon_record_v2> records_;  // of the whole batch
  };

  /// Processes one record and adds the results to `into`: one record, several, or none to filter
  /// it. The host gives them the position of `record`. An exception refuses only this record;
  /// `throw Refusal("wrong-json", "...")` gives the reason a code. A fatal Failure, or a Failure
  /// after the call was cancelled, fails the batch.
  virtual void process_record(RecordV2View record, Records& into) = 0;

  /// Opens the processor. The default does nothing.
  void open() override {}

  /// Processes a batch with `process_record`.
  tenon_status raw_process(tenon_call* call, const tenon_processor_v1_process_request* in,
                           const tenon_processor_v1_process_response** out) final {
    auto* response = detail::new_response<tenon_processor_v1_process_response>(call);
    void* elements;
    response->results =
        tenon_new_list(call, in->records.count, sizeof(tenon_processor_v1_result), &elements);
    auto* results = static_cast<tenon_processor_v1_result*>(elements);
    records_.call_ = call;
    records_.records_.clear();
    for (std::size_t i = 0; i < in->records.count; ++i) {
      process_into(RecordV2View(TENON_AT(tenon_record_v2, in->records, i)), results[i]);
    }
    assign_records(results, in->records.count);
    *out = response;
    return TENON_OK;
  }

 private:
  void process_into(RecordV2View record, tenon_processor_v1_result& result) {
    const std::size_t before = records_.records_.size();
    try {
      process_record(record, records_);
    } catch (const Failure& failure) {
      if ((failure.status() & TENON_FATAL) != 0) throw;
      call().check();
      return refuse(failure, before, result);
    } catch (const std::exception& error) {
      return refuse(error, before, result);
    }
    result.records.count = records_.records_.size() - before;
  }

  void refuse(const std::exception& error, std::size_t before, tenon_processor_v1_result& result) {
    records_.records_.resize(before);
    DestinationV2AckError reason = ack_error(error);
    const ProcessorV1ResultError refused{std::move(reason.code), std::move(reason.message),
                                         reason.retryable};
    result.error =
        Value<std::optional<ProcessorV1ResultError>>::raw<Copy::deep>(records_.call_, refused);
  }

  /// Copies the output records to the arena, and points each result to its records.
  void assign_records(tenon_processor_v1_result* results, std::size_t count) const {
    const auto& records = records_.records_;
    const auto* next = static_cast<const tenon_record_v2*>(tenon_allocate_copy(
        records_.call_, records.data(), records.size() * sizeof(tenon_record_v2)));
    for (std::size_t i = 0; i < count; ++i) {
      results[i].records.data = next;
      results[i].records.stride = sizeof(tenon_record_v2);
      next += results[i].records.count;
    }
  }

  Records records_;
};

}  // namespace tenon::sdk
