// SPDX-License-Identifier: BSL-1.0
#include "tar_reader.hpp"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

namespace backup {
namespace {

constexpr std::size_t block_size = std::size_t{128} << 10;
constexpr std::size_t tar_block = 512;

tenon::Error stopped(tenon::CancelReason reason) {
  const bool late = reason == tenon::CancelReason::deadline;
  return tenon::Error({.status = late ? TENON_DEADLINE_EXCEEDED : TENON_CANCELLED,
                       .message = "unpacking the archive was cancelled"});
}

}  // namespace

tenon::Error not_an_archive(std::string found) {
  return tenon::Error(
      {.code = "broken-archive",
       .message = "the archive cannot be read",
       .found = std::move(found),
       .needed = "a complete tar file, uncompressed or compressed with gzip or zstd",
       .fix = "get another copy of the archive"});
}

UnpackedStream::UnpackedStream(tenon::Reader packed, std::uint64_t max_bytes, tenon::Call& call)
    : packed_(std::move(packed)),
      max_bytes_(max_bytes),
      call_(call),
      input_(block_size),
      output_(block_size) {}

/// Reads until there is input. The first time, reads enough bytes to identify the compression.
tenon::Result<void> UnpackedStream::refill() {
  const std::size_t needed = decompressor_ ? 1 : signature_size;
  begin_ = end_ = 0;
  while (end_ < needed && !exhausted_) {
    const auto reason = call_.cancel_reason();
    if (reason != tenon::CancelReason::none) return stopped(reason);
    auto got = packed_.read(call_, std::span(input_).subspan(end_));
    if (!got) return std::move(got).error();
    end_ += *got;
    exhausted_ = *got == 0;
  }
  if (decompressor_) return {};
  if (end_ == 0) return not_an_archive("nothing");
  decompressor_ = make_decompressor({reinterpret_cast<const char*>(input_.data()), end_});
  return {};
}

/// Fills the output. Returns the number of bytes.
tenon::Result<std::size_t> UnpackedStream::unpack() {
  const std::string_view input(reinterpret_cast<const char*>(input_.data()) + begin_,
                               end_ - begin_);
  auto step = decompressor_->step(input, output_);
  if (!step) return std::move(step).error();
  begin_ += step->taken;
  complete_ = step->ended;
  if (exhausted_ && begin_ == end_ && step->given == 0 && !complete_) {
    return not_an_archive("its end is missing");
  }
  return step->given;
}

tenon::Result<std::string_view> UnpackedStream::next() {
  while (true) {
    if (begin_ == end_ && !exhausted_) {
      if (auto filled = refill(); !filled) return std::move(filled).error();
    }
    if (begin_ == end_ && exhausted_ && complete_) return std::string_view();
    auto size = unpack();
    if (!size) return std::move(size).error();
    if (*size != 0) return counted({reinterpret_cast<const char*>(output_.data()), *size});
  }
}

tenon::Result<std::string_view> UnpackedStream::counted(std::string_view block) {
  bytes_ += block.size();
  if (bytes_ > max_bytes_) {
    return tenon::Error({.code = "archive-too-large",
                         .message = "the archive is too large",
                         .found = "more than the limit",
                         .needed = "at most " + std::to_string(max_bytes_) + " bytes unpacked",
                         .fix = "use an archive within the limits"});
  }
  const auto last = block.find_last_not_of('\0');
  zeros_ = last == block.npos ? zeros_ + block.size() : block.size() - last - 1;
  return block;
}

TarReader::TarReader(UnpackedStream& stream)
    : stream_(stream), piece_(block_size), archive_(::archive_read_new()) {
  if (!archive_) throw std::bad_alloc();
  ::archive_read_support_format_tar(archive_.get());
}

la_ssize_t TarReader::read(::archive* archive, void* self, const void** block) {
  auto& reader = *static_cast<TarReader*>(self);
  try {
    auto next = reader.stream_.next();
    if (next) {
      *block = next->data();
      return static_cast<la_ssize_t>(next->size());
    }
    reader.stream_failure_ = std::move(next).error();
  } catch (...) {
    reader.exception_ = std::current_exception();
  }
  ::archive_set_error(archive, EIO, "the stream failed");
  return -1;
}

tenon::Error TarReader::failure() const {
  if (exception_) std::rethrow_exception(exception_);
  if (stream_failure_) return *stream_failure_;
  const char* text = ::archive_error_string(archive_.get());
  return not_an_archive(text != nullptr ? text : "an unknown error");
}

tenon::Result<::archive_entry*> TarReader::next() {
  if (!std::exchange(is_open_, true) &&
      ::archive_read_open(archive_.get(), this, nullptr, read, nullptr) != ARCHIVE_OK) {
    return failure();
  }
  ::archive_entry* entry = nullptr;
  const int status = ::archive_read_next_header(archive_.get(), &entry);
  if (status == ARCHIVE_EOF && !stream_failed()) return nullptr;
  // Warnings concern names in other character sets. The user of the entry checks its name.
  if (status < ARCHIVE_WARN || stream_failed()) return failure();
  return entry;
}

tenon::Result<std::string_view> TarReader::content() {
  const la_ssize_t got = ::archive_read_data(archive_.get(), piece_.data(), piece_.size());
  if (got < 0) return failure();
  return std::string_view(piece_.data(), static_cast<std::size_t>(got));
}

tenon::Result<void> TarReader::finish() {
  while (true) {
    auto rest = stream_.next();
    if (!rest) return std::move(rest).error();
    if (rest->empty()) break;
  }
  if (stream_.zeros_at_end() < tar_block) return not_an_archive("its end is missing");
  return {};
}

}  // namespace backup
