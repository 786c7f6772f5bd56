// SPDX-License-Identifier: BSL-1.0
#include "snapshots.hpp"

#include <chrono>
#include <utility>

#include "operations.hpp"

namespace backup {

template <class Body>
auto Snapshots::call(const PluginPtr<Snapshotter>& plugin, std::string_view method, Body body) {
  return session_.caller.call(plugin, method, session_.settings.timeouts.operation,
                              std::move(body));
}

Snapshots::Snapshots(Session& session, Report& report) : session_(session), report_(report) {
  for (const PluginUse& use : session.settings.snapshotters) {
    auto plugin = session.create<Snapshotter>(use.reference, use.config);
    if (plugin) {
      plugins_.push_back(*std::move(plugin));
    } else {
      report.error(plugin.error());
    }
  }
}

std::optional<tenon::StoredBackupV1Snapshot> Snapshots::take(const tenon::ResourceIdV1& id,
                                                             const std::string& item,
                                                             const std::string& zone,
                                                             const std::string& backup) {
  for (const PluginPtr<Snapshotter>& plugin : plugins_) {
    const auto volume = volume_of(plugin, item);
    if (!volume) report_.error(volume.error(), id);
    if (!volume || volume->empty()) continue;
    auto snapshot = take_with(plugin, *volume, zone,
                              {{"tenon.dev/backup", backup}, {"tenon.dev/volume", id.name}});
    if (!snapshot) {
      report_.error(snapshot.error(), id);
      return std::nullopt;
    }
    snapshot->item = id;
    return *std::move(snapshot);
  }
  return std::nullopt;
}

tenon::Result<tenon::StoredBackupV1Snapshot> Snapshots::take_with(
    const PluginPtr<Snapshotter>& plugin, const std::string& volume, const std::string& zone,
    const tenon::TextMap& tags) {
  tenon::StoredBackupV1Snapshot snapshot;
  snapshot.snapshotter = plugin->info.name();
  snapshot.zone = zone;
  const auto info =
      call(plugin, "get_volume_info", [volume, zone](Snapshotter& store, tenon::Call& call) {
        return store.get_volume_info(call, volume, zone);
      });
  if (!info) return info.error();
  snapshot.volume_type = info->volume_type;
  snapshot.iops = info->iops;
  const auto id =
      call(plugin, "create_snapshot", [volume, zone, tags](Snapshotter& store, tenon::Call& call) {
        return store.create_snapshot(call, volume, zone, tags);
      });
  if (!id) return id.error();
  snapshot.snapshot_id = *id;
  if (auto complete = await(plugin, snapshot.snapshot_id); !complete) {
    if (session_.caller.cancelled()) session_.caller.begin_cleanup();
    if (auto removed = remove(plugin, snapshot.snapshot_id); !removed) {
      report_.error(removed.error());
    }
    return std::move(complete).error();
  }
  return snapshot;
}

tenon::Result<void> Snapshots::await(const PluginPtr<Snapshotter>& plugin,
                                     const std::string& snapshot) {
  const auto timeout = session_.settings.timeouts.operation;
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  for (;;) {
    const auto progress =
        call(plugin, "progress", [snapshot](Snapshotter& store, tenon::Call& call) {
          return store.progress(call, snapshot);
        });
    if (!progress && TENON_CODE(progress.error().status()) == TENON_UNIMPLEMENTED) return {};
    if (!progress && !progress.error().retryable()) return progress.error();
    if (progress && progress->completed()) {
      if (!progress->error()) return {};
      return operation_failed(plugin->info, snapshot, *progress->error());
    }
    if (std::chrono::steady_clock::now() >= deadline) break;
    session_.caller.wait(session_.settings.timeouts.poll);
  }
  const auto cancelled = call(plugin, "cancel", [snapshot](Snapshotter& store, tenon::Call& call) {
    return store.cancel(call, snapshot);
  });
  if (!cancelled) report_.error(cancelled.error());
  return operation_timed_out(plugin->info, snapshot, timeout);
}

/// Tries all instances of the snapshotter, because a snapshot does not say which one took it.
tenon::Result<Snapshots::Volume> Snapshots::make_volume(
    const tenon::StoredBackupV1Snapshot& snapshot) {
  const auto plugins = find(snapshot.snapshotter);
  if (!plugins) return plugins.error();
  std::optional<tenon::Error> unknown;
  for (const PluginPtr<Snapshotter>& plugin : *plugins) {
    auto volume =
        call(plugin, "create_volume_from_snapshot",
             [snapshot](Snapshotter& store, tenon::Call& call) -> tenon::Result<std::string> {
               const auto made = store.create_volume_from_snapshot(
                   call, snapshot.snapshot_id, snapshot.volume_type, snapshot.zone, snapshot.iops);
               if (!made) return made.error();
               return std::string(*made);
             });
    if (!volume && TENON_CODE(volume.error().status()) == TENON_NOT_FOUND) {
      if (!unknown) unknown = volume.error();
      continue;
    }
    if (!volume) return std::move(volume).error();
    return Volume{plugin, *std::move(volume)};
  }
  return *std::move(unknown);
}

std::optional<std::string> Snapshots::with_volume_of(const std::string& restored,
                                                     const tenon::StoredBackupV1Snapshot& snapshot,
                                                     const std::string& item) {
  const auto plugins = find(snapshot.snapshotter);
  if (!plugins) return std::nullopt;
  for (const PluginPtr<Snapshotter>& plugin : *plugins) {
    auto volume = volume_of(plugin, restored);
    if (!volume || volume->empty()) continue;
    auto changed = set_volume({plugin, *std::move(volume)}, item);
    if (changed) return *std::move(changed);
  }
  return std::nullopt;
}

/// Returns the volume of an item, or "" if the snapshotter does not know it.
tenon::Result<std::string> Snapshots::volume_of(const PluginPtr<Snapshotter>& plugin,
                                                const std::string& item) {
  return call(plugin, "get_volume_id",
              [item](Snapshotter& store, tenon::Call& call) -> tenon::Result<std::string> {
                const auto found = store.get_volume_id(call, item);
                if (!found) return found.error();
                return std::string(*found);
              });
}

tenon::Result<std::string> Snapshots::set_volume(const Volume& volume, const std::string& item) {
  return call(
      volume.plugin, "set_volume_id",
      [item, id = volume.id](Snapshotter& store, tenon::Call& call) -> tenon::Result<std::string> {
        const auto changed = store.set_volume_id(call, item, id);
        if (!changed) return changed.error();
        return std::string(*changed);
      });
}

/// Uses all instances of the snapshotter. Those that do not know the snapshot do nothing.
tenon::Result<void> Snapshots::remove(const tenon::StoredBackupV1Snapshot& snapshot) {
  const auto plugins = find(snapshot.snapshotter);
  if (!plugins) return plugins.error();
  tenon::Result<void> result;
  for (const PluginPtr<Snapshotter>& plugin : *plugins) {
    if (auto removed = remove(plugin, snapshot.snapshot_id); !removed && result) {
      result = std::move(removed);
    }
  }
  return result;
}

tenon::Result<void> Snapshots::check(const tenon::StoredBackupV1Snapshot& snapshot) const {
  const auto plugins = find(snapshot.snapshotter);
  return plugins ? tenon::Result<void>() : plugins.error();
}

tenon::Result<void> Snapshots::remove(const PluginPtr<Snapshotter>& plugin,
                                      const std::string& snapshot) {
  return call(plugin, "delete_snapshot", [snapshot](Snapshotter& store, tenon::Call& call) {
    return store.delete_snapshot(call, snapshot);
  });
}

/// Returns at least one instance.
tenon::Result<std::vector<PluginPtr<tenon::VolumeSnapshotter>>> Snapshots::find(
    const std::string& name) const {
  std::vector<PluginPtr<Snapshotter>> found;
  for (const PluginPtr<Snapshotter>& plugin : plugins_) {
    if (plugin->info.name() == name) found.push_back(plugin);
  }
  if (!found.empty()) return found;
  return tenon::Error({.code = "missing-snapshotter",
                       .where = name,
                       .needed = "the snapshotter that took the snapshot",
                       .fix = "add it under \"snapshotters\" in the configuration file"});
}

}  // namespace backup
