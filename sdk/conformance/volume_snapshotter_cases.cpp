// SPDX-License-Identifier: BSL-1.0
#include <tenon/volume_snapshotter.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "configured.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

/// Waits until a snapshot is complete, if the plugin reports progress.
void wait_for_snapshot(Subject& subject, VolumeSnapshotter& snapshotter, const std::string& id) {
  const auto end = std::chrono::steady_clock::now() + subject.patience();
  for (;;) {
    const auto progress = snapshotter.progress(id);
    if (!progress && is(progress.error(), TENON_UNIMPLEMENTED)) return;
    const OperationProgress now = value_of(progress);
    require(!now.error, "the snapshot failed: " + now.error.value_or(""));
    if (now.completed) return;
    require(std::chrono::steady_clock::now() < end, "the snapshot is not complete in time");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// A snapshot, which the destructor deletes.
class Snapshot {
 public:
  Snapshot(Subject& subject, const std::string& volume)
      : snapshotter_(configured<VolumeSnapshotter>(subject)),
        id_(value_of(snapshotter_->create_snapshot(volume, "", {{"made-by", "tenon-verify"}}))) {
    require(!id_.empty(), "create_snapshot returns an empty id");
    wait_for_snapshot(subject, *snapshotter_, id_);
  }
  ~Snapshot() { static_cast<void>(snapshotter_->delete_snapshot(id_)); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  VolumeSnapshotter* operator->() noexcept { return &*snapshotter_; }
  const std::string& id() const noexcept { return id_; }

 private:
  Handle<VolumeSnapshotter> snapshotter_;
  const std::string id_;
};

const std::string& volume_of(Subject& subject) {
  return subject.setup_of(&PluginSetup::volume, "volume");
}

void sets_the_volume_of_a_resource(Subject& subject) {
  subject.check_calls();
  const std::string& item = subject.setup_of(&PluginSetup::item, "item");
  auto snapshotter = configured<VolumeSnapshotter>(subject);
  const Json changed = value_of(snapshotter->set_volume_id(item, "another-volume"));
  const std::string found = value_of(snapshotter->get_volume_id(changed.text));
  require(found == "another-volume", "needed \"another-volume\", found \"" + found + "\"");
}

void restores_a_snapshot(Subject& subject) {
  const std::string& volume = volume_of(subject);
  Snapshot snapshot(subject, volume);
  const auto info = value_of(snapshot->get_volume_info(volume, ""));
  const std::string restored = value_of(
      snapshot->create_volume_from_snapshot(snapshot.id(), info.volume_type, "", info.iops));
  require(!restored.empty(), "create_volume_from_snapshot returns an empty id");
  require(restored != volume, "the restored volume is the original one");
  const auto copy = value_of(snapshot->get_volume_info(restored, ""));
  require(copy.volume_type == info.volume_type, "the restored volume has another type");
}

void gives_each_snapshot_its_id(Subject& subject) {
  const std::string& volume = volume_of(subject);
  const Snapshot first(subject, volume);
  const Snapshot second(subject, volume);
  require(first.id() != second.id(), "two snapshots have the id " + first.id());
}

void deletes_snapshots(Subject& subject) {
  Snapshot snapshot(subject, volume_of(subject));
  value_of(snapshot->delete_snapshot(snapshot.id()));
  value_of(snapshot->delete_snapshot(snapshot.id()));
  const auto restored = snapshot->create_volume_from_snapshot(snapshot.id(), "", "", std::nullopt);
  require(!restored, "a volume was created from a deleted snapshot");
}

void refuses_unknown_volumes(Subject& subject) {
  auto snapshotter = configured<VolumeSnapshotter>(subject);
  require(!snapshotter->create_snapshot("no-such-volume", "", {}),
          "create_snapshot succeeds for a volume that does not exist");
  require(!snapshotter->get_volume_info("no-such-volume", ""),
          "get_volume_info succeeds for a volume that does not exist");
}

void refuses_unknown_snapshots(Subject& subject) {
  auto snapshotter = configured<VolumeSnapshotter>(subject);
  require(!snapshotter->create_volume_from_snapshot("no-such-snapshot", "", "", std::nullopt),
          "create_volume_from_snapshot succeeds for a snapshot that does not exist");
  require(!snapshotter->progress("no-such-snapshot"),
          "progress succeeds for a snapshot that does not exist");
}

void cancels_completed_snapshots(Subject& subject) {
  Snapshot snapshot(subject, volume_of(subject));
  require_done(snapshot->cancel(snapshot.id()));
}

void take_snapshot(Subject& subject) {
  const Snapshot snapshot(subject, volume_of(subject));
}

constexpr Definition all[] = {
    {"accepts its configuration", accepts_its_setup<VolumeSnapshotter>},
    {"sets the volume of a resource", sets_the_volume_of_a_resource},
    {"restores a snapshot to another volume", restores_a_snapshot},
    {"gives each snapshot a unique id", gives_each_snapshot_its_id},
    {"deletes snapshots, even if they do not exist", deletes_snapshots},
    {"refuses volumes that do not exist", refuses_unknown_volumes},
    {"refuses snapshots that do not exist", refuses_unknown_snapshots},
    {"cancels a completed snapshot without an error", cancels_completed_snapshots},
    {"leaves no threads or descriptors", leaves_nothing_after<take_snapshot>},
};

}  // namespace

Definitions volume_snapshotter_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
