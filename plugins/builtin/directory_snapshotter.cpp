// SPDX-License-Identifier: BSL-1.0
#include "directory_snapshotter.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <utility>

#include "copy_tree.hpp"
#include "partial.hpp"
#include "persistent_volume.hpp"
#include "relative_path.hpp"
#include "snapshot_description.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

namespace fs = std::filesystem;

constexpr const char* content_name = "content";
constexpr const char* type_name = "directory";
// Maximum number of bytes of the old name in the name of a new volume; random digits follow them.
constexpr std::size_t max_name_prefix = 200;

std::string directory_of(const sdk::Config& config, std::string_view parameter) {
  fs::path path = fs::absolute(config.get<std::string>(parameter)).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // a slash at the end
  try {
    static_cast<void>(Directory::open(path.string()));
  } catch (const sdk::Failure& failure) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"", parameter,
                       "\": ", failure.message());
  }
  return path.string();
}

bool is_in(const fs::path& path, const fs::path& directory) {
  const fs::path relative = fs::canonical(path).lexically_relative(fs::canonical(directory));
  return *relative.begin() != "..";
}

void check_volume(std::string_view volume_id) {
  check_path("volume", volume_id);
  if (parts_of(volume_id).front() == partial_name) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the volume \"", volume_id, "\" is in ",
                       partial_name, ", which is reserved for volumes in preparation");
  }
}

/// Returns an id that sorts by time, for example "20261123T031500Z-0123456789abcdef".
std::string new_snapshot_id() {
  std::array<char, 32> text{};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ-", &utc);
  return text.data() + random_name();
}

/// Returns an id for a new volume, for example "database-0123456789abcdef".
std::string new_volume_id(std::string_view snapshot_of) {
  std::string name = parts_of(snapshot_of).back().substr(0, max_name_prefix);
  while (!is_utf8(name)) name.pop_back();
  return name + "-" + random_name();
}

Directory enter(const Partial& partial) {
  std::optional<Directory> directory = partial.parent().enter(partial.name());
  if (directory) return *std::move(directory);
  throw sdk::Failure(TENON_ABORTED, partial.parent().path_of(partial.name()), " was removed");
}

/// Makes all files of a copy durable at once. One call for each file takes minutes for thousands.
void sync_file_system(const Directory& directory) {
  if (retry([&] { return ::syncfs(directory.get()); }) != 0) {
    throw sdk::system_failure(errno, "cannot write ", directory.path());
  }
}

/// Moves a copy to its final name.
void publish(Partial& partial, const Directory& made, const Directory& top,
             const std::string& name) {
  struct stat status;
  // A directory can only be moved if its owner may write to it.
  if (::fstat(made.get(), &status) != 0 || ::fchmod(made.get(), status.st_mode | S_IRWXU) != 0 ||
      !partial.move_to(top, name) || ::fchmod(made.get(), status.st_mode) != 0) {
    throw sdk::system_failure(errno, "cannot create ", top.path_of(name));
  }
  made.sync();
  top.sync();
}

sdk::Failure no_snapshot(std::string_view snapshot_id) {
  return sdk::Failure(TENON_NOT_FOUND, "there is no snapshot \"", snapshot_id, "\"");
}

}  // namespace

void DirectorySnapshotter::configure(const sdk::Config& config) {
  snapshots_ = directory_of(config, "snapshots");
  volumes_ = directory_of(config, "volumes");
  if (is_in(snapshots_, volumes_) || is_in(volumes_, snapshots_)) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"snapshots\": ", snapshots_,
                       " and the directory of the volumes, ", volumes_,
                       ", must not contain each other");
  }
}

// -- Volumes ------------------------------------------------------------------

Directory DirectorySnapshotter::open_volume(std::string_view volume_id) const {
  check_volume(volume_id);
  std::optional<Directory> directory = Directory::open(volumes_);
  for (const std::string& part : parts_of(volume_id)) {
    directory = directory->enter(part);
    if (!directory) {
      throw sdk::Failure(TENON_NOT_FOUND, "there is no volume \"", volume_id, "\" in ", volumes_);
    }
  }
  return *std::move(directory);
}

std::string DirectorySnapshotter::get_volume_id(std::string_view volume) {
  const fs::path path(path_in_volume(volume));
  if (!path.is_absolute()) return {};
  fs::path relative = path.lexically_normal().lexically_relative(volumes_);
  if (!relative.has_filename()) relative = relative.parent_path();  // a slash at the end
  std::string id = relative.string();
  if (!problem_of_path(id).empty() || *relative.begin() == partial_name) return {};
  return id;
}

Json DirectorySnapshotter::set_volume_id(std::string_view volume, std::string_view volume_id) {
  check_volume(volume_id);
  return {with_path(volume, sdk::text(volumes_, "/", volume_id))};
}

DirectorySnapshotter::GetVolumeInfoResult DirectorySnapshotter::get_volume_info(
    std::string_view volume_id, std::string_view /*zone*/) {
  static_cast<void>(open_volume(volume_id));
  return {type_name, std::nullopt};
}

// -- Snapshots ----------------------------------------------------------------

std::uint64_t DirectorySnapshotter::copy(const Directory& from, const Directory& to) const {
  TreeCopy copy(call(), [&](const std::string& path) {
    log.warn("skipped ", path, ": it is not a file, directory or symbolic link");
  });
  copy.run(from, to);
  return copy.files();
}

std::string DirectorySnapshotter::create_snapshot(std::string_view volume_id,
                                                  std::string_view /*zone*/,
                                                  MapView<std::string> tags) {
  const Directory volume = open_volume(volume_id);
  const Directory top = Directory::open(snapshots_);
  remove_abandoned(top);
  Partial partial = Partial::directory(top);
  const Directory snapshot = enter(partial);
  const std::optional<Directory> content = snapshot.make(content_name);
  if (!content) throw sdk::Failure(TENON_ABORTED, snapshot.path(), " was removed");

  SnapshotDescription description;
  description.volume = volume_id;
  description.files = copy(volume, *content);
  for (const auto& [key, value] : tags) description.tags.emplace(key, value);
  write_description(snapshot, description);
  sync_file_system(snapshot);
  std::string id = new_snapshot_id();
  publish(partial, snapshot, top, id);
  return id;
}

Directory DirectorySnapshotter::open_snapshot(const Directory& top,
                                              const std::string& snapshot_id) const {
  check_name("snapshot", snapshot_id);
  std::optional<Directory> snapshot = top.enter(snapshot_id);
  if (!snapshot) throw no_snapshot(snapshot_id);
  return *std::move(snapshot);
}

std::string DirectorySnapshotter::create_volume_from_snapshot(
    std::string_view snapshot_id, std::string_view volume_type, std::string_view /*zone*/,
    std::optional<std::int64_t> /*iops*/) {
  if (!volume_type.empty() && volume_type != type_name) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "the type of the volume is \"", volume_type,
                       "\", needed: ", type_name);
  }
  const std::string name(snapshot_id);
  const Directory snapshots = Directory::open(snapshots_);
  const Directory snapshot = open_snapshot(snapshots, name);
  const SnapshotDescription description = read_description(snapshot);
  const std::optional<Directory> content = snapshot.enter(content_name);
  if (!content) throw sdk::Failure(TENON_DATA_LOSS, "the snapshot \"", name, "\" has no content");

  const Directory top = Directory::open(volumes_);
  remove_abandoned(top);
  Partial partial = Partial::directory(top);
  const Directory volume = enter(partial);
  const std::uint64_t files = copy(*content, volume);
  // A deletion moves the snapshot away before it removes anything in it.
  if (!snapshots.refers_to(name, snapshot.get())) throw no_snapshot(name);
  if (files != description.files) {
    throw sdk::Failure(TENON_DATA_LOSS, "the snapshot \"", name, "\" has ", files,
                       " files; its description says ", description.files);
  }
  sync_file_system(volume);
  std::string id = new_volume_id(description.volume);
  publish(partial, volume, top, id);
  return id;
}

void DirectorySnapshotter::delete_snapshot(std::string_view snapshot_id) {
  check_name("snapshot", snapshot_id);
  const Directory top = Directory::open(snapshots_);
  const Directory partial = open_partial(top);
  const std::string away = move_away(top, std::string(snapshot_id), partial);
  if (away.empty()) return;
  top.sync();
  remove_tree(partial, away);
}

OperationProgressV1 DirectorySnapshotter::progress(std::string_view snapshot_id) {
  const Directory top = Directory::open(snapshots_);
  const SnapshotDescription description =
      read_description(open_snapshot(top, std::string(snapshot_id)));
  OperationProgressV1 progress;
  progress.completed = true;
  progress.n_completed = progress.n_total = static_cast<std::int64_t>(description.files);
  progress.units = "files";
  return progress;
}

}  // namespace tenon::builtin
