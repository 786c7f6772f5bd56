// SPDX-License-Identifier: BSL-1.0
//
// Adapts a source of version 1 to version 2. A batch is the record of one read: reading more might
// wait, and delay the record that is available.
#include <tenon/detail/steps.hpp>
#include <tenon/mutex.hpp>
#include <tenon/record_steps.hpp>
#include <tenon/source.hpp>
#include <tenon/values.hpp>

#include <memory>
#include <optional>

namespace tenon {
namespace {

class ReadOneByOne : public SourceStep1 {
 public:
  using SourceStep1::SourceStep1;

  tenon_status read_batch(tenon_call* call, const tenon_source_v2_read_batch_request*,
                          const tenon_source_v2_read_batch_response** out) override {
    tenon_source_v1_read_request older{};
    older.struct_size = sizeof older;
    const tenon_source_v1_read_response* read = nullptr;
    tenon_status status = older_plugin().vtable->read(call, older_plugin().self, &older, &read);
    if (status != TENON_OK) return status;
    if (read == nullptr) return fail(call, TENON_INTERNAL, "read succeeded without a record");

    auto* batch = new_response<tenon_source_v2_read_batch_response>(call);
    void* record;
    batch->records = tenon_new_list(call, 1, sizeof(tenon_record_v2), &record);
    status = convert_record_1_to_2(call, read->record, *static_cast<tenon_record_v2*>(record),
                                   Keep::nothing);
    if (status != TENON_OK) return status;
    remember(read->record.position);
    *out = batch;
    return TENON_OK;
  }

  tenon_status ack(tenon_call* call, const tenon_source_v2_ack_request* in) override {
    for (std::size_t i = 0; i < in->positions.count; ++i) {
      tenon_source_v1_ack_request older{};
      older.struct_size = sizeof older;
      older.position = TENON_AT(tenon_bytes, in->positions, i);
      const tenon_status status = older_plugin().vtable->ack(call, older_plugin().self, &older);
      if (status != TENON_OK) return status;
    }
    return TENON_OK;
  }

  tenon_status stop(tenon_call* call, const tenon_source_v2_stop_request*,
                    const tenon_source_v2_stop_response** out) override {
    tenon_source_v1_stop_request older{};
    older.struct_size = sizeof older;
    const tenon_status status = older_plugin().vtable->stop(call, older_plugin().self, &older);
    // stop is optional for plugins.
    if (status != TENON_OK && TENON_CODE(status) != TENON_UNIMPLEMENTED) return status;

    auto* response = new_response<tenon_source_v2_stop_response>(call);
    sync::Lock lock(mutex_);
    response->last_position = Value<std::optional<Bytes>>::raw<Copy::deep>(call, last_position_);
    *out = response;

    return TENON_OK;
  }

 private:
  void remember(const tenon_bytes& position) {
    sync::Lock lock(mutex_);
    if (!last_position_) last_position_.emplace();
    last_position_->assign(position.data, position.data + position.size);
  }

  sync::Mutex mutex_;
  std::optional<Bytes> last_position_ TENON_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<SourceStep1> make_source_step1(const SourceStep1::OlderPlugin& plugin) {
  return std::make_unique<ReadOneByOne>(plugin);
}

}  // namespace tenon
