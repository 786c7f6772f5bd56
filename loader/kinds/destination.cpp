// SPDX-License-Identifier: BSL-1.0
//
// Adapts a destination of version 1 to version 2. The records of a batch are written one by one. If
// a record is refused after others were accepted, write_batch must not fail. Instead, next_acks
// reports that this record and those after it were not written, in order.
#include <tenon/call.hpp>
#include <tenon/destination.hpp>
#include <tenon/detail/steps.hpp>
#include <tenon/mutex.hpp>
#include <tenon/record_steps.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon {
namespace {

class WriteOneByOne : public DestinationStep1 {
 public:
  using DestinationStep1::DestinationStep1;

  tenon_status write_batch(tenon_call* call,
                           const tenon_destination_v2_write_batch_request* in) override {
    Writing writing(*this);
    for (std::size_t i = 0; i < in->records.count; ++i) {
      const tenon_status status = write(call, TENON_AT(tenon_record_v2, in->records, i));
      if (status == TENON_OK) {
        count_accepted();
      } else if (i == 0 || (status & TENON_FATAL) != 0) {
        return status;
      } else {
        refuse_from(i, in->records, error_of(call, status));
        break;
      }
    }
    return TENON_OK;
  }

  tenon_status next_acks(tenon_call* call, const tenon_destination_v2_next_acks_request*,
                         const tenon_destination_v2_next_acks_response** out) override {
    std::vector<DestinationV2Ack> acks;
    tenon_status status = wait_for_refused(call, acks);
    if (status == TENON_OK && acks.empty()) status = next_of_plugin(call, acks);
    if (status != TENON_OK) return status;
    auto* response = new_response<tenon_destination_v2_next_acks_response>(call);
    response->acks = Value<std::vector<DestinationV2Ack>>::raw<Copy::deep>(call, acks);
    *out = response;
    return TENON_OK;
  }

 private:
  /// A record that was refused, and the number of records that were accepted before it.
  struct Refused {
    std::uint64_t accepted_before;
    DestinationV2Ack ack;
  };

  /// Marks a batch as being written while it lives.
  class Writing {
   public:
    explicit Writing(WriteOneByOne& step) : step_(step) { set(true); }
    ~Writing() { set(false); }
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

   private:
    void set(bool writing) {
      sync::Lock lock(step_.mutex_);
      step_.writing_ = writing;
      step_.changed_.notify_all();
    }

    WriteOneByOne& step_;
  };

  tenon_status write(tenon_call* call, const tenon_record_v2& record) {
    tenon_destination_v1_write_request older{};
    older.struct_size = sizeof older;
    const tenon_status status = convert_record_2_to_1(call, record, older.record, Keep::nothing);
    if (status != TENON_OK) return status;
    return older_plugin().vtable->write(call, older_plugin().self, &older);
  }

  void count_accepted() {
    sync::Lock lock(mutex_);
    ++accepted_;
    changed_.notify_all();
  }

  static DestinationV2AckError error_of(tenon_call* call, tenon_status status) {
    const std::string_view message = Call::of(call).message();
    return {.code = std::string(status_word(status)),
            .message = message.empty() ? status_text(status) : std::string(message),
            .retryable = (status & TENON_RETRYABLE) != 0};
  }

  void refuse_from(std::size_t first, const tenon_list& records, DestinationV2AckError error) {
    sync::Lock lock(mutex_);
    for (std::size_t i = first; i < records.count; ++i) {
      const auto& record = TENON_AT(tenon_record_v2, records, i);
      refused_.push_back({accepted_, {Value<Bytes>::own(record.position), error}});
      error = {.code = "not-written",
               .message = "not written because an earlier record of the batch was refused",
               .retryable = true};
    }
  }

  /// Version 1 has only a text.
  static std::optional<DestinationV2AckError> error_of(const tenon_string& text) {
    std::optional<std::string> message = Value<std::optional<std::string>>::own(text);
    if (!message) return std::nullopt;
    return DestinationV2AckError{
        .code = "record-refused", .message = *std::move(message), .retryable = false};
  }

  /// Takes the refused records that are next in order. Acknowledgements of the plugin come first.
  /// Waits while a batch is being written and nothing is next.
  tenon_status wait_for_refused(tenon_call* call, std::vector<DestinationV2Ack>& acks) {
    sync::Lock lock(mutex_);
    while (writing_ && acknowledged_ >= accepted_ && !refused_is_next()) {
      changed_.wait_for(lock, std::chrono::milliseconds(20));
      if (call->functions->cancelled(call) != TENON_NOT_CANCELLED) {
        return fail(call, TENON_CANCELLED, "cancelled while records were written");
      }
    }
    for (; refused_is_next(); refused_.pop_front()) {
      acks.push_back(std::move(refused_.front().ack));
    }
    return TENON_OK;
  }

  bool refused_is_next() const TENON_REQUIRES(mutex_) {
    return !refused_.empty() && refused_.front().accepted_before <= acknowledged_;
  }

  tenon_status next_of_plugin(tenon_call* call, std::vector<DestinationV2Ack>& acks) {
    tenon_destination_v1_ack_request older{};
    older.struct_size = sizeof older;
    const tenon_destination_v1_ack_response* ack = nullptr;
    const tenon_status status = older_plugin().vtable->ack(call, older_plugin().self, &older, &ack);
    if (status != TENON_OK) return status;
    if (ack == nullptr) return fail(call, TENON_INTERNAL, "ack succeeded without a response");
    if (!Value<Bytes>::has_data(ack->position)) {
      return detail::fail_without_data(call, "position");
    }
    if (!Value<std::string>::has_data(ack->error)) return detail::fail_without_data(call, "error");
    acks.push_back({Value<Bytes>::own(ack->position), error_of(ack->error)});
    sync::Lock lock(mutex_);
    ++acknowledged_;
    return TENON_OK;
  }

  sync::Mutex mutex_;
  sync::ConditionVariable changed_;
  bool writing_ TENON_GUARDED_BY(mutex_) = false;
  std::uint64_t accepted_ TENON_GUARDED_BY(mutex_) = 0;
  std::uint64_t acknowledged_ TENON_GUARDED_BY(mutex_) = 0;  // by the plugin
  std::deque<Refused> refused_ TENON_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<DestinationStep1> make_destination_step1(
    const DestinationStep1::OlderPlugin& plugin) {
  return std::make_unique<WriteOneByOne>(plugin);
}

}  // namespace tenon
