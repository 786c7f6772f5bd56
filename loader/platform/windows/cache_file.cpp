// SPDX-License-Identifier: BSL-1.0
#include "platform/cache_file.hpp"

#include "platform/file.hpp"
#include "platform/private_directory.hpp"
#include "platform/replace_file.hpp"
#include "platform/windows/known_folder.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

std::filesystem::path cache_directory() {
  const std::filesystem::path folder = known_folder(Folder::local_data);
  return folder.empty() ? folder : folder / "tenon" / "cache";
}

std::optional<std::vector<std::byte>> read_cache_file(const std::filesystem::path& file,
                                                      std::size_t limit) {
  if (!check_user_directory(file.parent_path())) return std::nullopt;
  const auto open = File::open(file);
  if (!open) return std::nullopt;
  auto content = open->read_all(limit);
  if (!content) return std::nullopt;
  return *std::move(content);
}

bool write_cache_file(const std::filesystem::path& file, std::string_view content) {
  return make_user_directory(file.parent_path()) &&
         !replace_content(file, content, Attributes::owner_only).failed;
}

}}}  // namespace tenon::v0_1::platform
