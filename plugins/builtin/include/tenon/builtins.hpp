// SPDX-License-Identifier: BSL-1.0
//
// tenon/builtins.hpp: the plugins that a program gets by linking them: the package
// "tenon.dev/builtin" with sources and destinations for pipelines, and stores for backups.
//
//   tenon.dev/generator           source                made-up records
//   tenon.dev/file                source, destination   JSON lines and CSV
//   tenon.dev/sqlite              source, destination   a table
//   tenon.dev/log                 destination           the log of the host
//   tenon.dev/filesystem          object store          a folder
//   tenon.dev/directory           volume snapshotter    volumes that are folders
//
// Each source and destination comes with a specifier of the same name that tells its parameters.
#pragma once

#include <tenon/abi.h>

namespace tenon {

/// The module, for HostOptions::builtins. Lives as long as the process. Thread-safe.
const tenon_module* builtins();

}  // namespace tenon
