// SPDX-License-Identifier: BSL-1.0
#include "upload.hpp"

#include <chrono>
#include <cstdint>
#include <utility>

namespace backup {
namespace {

/// The interval in which an upload checks whether the store reads.
constexpr std::chrono::milliseconds poll_interval(50);

}  // namespace

/// Outlives the Upload if the store does not return.
struct Upload::State {
  explicit State(const ArchiveSettings& settings) : archive(settings) {}

  ArchiveStream archive;
  tenon::Result<void> stored = Caller::cancelled_error();
};

Upload::Upload(Store& store, Caller& caller, std::string key, const ArchiveSettings& settings)
    : caller_(caller),
      store_(store),
      key_(std::move(key)),
      stall_timeout_(settings.stall_timeout),
      state_(std::make_shared<State>(settings)),
      cancel_([state = state_, cancel = thread_.canceller()] {
        state->archive.abandon(
            tenon::Error({.status = TENON_CANCELLED, .message = "the run has ended"}));
        cancel();
      }) {
  const auto started =
      thread_.start([state = state_, put = store.putter(), key = key_](auto& context) {
        if (tenon::Call* call = context.begin())
          state->stored = put(*call, key, state->archive.reader());
      });
  if (!started) state_->archive.abandon(started.error());
  // A cancellation must wake both the run, which may wait in `add`, and the store.
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
  const bool abandoned = state_->archive.abandoned();
  if (abandoned) cancel_();  // the store may not be reading the archive
  if (!await_store()) return abandon_call();
  if (stalled_) return stalled();
  if (abandoned) return finished;  // the store knows only that its reader failed
  if (!state_->stored) return std::move(state_->stored);
  if (!state_->archive.ended()) return incomplete();
  return finished;
}

const std::string& Upload::sha256() const {
  return state_->archive.sha256();
}

tenon::Result<void> Upload::abandon() {
  if (!under_way_) return {};
  cancel_();
  if (!await_store()) return abandon_call();
  return {};
}

/// Waits for the end of the call, and cancels it if the store reads nothing for too long. Removes
/// the object if the store has only a part of the archive and reported success. Returns false if
/// the call did not return and was abandoned.
bool Upload::await_store() {
  under_way_ = false;
  const ArchiveStream& archive = state_->archive;
  std::uint64_t reads = archive.reads();
  auto since = std::chrono::steady_clock::now();
  stalled_ = archive.stalled();
  while (!stalled_ && !archive.abandoned() && !caller_.cancelled()) {
    const auto now = std::chrono::steady_clock::now();
    if (thread_.wait_until(now + poll_interval)) break;
    if (archive.reads() != reads) {
      reads = archive.reads();
      since = now;
    }
    stalled_ = now - since >= stall_timeout_;
  }
  caller_.on_cancel({});
  if (stalled_) cancel_();
  if (!thread_.finish()) return false;
  if (state_->stored && !archive.ended()) {
    caller_.begin_cleanup();  // the run may have been interrupted
    // A failure is ignored: the run reports another error, and `delete` also removes the object.
    static_cast<void>(store_.remove_archive(key_));
  }
  return true;
}

tenon::Error Upload::stalled() const {
  return tenon::Error({.status = TENON_DEADLINE_EXCEEDED,
                       .message = "the store read nothing for " + to_text(stall_timeout_),
                       .fix = "allow more time under \"timeouts\": {\"store\": ...}",
                       .plugin = store_.info().name(),
                       .method = "put_object"});
}

tenon::Error Upload::incomplete() const {
  return tenon::Error({.status = TENON_INTERNAL,
                       .message = "the store reported success without reading the whole archive",
                       .where = key_,
                       .fix = "report the error to the author of the plugin",
                       .plugin = store_.info().name(),
                       .method = "put_object"});
}

tenon::Error Upload::abandon_call() {
  return caller_.abandon(store_.info(), "put_object",
                         stalled_ ? "the store read nothing for " + to_text(stall_timeout_)
                                  : "the call did not return when it was cancelled");
}

}  // namespace backup
