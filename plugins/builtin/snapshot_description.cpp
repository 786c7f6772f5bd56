// SPDX-License-Identifier: BSL-1.0
#include "snapshot_description.hpp"

#include <boost/json.hpp>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>
#include <string_view>

namespace tenon::builtin {
namespace {

namespace json = boost::json;

constexpr const char* file_name = "snapshot.json";
// No snapshot has that many tags. A larger file does not belong to this plugin.
constexpr std::size_t max_bytes = 16 << 20;

std::string read_text(const Directory& snapshot) {
  const std::optional<Descriptor> file = snapshot.open_file(file_name);
  if (!file) throw sdk::Failure(TENON_DATA_LOSS, snapshot.path_of(file_name), " is missing");
  std::string text;
  std::array<char, 4096> piece{};
  while (text.size() <= max_bytes) {
    const ssize_t count = retry([&] { return ::read(file->get(), piece.data(), piece.size()); });
    if (count < 0) throw sdk::system_failure(errno, "cannot read ", snapshot.path_of(file_name));
    if (count == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(count));
  }
  throw sdk::Failure(TENON_DATA_LOSS, snapshot.path_of(file_name), " has more than ", max_bytes,
                     " bytes");
}

}  // namespace

void write_description(const Directory& snapshot, const SnapshotDescription& description) {
  json::object tags;
  for (const auto& [key, value] : description.tags) tags.emplace(key, value);
  const std::string text = json::serialize(
      json::object({{"volume", description.volume}, {"files", description.files}, {"tags", tags}}));
  if (text.size() > max_bytes) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the description of the snapshot has ", text.size(),
                       " bytes, at most ", max_bytes, " are possible");
  }
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const Descriptor file(retry([&] { return ::openat(snapshot.get(), file_name, flags, 0600); }));
  std::string_view rest = text;
  while (file.is_open() && !rest.empty()) {
    const ssize_t count = retry([&] { return ::write(file.get(), rest.data(), rest.size()); });
    if (count < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  if (!rest.empty()) throw sdk::system_failure(errno, "cannot write ", snapshot.path_of(file_name));
}

SnapshotDescription read_description(const Directory& snapshot) {
  try {
    const json::value value = json::parse(read_text(snapshot));
    SnapshotDescription description;
    description.volume = json::value_to<std::string>(value.at("volume"));
    description.files = json::value_to<std::uint64_t>(value.at("files"));
    description.tags = json::value_to<std::map<std::string, std::string>>(value.at("tags"));
    return description;
  } catch (const sdk::Failure&) {
    throw;
  } catch (const std::exception& error) {
    throw sdk::Failure(TENON_DATA_LOSS, snapshot.path_of(file_name),
                       " is not a description of a snapshot: ", error.what());
  }
}

}  // namespace tenon::builtin
