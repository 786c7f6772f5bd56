// SPDX-License-Identifier: BSL-1.0
#include "tar_writer.hpp"

#include <archive_entry.h>

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

namespace backup {
namespace {

/// In bytes. Content is added in pieces, so that large entries are not in memory twice.
constexpr std::size_t piece_size = std::size_t{64} << 10;

struct FreeEntry {
  void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};

}  // namespace

TarWriter::TarWriter(Compression compression, std::chrono::sys_seconds time)
    : time_(time), compressor_(make_compressor(compression)), archive_(::archive_write_new()) {
  if (!archive_) throw std::bad_alloc();
  // The GNU format stores the bytes of names unchanged. The pax format needs a UTF-8 locale.
  ::archive_write_set_format_gnutar(archive_.get());
  ::archive_write_set_bytes_per_block(archive_.get(), 0);
  ::archive_write_open(archive_.get(), this, nullptr, keep, nullptr);
}

la_ssize_t TarWriter::keep(::archive*, void* self, const void* data, std::size_t size) {
  auto& writer = *static_cast<TarWriter*>(self);
  if (writer.is_closing_) return static_cast<la_ssize_t>(size);
  try {
    writer.tar_.append(static_cast<const char*>(data), size);
    return static_cast<la_ssize_t>(size);
  } catch (...) {
    writer.exception_ = std::current_exception();
    return -1;
  }
}

tenon::Error TarWriter::failure() const {
  if (exception_) std::rethrow_exception(exception_);
  const char* text = ::archive_error_string(archive_.get());
  return tenon::Error({.status = TENON_INTERNAL,
                       .message = std::string("the archive cannot be written: ") +
                                  (text != nullptr ? text : "unknown error")});
}

tenon::Result<void> TarWriter::begin(ArchiveEntry entry) {
  const std::unique_ptr<::archive_entry, FreeEntry> header(::archive_entry_new());
  if (!header) throw std::bad_alloc();
  ::archive_entry_set_pathname(header.get(), entry.path.c_str());
  ::archive_entry_set_filetype(header.get(), AE_IFREG);
  ::archive_entry_set_perm(header.get(), 0644);
  ::archive_entry_set_size(header.get(), static_cast<la_int64_t>(entry.content.size()));
  ::archive_entry_set_mtime(header.get(), time_.time_since_epoch().count(), 0);
  if (::archive_write_header(archive_.get(), header.get()) != ARCHIVE_OK) return failure();
  entry_ = std::move(entry);
  written_ = 0;
  return {};
}

tenon::Result<void> TarWriter::finish() {
  if (::archive_write_close(archive_.get()) != ARCHIVE_OK) return failure();
  finishing_ = true;
  return {};
}

tenon::Result<void> TarWriter::add_content() {
  const std::string_view next = std::string_view(entry_->content).substr(written_, piece_size);
  if (!next.empty()) {
    if (::archive_write_data(archive_.get(), next.data(), next.size()) < 0) return failure();
    written_ += next.size();
    return {};
  }
  if (::archive_write_finish_entry(archive_.get()) != ARCHIVE_OK) return failure();
  entry_.reset();
  return {};
}

tenon::Result<std::size_t> TarWriter::fill(std::span<std::uint8_t> into) {
  std::size_t filled = 0;
  while (filled < into.size() && !ended_) {
    if (packed_ == tar_.size()) {
      tar_.clear();
      packed_ = 0;
      if (entry_) {
        if (auto added = add_content(); !added) return std::move(added).error();
        continue;
      }
      if (!finishing_) break;
    }
    auto step =
        compressor_->step(std::string_view(tar_).substr(packed_), into.subspan(filled), finishing_);
    if (!step) return std::move(step).error();
    packed_ += step->taken;
    filled += step->given;
    ended_ = step->ended;
  }
  return filled;
}

}  // namespace backup
