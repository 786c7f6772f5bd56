// SPDX-License-Identifier: BSL-1.0
#include "upload.hpp"

#include <utility>

namespace backup {

Upload::Upload(Store& store, Caller& caller, std::string key, const ArchiveSettings& settings)
    : caller_(caller),
      archive_(settings),
      thread_([this, &store, key = std::move(key), reader = archive_.reader()]() mutable {
        stored_ = store.put(call_, key, std::move(reader));
      }) {
  // The run may wait for room in the archive, and the store for something else.
  caller_.on_cancel([this] { cancel(); });
}

Upload::~Upload() {
  abandon();
}

void Upload::cancel() {
  archive_.abandon(tenon::Error({.status = TENON_CANCELLED, .message = "the run has ended"}));
  call_.cancel();
}

bool Upload::add(const tenon::ResourceIdV1& id, std::string json) {
  return archive_.add(id, std::move(json)).has_value();
}

bool Upload::add(std::string path, std::string content) {
  return archive_.add(std::move(path), std::move(content)).has_value();
}

tenon::Result<void> Upload::finish() {
  auto finished = archive_.finish();
  thread_.join();
  caller_.on_cancel({});
  if (!stored_) return std::move(stored_);
  return finished;
}

void Upload::abandon() {
  if (!thread_.joinable()) return;
  caller_.on_cancel({});
  cancel();
  thread_.join();
}

}  // namespace backup
