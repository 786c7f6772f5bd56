// SPDX-License-Identifier: BSL-1.0
#include "upload.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

namespace backup {
namespace {

/// The time between two looks at whether the store reads.
constexpr std::chrono::milliseconds look(50);

}  // namespace

/// Outlives an Upload whose store does not return.
struct Upload::State {
  explicit State(const ArchiveSettings& settings) : archive(settings) {}

  ArchiveStream archive;
  tenon::Result<void> stored =
      tenon::Error({.status = TENON_CANCELLED, .message = "the run was interrupted"});
};

Upload::Upload(Store& store, Caller& caller, std::string key, const ArchiveSettings& settings)
    : caller_(caller),
      store_(store.info()),
      patience_(settings.patience),
      state_(std::make_shared<State>(settings)),
      cancel_([state = state_, cancel = lane_.canceller()] {
        state->archive.abandon(
            tenon::Error({.status = TENON_CANCELLED, .message = "the run has ended"}));
        cancel();
      }) {
  lane_.start([state = state_, put = store.putter(), key = std::move(key)](Lane::Turn& turn) {
    if (tenon::Call* call = turn.begin()) state->stored = put(*call, key, state->archive.reader());
  });
  // The run may wait for room in the archive, and the store for something else.
  caller_.on_cancel(cancel_);
}

Upload::~Upload() {
  if (!under_way_) return;
  caller_.on_cancel({});
  cancel_();
}

tenon::Result<void> Upload::add(const tenon::ResourceIdV1& id, std::string json) {
  return state_->archive.add(id, std::move(json));
}

tenon::Result<void> Upload::add(std::string path, std::string content) {
  return state_->archive.add(std::move(path), std::move(content));
}

bool Upload::refused() const {
  return state_->archive.failed();
}

tenon::Result<void> Upload::finish() {
  auto finished = state_->archive.finish();
  if (!await_store()) return leave();
  if (stalled_) return stalled();
  if (!state_->stored) return std::move(state_->stored);
  return finished;
}

tenon::Result<void> Upload::abandon() {
  if (!under_way_) return {};
  cancel_();
  if (!await_store()) return leave();
  return {};
}

/// Waits for the end of the call, and cancels it if the store reads nothing for too long. Returns
/// false if it was left behind because it did not return then.
bool Upload::await_store() {
  under_way_ = false;
  const ArchiveStream& archive = state_->archive;
  std::uint64_t reads = archive.reads();
  auto since = std::chrono::steady_clock::now();
  stalled_ = archive.stalled();
  while (!stalled_ && !archive.abandoned() && !caller_.cancelled()) {
    const auto now = std::chrono::steady_clock::now();
    if (lane_.wait_until(now + look)) break;
    if (archive.reads() != reads) {
      reads = archive.reads();
      since = now;
    }
    stalled_ = now - since >= patience_;
  }
  caller_.on_cancel({});
  if (stalled_) cancel_();
  return lane_.finish();
}

tenon::Error Upload::stalled() const {
  return tenon::Error({.status = TENON_DEADLINE_EXCEEDED,
                       .message = "the store read nothing for " + to_text(patience_),
                       .fix = "allow more time under \"timeouts\": {\"store\": ...}",
                       .plugin = store_.name(),
                       .method = "put_object"});
}

tenon::Error Upload::leave() {
  return caller_.leave(store_, "put_object",
                       stalled_ ? "the store read nothing for " + to_text(patience_)
                                : "the call did not return when it was cancelled");
}

}  // namespace backup
