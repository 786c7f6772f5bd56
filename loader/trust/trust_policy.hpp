// SPDX-License-Identifier: BSL-1.0
//
// Decides what a host may load: by who may change the files, by its lock as a list of what is
// allowed, and by a list of what is denied. See trust.md.
#pragma once

#include <tenon/result.hpp>
#include <tenon/trust.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "binary/bundle.hpp"
#include "package/lock.hpp"
#include "package/requirement.hpp"
#include "platform/exposure.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// What an operator denies: versions of a package, a file, or a file as such a version.
struct Denied {
  std::string package;                  // empty: any
  std::optional<Requirement> versions;  // nothing: all
  std::string sha256;                   // empty: any file
  std::string reason;
};

struct TrustPolicy {
  Trust level = Trust::owner;
  std::vector<LockedPackage> lock{};
  std::filesystem::path lock_file{};
  std::vector<Denied> denied{};
  std::filesystem::path rules_file{};  // for messages
};

/// Adds the rules of an operator's file to a policy, which they can only make stricter. Errors:
/// not-found, cannot-read; broken-trust-rules, with the position in the document; version-too-new;
/// untrusted-owner.
Result<void> add_trust_rules(const std::filesystem::path& file, TrustPolicy& policy);

/// Parses the text of such a file. Errors: broken-trust-rules, version-too-new.
Result<void> parse_trust_rules(std::string_view text, const std::filesystem::path& file,
                               TrustPolicy& policy);

/// Returns the error `untrusted-owner` of a file, or `cannot-read` if a directory above it could
/// not be checked; see check_owner.
Error untrusted_owner(const std::filesystem::path& file, const platform::Exposure& exposure);

/// Checks whether a version of a package in `file` may be loaded, before its content is known.
/// Errors: not-pinned, denied.
Result<void> check_listed(const TrustPolicy& policy, std::string_view name, const Version& version,
                          const std::filesystem::path& file);

/// Checks the files of a bundle, which is to be loaded as that version of a package, by their
/// contents in memory. Errors that are only warnings are added to `warnings`. Errors: not-pinned,
/// denied, relative-run-path, untrusted-owner, lock-differs; those of reading the libraries that a
/// run path leads to.
Result<void> check_trust(const TrustPolicy& policy, std::string_view name, const Version& version,
                         const Bundle& bundle, std::vector<Error>& warnings);

/// Returns `untrusted-owner` for each file of a bundle that others may change, and for each library
/// that a run path leads to; relative-run-path for each file that has one. For inspections.
std::vector<Error> trust_problems(const Bundle& bundle);

}}}  // namespace tenon::v0_1::detail
