// SPDX-License-Identifier: BSL-1.0
//
// The manifest: what a module says about itself before any of its code runs.
#pragma once

#include "package/repository.hpp"
#include "package/requirement.hpp"
#include "package/semver.hpp"

#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// A version of the ABI. In a manifest it is the lowest that the host must support.
struct AbiVersion {
  std::uint16_t major = 1;
  std::uint16_t minor = 0;

  friend auto operator<=>(const AbiVersion&, const AbiVersion&) = default;

  std::string to_string() const;
};

/// What the hosts of this build offer.
extern const AbiVersion host_abi;

/// One plugin: one registration of the module.
struct Provided {
  std::string kind;               // eg: "photo.example/filter"
  std::int32_t version = 0;       // of the kind, from 1
  std::uint64_t fingerprint = 0;  // of that version's spec
  std::string name;               // eg: "me.example/blur"

  friend bool operator==(const Provided&, const Provided&) = default;
};

/// Which versions of its private state the module writes and reads.
struct StateVersions {
  std::string type;  // the document type that it is of; empty: it is the module's own affair
  std::int32_t writes = 0;
  std::vector<std::int32_t> reads;

  friend bool operator==(const StateVersions&, const StateVersions&) = default;
};

using Texts = std::map<std::string, std::string, std::less<>>;

/// What no module that somebody wrote comes near. A manifest that goes beyond is broken, so that
/// whoever reads on can rely on it; the text as a whole has at most 1 MiB, see abi/manifest.md.
inline constexpr std::size_t max_plugins = 4096;
inline constexpr std::size_t longest_version = 256;

struct Manifest {
  AbiVersion abi;
  std::string name;                // of the package
  Version version;                 // of the package; 0.0.0 where the author gave none
  std::vector<Provided> provides;  // in the author's order, at least one

  // The rest is what authors may say besides; empty where they do not.
  std::string summary;
  std::string description;
  std::string author;
  std::string license;
  std::string homepage;
  std::map<std::string, Requirement, std::less<>> requirements;  // of packages, by their name
  std::map<std::string, Texts, std::less<>> properties;  // name of a plugin -> its properties
  std::optional<StateVersions> state;
  bool joins_threads = false;  // no thread of the module outlives its `stop`
  std::string details;         // all of it as JSON text, with the keys that are not known here

  std::string text;  // the whole document, as the module has it

  // Of the folder that the module lies in, see catalog/scan.hpp.
  bool in_development = false;  // its version is 0.0.0, and what it requires are wishes
};

/// Returns whether two manifests say the same, down to the build metadata of the version.
bool same_manifest(const Manifest& a, const Manifest& b);

/// What a manifest says to the resolver.
Package package_of(const Manifest& manifest);

/// Reads the text of a manifest. `path` is the module's, for messages. Errors: broken-manifest
/// (with the place in the document, eg: provides[0].version), abi-too-new, abi-unknown
/// (it is of a type that no host of this build offers).
Result<Manifest> parse_manifest(std::string_view text, std::string_view path);

/// Whether this host can serve a module that needs `needed`; `place` is what says so, eg:
/// "manifest: abi". Error: abi-too-new.
Result<void> check_abi(AbiVersion needed, std::string_view place, std::string_view path);

}  // namespace tenon
