// SPDX-License-Identifier: BSL-1.0
//
// tenon/inspect.hpp: inspects one module without a host and without running any of its code.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/plugin_info.hpp>
#include <tenon/reload_safety.hpp>
#include <tenon/result.hpp>
#include <tenon/system_version.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// The manifest of a module.
struct ManifestInfo {
  /// The lowest ABI version that its host must support, eg: "1.0"
  std::string abi;
  std::string package;
  std::string package_version;
  // For people; empty if the manifest does not set them.
  std::string summary;
  std::string description;
  std::string author;
  std::string license;
  std::string homepage;
  /// Package names and the versions that are accepted, as the author wrote them.
  TextMap requirements;
  /// The versions of its private state that the module writes and reads.
  struct State {
    std::string type;  // a document type, eg: "me.example/progress"; empty: opaque bytes
    std::int32_t writes;
    std::vector<std::int32_t> reads;
  };
  std::optional<State> state;
  /// True if all threads of the module end before its `stop` returns.
  bool joins_threads = false;
  /// Libraries whose rules do not apply, because the module undoes what it did there; see
  /// tenon/library_rules.hpp.
  std::vector<std::string> handled;
  /// All other keys of the manifest, as one JSON object.
  std::string details;
};

/// Who may change a file. The directories above it count as well; see tenon/trust.hpp.
struct FileOwner {
  std::string user;        // the name, or the number if there is no name
  std::uint32_t mode = 0;  // the permissions, eg: 0644
};

/// A library that the system loads with a module.
struct LibraryInfo {
  std::string name;            // eg: "libc.so.6"
  std::filesystem::path path;  // empty if it was not found
  /// False if it is unloaded with the module: it is a library beside it, or its registry would keep
  /// pointers to the module. Others stay mapped until the process exits, and restarts of the module
  /// use the same image.
  bool stays_mapped = false;
  std::optional<FileOwner> owner;  // absent if it was not found
};

/// The result of an inspection. Parts that could not be read are empty, and `errors` says why.
struct ModuleReport {
  /// Empty for a builtin.
  std::filesystem::path file;
  /// The size of the file in bytes.
  std::uint64_t size = 0;
  /// Absent for a builtin and for a file that cannot be opened.
  std::optional<FileOwner> owner;
  /// The machine that the file was built for, eg: "x86-64"; empty for a builtin and for a file that
  /// is not a library.
  std::string machine;
  /// "ELF", or "PE" for a DLL, which only Windows loads; empty like `machine`.
  std::string format;
  std::optional<ManifestInfo> manifest;
  /// In the order of the manifest. PluginInfo::compatibility says which of them this program can
  /// use.
  std::vector<PluginInfo> plugins;
  /// The libraries of the module and of the libraries beside it, in load order; empty for a
  /// builtin. Those of a DLL are only searched beside it.
  std::vector<LibraryInfo> libraries;
  /// The versions of system libraries that the module and the libraries beside it need, the highest
  /// of each; empty for a builtin, a DLL and a file that is not a module.
  std::vector<SystemVersion> needs;
  /// The processors that the module and the libraries beside it state to need, eg: "x86-64-v3";
  /// empty if they state none.
  std::string processor;
  /// How safely its code can be unloaded; absent for a builtin, a DLL and a file that is not a
  /// module.
  std::optional<ReloadSafety> reload;
  /// Why this program would not load the module.
  std::vector<Error> errors;
  /// Problems that do not prevent loading: plugins that this program cannot use beside one that it
  /// can, and kinds that this program does not know.
  std::vector<Error> warnings;
  /// Remarks on a module that can be used completely.
  std::vector<Error> notes;
  /// The parts that were checked, eg: "manifest", "methods", "symbols".
  std::vector<std::string> checked;

  /// Returns whether a host would try to load the module. Problems that appear only during loading
  /// (a vtable that code fills in, a `start` that fails) are not known here.
  bool would_load() const noexcept { return errors.empty(); }

  /// Adds a problem to `errors`, `warnings` or `notes`, by its severity.
  TENON_API void add(Error problem);
};

/// Inspects a file. Never waits for a pipe or a device. `program` is the executable of the host
/// that would load it, whose symbols the module may use; empty: this process. Thread-safe.
TENON_API ModuleReport inspect(const std::filesystem::path& file,
                               const std::filesystem::path& program = {});

/// Inspects a module that is linked into the program. Thread-safe.
TENON_API ModuleReport inspect(const tenon_module& builtin);

/// Returns the kind of this process with this id, the first of several; nullptr if there is none.
/// Thread-safe.
TENON_API const Kind* find_kind(std::string_view id) noexcept;

/// Returns the manifests of modules that are linked into a program as one JSON array, as the
/// description of the program contains them (`tenon_install_sdk`).
TENON_API std::string manifests_of(const std::vector<const tenon_module*>& builtins);

}}  // namespace tenon::v0_1
