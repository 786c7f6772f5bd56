// SPDX-License-Identifier: BSL-1.0
//
// tenon/inspect.hpp: what can be known of one module without a host and without running any of its
// code.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/gen/kind.hpp>
#include <tenon/host.hpp>
#include <tenon/reload.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// What a module says about itself.
struct ManifestInfo {
  /// The lowest ABI version that its host must support, eg: "1.0"
  std::string abi;
  std::string package;
  std::string package_version;
  // For people; empty where the author says nothing.
  std::string summary;
  std::string description;
  std::string author;
  std::string license;
  std::string homepage;
  /// Name of a package to the versions that are needed of it, as the author wrote them.
  TextMap requirements;
  /// Which versions of its private state it writes and reads.
  struct State {
    std::string type;  // a document type, eg: "me.example/progress"; empty: its own affair
    std::int32_t writes;
    std::vector<std::int32_t> reads;
  };
  std::optional<State> state;
  /// No thread of the module outlives its `stop`.
  bool joins_threads = false;
  /// All that the author says besides, as one JSON object.
  std::string details;
};

/// A library that the system loads together with a module.
struct LibraryInfo {
  std::string name;            // eg: "libc.so.6"
  std::filesystem::path path;  // empty where it is not found
};

/// What was found. What could not be read is empty, and `errors` says why.
struct ModuleReport {
  /// Empty for a builtin.
  std::filesystem::path file;
  /// In bytes.
  std::uint64_t size = 0;
  /// What the file was built for, eg: "x86-64"; empty for a builtin and for what is no library.
  std::string machine;
  std::optional<ManifestInfo> manifest;
  /// In the order of the manifest; PluginInfo::fit says which of them this program can use.
  std::vector<PluginInfo> plugins;
  /// Those of the module and of the libraries beside it, in the order in which they are loaded; of
  /// a builtin none.
  std::vector<LibraryInfo> libraries;
  /// Whether its code goes when it is unloaded; empty for a builtin and for what is no module.
  std::optional<Reload> reload;
  /// Why this program would not load the module, each with its code.
  std::vector<Error> errors;
  /// What is wrong and keeps nobody from using the rest: plugins that do not fit beside one that
  /// does; kinds that only other programs have.
  std::vector<Error> warnings;
  /// Remarks on a module that is used in full.
  std::vector<Error> notes;
  /// The parts that were looked at, eg: "manifest", "symbols".
  std::vector<std::string> checked;

  /// Whether a host would try to load it: no problem was found. What shows only then (a missing
  /// method, a `start` that fails) is not known here.
  bool would_load() const noexcept { return errors.empty(); }

  /// Adds a finding to those of its grade.
  TENON_API void add(Error finding);
};

/// Looks at a file. Never waits for a pipe or a device. `program` is the executable of the host
/// that would load it, whose symbols count then; empty: this process. Thread-safe.
TENON_API ModuleReport inspect(const std::filesystem::path& file,
                               const std::filesystem::path& program = {});

/// Looks at a module that is linked into the program.
TENON_API ModuleReport inspect(const tenon_module& builtin);

/// The kind of this process with this id; nullptr where it knows none. Thread-safe.
TENON_API const Kind* find_kind(std::string_view id) noexcept;

/// Makes these the kinds of the process, in the place of those that were registered: for programs
/// that look at the plugins of another program. Nothing can be created of a kind without tables.
/// They live as long as the process. REQUIRED: there is no Host yet.
TENON_API void use_kinds(std::vector<const Kind*> kinds);

/// Where the data of an app may be installed: that of the user, of this machine, of the system, eg:
/// "/usr/share/photo".
TENON_API std::vector<std::filesystem::path> data_folders(const std::string& app);

/// The manifests of modules that are linked into a program as one JSON array, which is what the
/// description of the program says of its builtins (`tenon_install_sdk`).
TENON_API std::string manifests_of(const std::vector<const tenon_module*>& builtins);

}  // namespace tenon
