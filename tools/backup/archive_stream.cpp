// SPDX-License-Identifier: BSL-1.0
#include "archive_stream.hpp"

#include <optional>
#include <utility>

#include "archive_path.hpp"
#include "common/sha256.hpp"
#include "entry_queue.hpp"
#include "tar_writer.hpp"

namespace backup {
namespace {

class ArchiveReader : public tenon::HostReader {
 public:
  ArchiveReader(std::shared_ptr<EntryQueue> queue, const ArchiveSettings& settings)
      : queue_(std::move(queue)), writer_(settings.compression, settings.time) {}
  ~ArchiveReader() override {
    if (queue_->ended()) return;
    queue_->close(tenon::Error({.status = TENON_ABORTED,
                                .message = "the archive is no longer read",
                                .fix = "see the error of the object store"}));
  }

  tenon::Result<std::size_t> read(tenon::Call& call, std::span<std::uint8_t> into) override {
    queue_->note_read();
    std::size_t filled = 0;
    while (filled < into.size() && !writer_.ended()) {
      if (writer_.needs_input()) {
        auto fed = feed(call, filled == 0);
        if (!fed) return std::move(fed).error();
        if (!*fed) break;
      }
      auto more = writer_.fill(into.subspan(filled));
      if (!more) return failed(std::move(more).error());
      filled += *more;
    }
    if (queue_->ended()) return filled;
    hash_.add(into.first(filled));
    if (writer_.ended()) queue_->note_end(hash_.digits());
    return filled;
  }

 private:
  /// Passes the next entry to the writer. Returns whether there is data to write.
  tenon::Result<bool> feed(tenon::Call& call, bool may_wait) {
    auto entry = queue_->take(call, may_wait);
    if (!entry) return std::move(entry).error();
    if (!*entry && !queue_->drained()) return false;
    auto fed = *entry ? writer_.begin(std::move(**entry)) : writer_.finish();
    if (!fed) return failed(std::move(fed).error());
    return true;
  }
  tenon::Error failed(tenon::Error error) {
    queue_->close(error);
    return error;
  }

  std::shared_ptr<EntryQueue> queue_;
  TarWriter writer_;
  tenon::tools::Sha256 hash_;
};

}  // namespace

ArchiveStream::ArchiveStream(ArchiveSettings settings)
    : settings_(settings),
      meter_(settings.limits),
      queue_(std::make_shared<EntryQueue>(settings.queue_bytes, settings.stall_timeout)) {}

ArchiveStream::~ArchiveStream() {
  abandon(tenon::Error({.status = TENON_ABORTED, .message = "the archive was not finished"}));
}

tenon::Result<void> ArchiveStream::add(const tenon::ResourceIdV1& id, std::string json) {
  if (auto good = check_id(id); !good) return good;
  if (auto fits = meter_.check_item(json.size()); !fits) return fits;
  return put(archive_path(id), std::move(json));
}

tenon::Result<void> ArchiveStream::add(std::string path, std::string content) {
  return put(std::move(path), std::move(content));
}

tenon::Result<void> ArchiveStream::put(std::string path, std::string content) {
  if (auto fits = meter_.add(path, content.size()); !fits) {
    abandon(fits.error());
    return fits;
  }
  return queue_->put({std::move(path), std::move(content)});
}

tenon::Result<void> ArchiveStream::finish() {
  return queue_->finish();
}

void ArchiveStream::abandon(tenon::Error error) {
  queue_->abandon(std::move(error));
}

bool ArchiveStream::abandoned() const {
  return queue_->abandoned();
}

bool ArchiveStream::stalled() const {
  return queue_->stalled();
}

bool ArchiveStream::failed() const {
  return queue_->failed();
}

std::uint64_t ArchiveStream::reads() const {
  return queue_->reads();
}

bool ArchiveStream::ended() const {
  return queue_->ended();
}

const std::string& ArchiveStream::sha256() const {
  return queue_->sha256();
}

tenon::Reader ArchiveStream::reader() {
  return std::make_unique<ArchiveReader>(queue_, settings_);
}

}  // namespace backup
