// SPDX-License-Identifier: BSL-1.0
#include "lines.hpp"

#include <tenon/sdk/failure.hpp>

#include <stdio.h>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace tenon::builtin {

Lines::Lines(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "rb")) {
  if (file_ == nullptr) throw sdk::system_failure(errno, "cannot open ", path_);
}

Lines::~Lines() {
  std::free(text_);
}

void Lines::seek(std::int64_t offset, std::int64_t line) {
  const auto size = ::fseeko(file_.get(), 0, SEEK_END) == 0 ? ::ftello(file_.get()) : -1;
  if (size < 0 || ::fseeko(file_.get(), offset, SEEK_SET) != 0) {
    throw sdk::system_failure(errno, "cannot seek to byte ", offset, " of ", path_);
  }
  if (size < offset) {
    throw sdk::Failure(TENON_DATA_LOSS, path_, " has ", size, " bytes, but ", offset,
                       " have been read, so it was truncated or replaced; fix: delete the "
                       "pipeline, and run it again to read the whole file");
  }
  offset_ = offset;
  line_ = line;
}

bool Lines::next(std::string_view& line) {
  ssize_t size = ::getline(&text_, &capacity_, file_.get());
  if (size < 0) {
    if (std::ferror(file_.get()) != 0) throw sdk::system_failure(errno, "cannot read ", path_);
    return false;
  }
  line = {text_, static_cast<std::size_t>(size)};
  offset_ += size;
  line_++;
  ends_with_newline_ = line.back() == '\n';
  if (ends_with_newline_) line.remove_suffix(1);
  return true;
}

}  // namespace tenon::builtin
