// SPDX-License-Identifier: BSL-1.0
#include "platform/file.hpp"

#include <string>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace platform {

Result<void> File::check_size(std::size_t limit) const {
  if (identity_.size <= limit) return {};
  return Error({.code = "cannot-read",
                .where = path_,
                .found = std::to_string(identity_.size) + " bytes",
                .needed = "at most " + std::to_string(limit) + " bytes",
                .fix = "check that this is the right file"});
}

Result<std::vector<std::byte>> File::read_all(std::size_t limit) const {
  if (auto good = check_size(limit); !good) return std::move(good).error();
  std::vector<std::byte> content(identity_.size);
  const auto count = read_at(0, content);
  if (!count) return count.error();
  content.resize(*count);
  return content;
}

}}}  // namespace tenon::v0_1::platform
