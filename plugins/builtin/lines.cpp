// SPDX-License-Identifier: BSL-1.0
#include "lines.hpp"

#include <tenon/sdk/failure.hpp>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "system_files.hpp"

namespace tenon::builtin {

namespace {

constexpr std::size_t lines_buffer_size = std::size_t{64} << 10;

}  // namespace

Lines::Lines(std::string path)
    : path_(std::move(path)),
      buffer_(std::make_unique<char[]>(lines_buffer_size)),
      file_(open_to_read(path_)) {
  if (file_ == nullptr) throw sdk::system_failure(errno, "cannot open ", path_);
  std::setvbuf(file_.get(), buffer_.get(), _IOFBF, lines_buffer_size);
}

Lines::~Lines() {
  std::free(text_);
}

std::uint64_t Lines::inode() const {
  const std::optional<std::uint64_t> inode = inode_of(file_.get());
  if (!inode) throw sdk::system_failure(errno, "cannot examine ", path_);
  return *inode;
}

sdk::ContentChecksum Lines::checksum_before(std::int64_t offset) {
  std::string bytes;
  return sdk::ContentChecksum::before(
      static_cast<std::uint64_t>(offset), [&](std::uint64_t begin, std::uint64_t size) {
        move_to(static_cast<std::int64_t>(begin));
        bytes.resize(size);
        bytes.resize(std::fread(bytes.data(), 1, size, file_.get()));
        if (std::ferror(file_.get()) != 0) throw sdk::system_failure(errno, "cannot read ", path_);
        return std::string_view(bytes);
      });
}

void Lines::move_to(std::int64_t offset) {
  if (!builtin::seek(file_.get(), offset)) {
    throw sdk::system_failure(errno, "cannot seek to byte ", offset, " of ", path_);
  }
}

void Lines::seek(std::int64_t offset, std::int64_t line) {
  checksum_ = checksum_before(offset);
  move_to(offset > 0 ? offset - 1 : 0);
  offset_ = offset;
  line_ = line;
  if (offset > 0 && std::getc(file_.get()) != '\n' && !skip_end_of_line()) {
    throw sdk::Failure(TENON_DATA_LOSS, "byte ", offset, " of ", path_,
                       ", where reading stopped, is inside a line, so the file was replaced or its "
                       "last line was not complete; fix: delete the pipeline, and run it again to "
                       "read the whole file");
  }
}

/// Skips the newline of a line that has been read; it may have been added after that. Returns
/// whether a newline follows, or nothing.
bool Lines::skip_end_of_line() {
  const int first = std::getc(file_.get());
  const int last = first == '\r' ? std::getc(file_.get()) : first;
  if (last == '\n') {
    const std::string_view end = first == '\r' ? "\r\n" : "\n";
    offset_ += static_cast<std::int64_t>(end.size());
    checksum_.add(end);
    return true;
  }
  return builtin::seek(file_.get(), offset_) && last == EOF;
}

bool Lines::next(std::string_view& line) {
  const std::int64_t size = read_line(&text_, &capacity_, file_.get());
  if (size < 0) {
    // Without either of both flags, there is no memory for the line.
    if (std::ferror(file_.get()) != 0 || std::feof(file_.get()) == 0) {
      throw sdk::system_failure(errno, "cannot read ", path_);
    }
    return false;
  }
  line = {text_, static_cast<std::size_t>(size)};
  checksum_.add(line);
  offset_ += size;
  ++line_;
  ends_with_newline_ = line.back() == '\n';
  if (ends_with_newline_) line.remove_suffix(1);
  if (line_ == 1 && line.substr(0, byte_order_mark.size()) == byte_order_mark) {
    line.remove_prefix(byte_order_mark.size());
  }
  return true;
}

}  // namespace tenon::builtin
