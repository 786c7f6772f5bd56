// SPDX-License-Identifier: BSL-1.0
#include <tenon/sdk/failure.hpp>

#include <fcntl.h>
#include <io.h>
#include <share.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "append_file.hpp"

namespace tenon::builtin {
namespace {

constexpr unsigned long sharing_violation = 32;  // ERROR_SHARING_VIOLATION

}  // namespace

// While it is open, nobody else can write, rename or remove the file.
AppendFile::AppendFile(std::string path, mode_t) : path_(std::move(path)) {
  file_ =
      ::_wsopen(std::filesystem::u8path(path_).c_str(),
                _O_WRONLY | _O_CREAT | _O_BINARY | _O_NOINHERIT, _SH_DENYWR, _S_IREAD | _S_IWRITE);
  if (file_ < 0 && _doserrno == sharing_violation) lock();
  if (file_ < 0) throw sdk::system_failure(errno, "cannot open ", path_);
}

AppendFile::~AppendFile() {
  ::_close(file_);
}

void AppendFile::lock() const {
  throw sdk::Failure(TENON_FAILED_PRECONDITION, path_,
                     " is being written by another destination or process; fix: choose another "
                     "path, or end the other writer");
}

void AppendFile::truncate(std::int64_t size) {
  size_ = size;
  if (::_chsize_s(file_, size_) != 0 || ::_lseeki64(file_, size_, SEEK_SET) < 0) {
    throw sdk::system_failure(errno, "cannot seek to the end of ", path_);
  }
}

void AppendFile::append(std::string_view piece) {
  constexpr std::size_t most = std::size_t{1} << 30;
  std::string_view rest = piece;
  while (!rest.empty()) {
    const auto size = static_cast<unsigned>(std::min(rest.size(), most));
    const int written = ::_write(file_, rest.data(), size);
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (rest.empty()) {
    size_ += static_cast<std::int64_t>(piece.size());
    return;
  }
  const int failed = errno;
  if (::_chsize_s(file_, size_) != 0 || ::_lseeki64(file_, size_, SEEK_SET) < 0) {
    throw sdk::system_failure(failed, "cannot write ", path_, " and cannot undo the partial write")
        .fatal();
  }
  throw sdk::system_failure(failed, "cannot write ", path_);
}

void AppendFile::sync() {
  if (::_commit(file_) != 0) throw sdk::system_failure(errno, "cannot write ", path_);
}

}  // namespace tenon::builtin
