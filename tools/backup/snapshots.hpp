// SPDX-License-Identifier: BSL-1.0
//
// Snapshots of volumes, which are items of the resource `persistentvolumes`.
#pragma once

#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>
#include <tenon/stored_backup.hpp>
#include <tenon/volume_snapshotter.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report.hpp"
#include "session.hpp"

namespace backup {

/// Belongs to one thread.
class Snapshots {
 public:
  /// Creates the snapshotters of the settings. Reports those that cannot be created. Session and
  /// report must outlive the Snapshots.
  Snapshots(Session& session, Report& report);

  /// Returns whether an item may have a volume.
  static bool concerns(const tenon::ResourceIdV1& id) { return id.resource == "persistentvolumes"; }

  /// Takes a snapshot with the first snapshotter that knows the volume of an item, and waits until
  /// the snapshot is complete. Returns nothing if no snapshotter knows the volume. Reports
  /// failures.
  std::optional<tenon::StoredBackupV1Snapshot> take(const tenon::ResourceIdV1& id,
                                                    const std::string& item,
                                                    const std::string& zone,
                                                    const std::string& backup);
  /// A volume that was made from a snapshot.
  struct Volume {
    PluginPtr<tenon::VolumeSnapshotter> plugin;
    std::string id;
  };
  tenon::Result<Volume> make_volume(const tenon::StoredBackupV1Snapshot& snapshot);
  /// Returns the item with another volume.
  tenon::Result<std::string> set_volume(const Volume& volume, const std::string& item);
  /// Returns the item with the volume that `restored`, the result of an earlier restore, has.
  /// Returns nothing if the snapshotter does not know that volume.
  std::optional<std::string> with_volume_of(const std::string& restored,
                                            const tenon::StoredBackupV1Snapshot& snapshot,
                                            const std::string& item);
  tenon::Result<void> remove(const tenon::StoredBackupV1Snapshot& snapshot);
  /// Checks that the snapshotter of a snapshot is configured. Error: missing-snapshotter.
  tenon::Result<void> check(const tenon::StoredBackupV1Snapshot& snapshot) const;

  /// Returns the snapshotters that were created.
  const std::vector<PluginPtr<tenon::VolumeSnapshotter>>& plugins() const { return plugins_; }

 private:
  using Snapshotter = tenon::VolumeSnapshotter;

  template <class Body>
  auto call(const PluginPtr<Snapshotter>& plugin, std::string_view method, Body body);
  tenon::Result<std::string> volume_of(const PluginPtr<Snapshotter>& plugin,
                                       const std::string& item);
  tenon::Result<tenon::StoredBackupV1Snapshot> take_with(const PluginPtr<Snapshotter>& plugin,
                                                         const std::string& volume,
                                                         const std::string& zone,
                                                         const tenon::TextMap& tags);
  tenon::Result<void> remove(const PluginPtr<Snapshotter>& plugin, const std::string& snapshot);
  tenon::Result<void> await(const PluginPtr<Snapshotter>& plugin, const std::string& snapshot);
  tenon::Result<std::vector<PluginPtr<Snapshotter>>> find(const std::string& name) const;

  Session& session_;
  Report& report_;
  std::vector<PluginPtr<Snapshotter>> plugins_;
};

}  // namespace backup
