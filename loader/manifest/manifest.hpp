// SPDX-License-Identifier: BSL-1.0
//
// The manifest: the description of a module, which is read without running its code.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/unload_statement.hpp"
#include "package/repository.hpp"
#include "package/requirement.hpp"
#include "package/semver.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A version of the ABI. In a manifest it is the lowest version that the host must support.
struct AbiVersion {
  std::uint16_t major = 1;
  std::uint16_t minor = 0;

  friend auto operator<=>(const AbiVersion&, const AbiVersion&) = default;

  std::string to_string() const;
};

/// The ABI version that hosts of this build offer.
extern const AbiVersion host_abi;

/// One plugin: one registration of the module.
struct Provided {
  std::string kind;               // eg: "photo.example/filter"
  std::int32_t version = 0;       // of the kind, from 1
  std::uint64_t fingerprint = 0;  // of that version's spec
  std::string name;               // eg: "me.example/blur"

  friend bool operator==(const Provided&, const Provided&) = default;
};

/// The versions of its private state that a module writes and reads.
struct StateVersions {
  std::string type;  // document type of the state; empty: a format of the module's own
  std::int32_t writes = 0;
  std::vector<std::int32_t> reads;

  friend bool operator==(const StateVersions&, const StateVersions&) = default;
};

using Texts = std::map<std::string, std::string, std::less<>>;

/// Limits of a manifest, far above real modules. A manifest that exceeds them is broken. The text
/// has at most 1 MiB, see abi/manifest.md.
inline constexpr std::size_t max_plugins = 4096;
inline constexpr std::size_t max_version_length = 256;

struct Manifest {
  AbiVersion abi;
  std::string name;                // of the package
  Version version;                 // of the package; 0.0.0 if the author gave none
  std::vector<Provided> provides;  // in the author's order, at least one

  // Optional details; empty if the author gave none.
  std::string summary;
  std::string description;
  std::string author;
  std::string license;
  std::string homepage;
  Dependencies requirements;                             // one for each name, sorted
  std::map<std::string, Texts, std::less<>> properties;  // name of a plugin -> its properties
  std::optional<StateVersions> state;
  UnloadStatement unload;

  std::string text;  // the whole document, as stored in the module; a scan drops it

  // Set by the scan, see catalog/scan.hpp.
  std::string
      version_directory;  // the name of the version directory that contains the file, or empty
  bool in_development = false;  // in a directory `dev`: version 0.0.0, advisory requirements
};

/// Returns whether two manifests are equal, including the build metadata of the version.
bool same_manifest(const Manifest& a, const Manifest& b);

/// Returns all details as JSON text, including unknown keys; empty if there are none. REQUIRED: the
/// manifest has its text.
std::string details_of(const Manifest& manifest);

/// Returns the package that a manifest declares, for the resolver.
Package package_of(const Manifest& manifest);

/// Parses a manifest. `path` is that of the module, for messages. Errors: broken-manifest (with the
/// path in the document, eg: provides[0].version), abi-too-new, abi-unknown (a type of ABI that
/// this host does not offer).
Result<Manifest> parse_manifest(std::string text, std::string_view path);

/// Checks whether this host offers the ABI version `needed`. `where` is the entry that states it,
/// eg: "manifest: abi". Errors: abi-too-new.
Result<void> check_abi(AbiVersion needed, std::string_view where, std::string_view path);

}}}  // namespace tenon::v0_1::detail
