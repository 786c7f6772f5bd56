// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/directory as a volume snapshotter: a volume is a directory, and a snapshot is a copy of
// it. If the file system can share the blocks of files (btrfs, XFS), a copy takes no space.
//
//   volumes    the directory that contains the volumes, and in which new ones are created
//   snapshots  the directory for the snapshots; outside of `volumes`, and not above it
//
// Both directories must exist: if one is missing, its disk may not be mounted. The id of a volume
// is its path below `volumes`, for example "team/database". A snapshot is a directory with the copy
// in `content` and a description in `snapshot.json`. Snapshots, and volumes that are created from
// them, are prepared in `.tenon-partial` in these two directories. They get their names when they
// are complete, before the method returns.
//
// A volume is copied file by file: programs that write to it meanwhile should be paused. Only a
// privileged process can keep the owners of files.
#pragma once

#include <tenon/sdk/volume_snapshotter.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "directory.hpp"

namespace tenon::builtin {

class DirectorySnapshotter : public sdk::VolumeSnapshotterV2 {
 public:
  void configure(const sdk::Config& config) override;
  std::string create_volume_from_snapshot(std::string_view snapshot_id,
                                          std::string_view volume_type, std::string_view zone,
                                          std::optional<std::int64_t> iops) override;
  std::string get_volume_id(std::string_view volume) override;
  Json set_volume_id(std::string_view volume, std::string_view volume_id) override;
  GetVolumeInfoResult get_volume_info(std::string_view volume_id, std::string_view zone) override;
  std::string create_snapshot(std::string_view volume_id, std::string_view zone,
                              MapView<std::string> tags) override;
  void delete_snapshot(std::string_view snapshot_id) override;
  OperationProgressV1 progress(std::string_view snapshot_id) override;
  /// Does nothing: a snapshot is complete before its id is known.
  void cancel(std::string_view /*snapshot_id*/) override {}

 private:
  Directory open_volume(std::string_view volume_id) const;
  Directory open_snapshot(const Directory& top, const std::string& snapshot_id) const;
  std::uint64_t copy(const Directory& from, const Directory& to) const;

  std::string snapshots_;
  std::string volumes_;
};

}  // namespace tenon::builtin
