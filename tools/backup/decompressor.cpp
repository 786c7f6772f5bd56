// SPDX-License-Identifier: BSL-1.0
#include "decompressor.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

namespace backup {
namespace {

constexpr std::size_t max_inflate_step = std::numeric_limits<uInt>::max();

tenon::Error corrupt(std::string found) {
  return tenon::Error({.code = "broken-archive",
                       .message = "the archive is corrupt",
                       .found = std::move(found),
                       .needed = "the archive as it was written",
                       .fix = "get another copy of the archive"});
}

class Gunzip final : public Decompressor {
 public:
  Gunzip() {
    // A window of 15 bits; 16 more select the gzip format.
    if (::inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Gunzip() override { ::inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output) override {
    const auto in = static_cast<uInt>(std::min(input.size(), max_inflate_step));
    const auto out = static_cast<uInt>(std::min(output.size(), max_inflate_step));
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = in;
    stream_.next_out = output.data();
    stream_.avail_out = out;
    const int status = ::inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR) {
      return corrupt(std::string("gzip: ") + (stream_.msg != nullptr ? stream_.msg : "bad data"));
    }
    if (status == Z_STREAM_END) ::inflateReset(&stream_);
    return Progress{in - stream_.avail_in, out - stream_.avail_out, status == Z_STREAM_END};
  }

 private:
  z_stream stream_{};
};

class Unzstd final : public Decompressor {
 public:
  Unzstd() : stream_(::ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }

  tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t left = ::ZSTD_decompressStream(stream_.get(), &out, &in);
    if (::ZSTD_isError(left) != 0) {
      return corrupt(std::string("zstd: ") + ::ZSTD_getErrorName(left));
    }
    return Progress{in.pos, out.pos, left == 0};
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ::ZSTD_freeDStream(stream); }
  };
  std::unique_ptr<ZSTD_DStream, Free> stream_;
};

/// Copies an uncompressed stream, which may end after any byte.
class Copy final : public Decompressor {
 public:
  tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output) override {
    const std::size_t count = std::min(input.size(), output.size());
    if (count != 0) std::memcpy(output.data(), input.data(), count);
    return Progress{count, count, true};
  }
};

}  // namespace

std::unique_ptr<Decompressor> make_decompressor(std::string_view beginning) {
  if (beginning.starts_with("\x1f\x8b")) return std::make_unique<Gunzip>();
  if (beginning.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<Unzstd>();
  return std::make_unique<Copy>();
}

}  // namespace backup
