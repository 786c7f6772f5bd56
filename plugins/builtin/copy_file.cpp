// SPDX-License-Identifier: BSL-1.0
#include "copy_file.hpp"

#include <tenon/sdk/failure.hpp>

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "descriptor.hpp"

namespace tenon::builtin {
namespace {

// Number of bytes between two checks for cancellation.
constexpr off_t stride = 16 << 20;
constexpr std::size_t chunk_size = 65'536;

class Copying {
 public:
  Copying(sdk::Call call, int from, int to, const std::string& path)
      : call_(call), from_(from), to_(to), path_(path) {}

  /// Copies a range. Returns the offset that it reached.
  off_t range(off_t at, off_t end) {
    while (at < end) {
      call_.check();
      const off_t count = system_copies_ ? by_system(at, std::min(end - at, stride))
                                         : by_hand(at, std::min<off_t>(end - at, chunk_size));
      if (count == 0) break;
      if (count > 0) at += count;
    }
    return at;
  }

 private:
  /// Returns -1 if the system cannot copy between these files.
  off_t by_system(off_t at, off_t size) {
    off_t read_at = at;
    off_t write_at = at;
    const ssize_t count = retry([&] {
      return ::copy_file_range(from_, &read_at, to_, &write_at, static_cast<std::size_t>(size), 0);
    });
    if (count >= 0) return count;
    if (errno != EXDEV && errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP)
      throw failure();
    system_copies_ = false;
    return -1;
  }

  off_t by_hand(off_t at, off_t size) {
    if (piece_ == nullptr) piece_ = std::make_unique<char[]>(chunk_size);
    const ssize_t got =
        retry([&] { return ::pread(from_, piece_.get(), static_cast<std::size_t>(size), at); });
    if (got < 0) throw failure();
    for (ssize_t done = 0; done < got;) {
      const ssize_t count = retry([&] {
        return ::pwrite(to_, piece_.get() + done, static_cast<std::size_t>(got - done), at + done);
      });
      if (count < 0) throw failure();
      done += count;
    }
    return got;
  }

  sdk::Failure failure() const { return sdk::system_failure(errno, "cannot copy ", path_); }

  sdk::Call call_;
  const int from_;
  const int to_;
  const std::string& path_;
  bool system_copies_ = true;
  std::unique_ptr<char[]> piece_;
};

/// The next range that is not a hole; empty at the end of the file if only holes follow.
struct Data {
  Data(int file, off_t at, off_t size)
      : begin(::lseek(file, at, SEEK_DATA)), end(begin < 0 ? -1 : ::lseek(file, begin, SEEK_HOLE)) {
    const bool no_more = begin < 0 && errno == ENXIO;
    if (begin < 0) begin = no_more ? size : at;  // otherwise the file system cannot report holes
    if (end < 0 || end > size) end = size;
  }
  off_t begin;
  off_t end;
};

}  // namespace

void copy_file(sdk::Call call, int from, int to, off_t size, const std::string& path) {
  if (::ioctl(to, FICLONE, from) == 0) return;
  Copying copying(call, from, to, path);
  off_t reached = 0;
  while (reached < size) {
    const Data data(from, reached, size);
    if (data.begin >= size) break;
    reached = copying.range(data.begin, data.end);
    if (reached < data.end) return;  // the file was truncated meanwhile
  }
  if (::ftruncate(to, size) != 0) throw sdk::system_failure(errno, "cannot copy ", path);
}

}  // namespace tenon::builtin
