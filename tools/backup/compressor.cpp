// SPDX-License-Identifier: BSL-1.0
#include "compressor.hpp"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

namespace backup {
namespace {

constexpr std::size_t max_deflate_step = std::numeric_limits<uInt>::max();

class Gzip final : public Compressor {
 public:
  Gzip() {
    // A window of 15 bits; 16 more select the gzip format.
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~Gzip() override { ::deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output,
                               bool last) override {
    const auto in = static_cast<uInt>(std::min(input.size(), max_deflate_step));
    const auto out = static_cast<uInt>(std::min(output.size(), max_deflate_step));
    // zlib does not write to its input.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_.avail_in = in;
    stream_.next_out = output.data();
    stream_.avail_out = out;
    // The only other status means that no progress was possible, which is not an error.
    const int status = ::deflate(&stream_, last && in == input.size() ? Z_FINISH : Z_NO_FLUSH);
    return Progress{in - stream_.avail_in, out - stream_.avail_out, status == Z_STREAM_END};
  }

 private:
  z_stream stream_{};
};

class Zstd final : public Compressor {
 public:
  Zstd() : stream_(::ZSTD_createCStream()) {
    if (!stream_) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(stream_.get(), ZSTD_c_checksumFlag, 1);
  }

  tenon::Result<Progress> step(std::string_view input, std::span<std::uint8_t> output,
                               bool last) override {
    ZSTD_inBuffer in{input.data(), input.size(), 0};
    ZSTD_outBuffer out{output.data(), output.size(), 0};
    const std::size_t left =
        ::ZSTD_compressStream2(stream_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (::ZSTD_isError(left) != 0) {
      return tenon::Error(
          {.status = TENON_INTERNAL, .message = std::string("zstd: ") + ::ZSTD_getErrorName(left)});
    }
    return Progress{in.pos, out.pos, last && left == 0};
  }

 private:
  struct Free {
    void operator()(ZSTD_CStream* stream) const { ::ZSTD_freeCStream(stream); }
  };
  std::unique_ptr<ZSTD_CStream, Free> stream_;
};

}  // namespace

std::unique_ptr<Compressor> make_compressor(Compression compression) {
  if (compression == Compression::zstd) return std::make_unique<Zstd>();
  return std::make_unique<Gzip>();
}

}  // namespace backup
