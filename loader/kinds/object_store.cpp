// SPDX-License-Identifier: BSL-1.0
//
// Adapts an object store of version 1 to version 2. Version 1 lists all keys at once, without
// pages, and reports only whether an object exists.
#include <tenon/detail/steps.hpp>
#include <tenon/object_store.hpp>
#include <tenon/values.hpp>

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

namespace tenon {
namespace {

class ListAtOnce : public ObjectStoreStep1 {
 public:
  using ObjectStoreStep1::ObjectStoreStep1;

  tenon_status object_info(tenon_call* call, const tenon_object_store_v2_object_info_request* in,
                           const tenon_object_store_v2_object_info_response** out) override {
    tenon_object_store_v1_object_exists_request older{};
    older.struct_size = sizeof older;
    older.bucket = in->bucket;
    older.key = in->key;
    const tenon_object_store_v1_object_exists_response* found = nullptr;
    const tenon_status status =
        older_plugin().vtable->object_exists(call, older_plugin().self, &older, &found);
    if (status != TENON_OK) return status;
    if (found == nullptr)
      return fail(call, TENON_INTERNAL, "object_exists succeeded without a response");
    if (found->exists == 0) return fail(call, TENON_NOT_FOUND, "there is no such object");
    *out = new_response<tenon_object_store_v2_object_info_response>(call);
    return TENON_OK;
  }

  tenon_status list_objects(tenon_call* call, const tenon_object_store_v2_list_objects_request* in,
                            const tenon_object_store_v2_list_objects_response** out) override {
    tenon_object_store_v1_list_objects_request older{};
    older.struct_size = sizeof older;
    older.bucket = in->bucket;
    older.prefix = in->prefix;
    const tenon_object_store_v1_list_objects_response* listed = nullptr;
    const tenon_status status =
        older_plugin().vtable->list_objects(call, older_plugin().self, &older, &listed);
    if (status != TENON_OK) return status;
    if (listed == nullptr)
      return fail(call, TENON_INTERNAL, "list_objects succeeded without a response");
    if (!Value<std::vector<std::string>>::has_data(listed->keys)) {
      return detail::fail_without_data(call, "keys");
    }

    const ListView<std::string> all(listed->keys);
    std::vector<std::string_view> keys;
    const std::string_view start_after = Value<std::string>::view(in->start_after);
    for (const std::string_view key : all) {
      if (start_after.empty() || key > start_after) keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    auto* response = new_response<tenon_object_store_v2_list_objects_response>(call);
    response->more = in->limit != 0 && keys.size() > in->limit;
    if (response->more != 0) keys.resize(in->limit);
    void* page;
    response->keys = tenon_new_list(call, keys.size(), sizeof(tenon_string), &page);
    std::transform(keys.begin(), keys.end(), static_cast<tenon_string*>(page),
                   [](std::string_view key) {
                     return tenon_string{key.data(), key.size()};
                   });
    *out = response;
    return TENON_OK;
  }
};

}  // namespace

std::unique_ptr<ObjectStoreStep1> make_object_store_step1(
    const ObjectStoreStep1::OlderPlugin& plugin) {
  return std::make_unique<ListAtOnce>(plugin);
}

}  // namespace tenon
