// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/s3: objects on a server that supports S3, such as Amazon's.
#pragma once

#include <tenon/mutex.hpp>
#include <tenon/sdk/object_store.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client.hpp"

namespace tenon::s3 {

class Store : public sdk::ObjectStoreV2 {
 public:
  void configure(const sdk::Config& config) override;
  void put_object(std::string_view bucket, std::string_view key,
                  std::unique_ptr<sdk::Reader> body) override;
  ObjectInfoV1 object_info(std::string_view bucket, std::string_view key) override;
  std::unique_ptr<sdk::Reader> get_object(std::string_view bucket, std::string_view key) override;
  std::vector<std::string> list_common_prefixes(std::string_view bucket, std::string_view prefix,
                                                std::string_view delimiter) override;
  ListObjectsResult list_objects(std::string_view bucket, std::string_view prefix,
                                 std::string_view start_after, std::uint32_t limit) override;
  void delete_object(std::string_view bucket, std::string_view key) override;
  std::string create_signed_url(std::string_view bucket, std::string_view key,
                                Duration ttl) override;

 private:
  /// Returns the client of the current configuration. Running calls keep the previous client.
  std::shared_ptr<const Client> client();

  sync::Mutex mutex_;
  std::shared_ptr<const Client> client_ TENON_GUARDED_BY(mutex_);
};

}  // namespace tenon::s3
