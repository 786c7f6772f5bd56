// SPDX-License-Identifier: BSL-1.0
//
// tenon/builtins.hpp: the builtin plugins, which a program links: the package "tenon.dev/builtin"
// with sources, processors and destinations for pipelines, and stores and item actions for backups.
//
//   tenon.dev/generator           source                generated records
//   tenon.dev/file                source, destination   JSON lines and CSV
//   tenon.dev/sqlite              source, destination   a table
//   tenon.dev/log                 destination           the log of the host
//   tenon.dev/field               processor             removes, renames and sets fields
//   tenon.dev/filesystem          object store          a directory
//   tenon.dev/directory           volume snapshotter    volumes that are directories
//   tenon.dev/service-account     backup item action    adds the service accounts of pods
//   tenon.dev/pod-volumes         backup item action    adds the volumes of pods
//   tenon.dev/change-namespace    restore item action   applies the namespace mapping
//   tenon.dev/remap-labels        restore item action   sets, renames and removes labels
//   tenon.dev/external-artifacts  delete item action    removes files that belong to resources
//
// Each source, processor and destination has a specifier of the same name that describes its
// parameters; `tenon inspect builtin:tenon.dev/file` shows them. remap-labels has a rule for each
// label, for example {"tier": "set backend", "old": "rename new"}, with the verbs `set VALUE`,
// `replace OLD NEW`, `rename LABEL` and `remove`. external-artifacts has the parameter `directory`
// for the files, of which each namespace has a directory of its own, filesystem `directory` for the
// objects, directory the directories `volumes` and `snapshots`. The other item actions have no
// parameters.
#pragma once

#include <tenon/abi.h>

#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// Returns the module, for HostOptions::builtins. Valid until the process ends. Thread-safe.
const tenon_module* builtins();

/// The annotation that tenon.dev/external-artifacts reads.
inline constexpr std::string_view artifacts_annotation = "tenon.dev/external-artifact";

/// Returns why tenon.dev/external-artifacts will refuse paths in the annotation of a resource: one
/// text for each of them. Empty if the resource, a JSON object, has no such path. Thread-safe.
std::vector<std::string> refused_artifacts(std::string_view resource);

}  // namespace tenon
