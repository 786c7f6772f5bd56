// SPDX-License-Identifier: BSL-1.0
#include "trust/trust_policy.hpp"

#include <algorithm>
#include <utility>

#include "base/quote.hpp"
#include "package/repository.hpp"
#include "trust/locked_content.hpp"
#include "trust/outside_libraries.hpp"
#include "trust/sha256.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

namespace fs = std::filesystem;

/// Returns whether the directory of a run path depends on the working directory.
bool is_relative(std::string_view directory) {
  return !directory.starts_with('/') && !directory.starts_with("$ORIGIN") &&
         !directory.starts_with("${ORIGIN}");
}

/// Returns a directory of a run path that depends on the working directory; nothing if there is
/// none. The dynamic loader takes an empty directory for the working directory.
std::optional<std::string_view> relative_directory(std::string_view run_path) {
  for (std::size_t begin = 0; begin <= run_path.size() && !run_path.empty();) {
    const std::size_t end = std::min(run_path.find(':', begin), run_path.size());
    const std::string_view directory = run_path.substr(begin, end - begin);
    if (is_relative(directory)) return directory;
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<Error> relative_run_path(const BundleFile& file) {
  if (!file.linkage.run_path) return std::nullopt;
  const auto relative = relative_directory(file.linkage.run_path->text);
  if (!relative) return std::nullopt;
  return Error({.code = "relative-run-path",
                .where = file.path.string(),
                .found = relative->empty() ? "an empty directory in its run path, which is the "
                                             "working directory of the process"
                                           : "the directory " + in_quotes(*relative) +
                                                 " in its run path, below the working directory",
                .needed = "directories that begin with / or $ORIGIN",
                .fix = "link it with a run path such as $ORIGIN/lib, or patchelf --set-rpath"});
}

void add_problems(const Bundle& bundle, std::vector<Error>& problems) {
  for (const BundleFile& file : bundle) {
    const auto exposure = platform::exposure_of(file.path, file.access);
    if (exposure) problems.push_back(untrusted_owner(file.path, *exposure));
    if (auto relative = relative_run_path(file)) problems.push_back(std::move(*relative));
  }
}

std::vector<Error> problems_of(const Bundle& bundle, const std::vector<Bundle>& outside) {
  std::vector<Error> problems;
  add_problems(bundle, problems);
  for (const Bundle& library : outside) add_problems(library, problems);
  return problems;
}

Error denied_error(const TrustPolicy& policy, const Denied& denied, const fs::path& file,
                   std::string found) {
  std::string needed = "a version that " + policy.rules_file.string() + " does not deny";
  if (!denied.reason.empty()) needed += " (" + escaped_for_display(denied.reason) + ")";
  return Error({.code = "denied",
                .where = file.string(),
                .found = std::move(found),
                .needed = std::move(needed),
                .fix = "install another version, or ask who keeps that file"});
}

bool is_denied(const Denied& denied, std::string_view name, const Version& version) {
  if (!denied.package.empty() && denied.package != name) return false;
  return !denied.versions || denied.versions->contains(version);
}

/// Checks the contents of the files, which are hashed only if a rule names a hash.
Result<void> check_denied(const TrustPolicy& policy, std::string_view name, const Version& version,
                          const Bundle& bundle) {
  const bool by_hash = std::ranges::any_of(policy.denied, [&](const Denied& denied) {
    return !denied.sha256.empty() && is_denied(denied, name, version);
  });
  if (!by_hash) return {};
  for (const BundleFile& file : bundle) {
    const std::string hash = sha256(file.content);
    for (const Denied& denied : policy.denied) {
      if (denied.sha256 == hash && is_denied(denied, name, version))
        return denied_error(policy, denied, file.path, "a file with sha256 " + hash);
    }
  }
  return {};
}

bool is_error(const Error& problem) {
  return problem.severity() == Severity::error;
}

}  // namespace

Error untrusted_owner(const fs::path& file, const platform::Exposure& exposure) {
  std::string found = exposure.found;
  if (exposure.path != file) found += ", " + exposure.path.string();
  const bool refused = platform::is_privileged();
  return Error({.code = exposure.unread ? "cannot-read" : "untrusted-owner",
                .where = file.string(),
                .found = std::move(found),
                .needed = std::string("files and directories that no other user may change") +
                          (refused ? "" : "; a program that runs as root refuses this"),
                .fix = exposure.fix,
                .severity = refused ? Severity::error : Severity::warning});
}

Result<void> check_listed(const TrustPolicy& policy, std::string_view name, const Version& version,
                          const fs::path& file) {
  for (const Denied& denied : policy.denied) {
    if (denied.sha256.empty() && is_denied(denied, name, version))
      return denied_error(policy, denied, file, display_name(name, version));
  }
  if (policy.level < Trust::pinned) return {};
  const bool listed = std::ranges::any_of(policy.lock, [&](const LockedPackage& locked) {
    return locked.name == name && !locked.builtin() && total_order(locked.version, version) == 0;
  });
  if (listed) return {};
  return Error({.code = "not-pinned",
                .where = file.string(),
                .found = display_name(name, version),
                .needed = "a version that " + policy.lock_file.string() + " lists",
                .fix = "remove the module, or add it to the lock with tenon lock"});
}

Result<void> check_trust(const TrustPolicy& policy, std::string_view name, const Version& version,
                         const Bundle& bundle, std::vector<Error>& warnings) {
  if (auto listed = check_listed(policy, name, version, bundle[0].path); !listed) return listed;
  if (auto allowed = check_denied(policy, name, version, bundle); !allowed) return allowed;
  const auto outside = outside_libraries(bundle);
  if (!outside) return outside.error();
  if (policy.level >= Trust::owner) {
    std::vector<Error> problems = problems_of(bundle, *outside);
    const auto worst = std::ranges::find_if(problems, is_error);
    if (worst != problems.end()) return std::move(*worst);
    std::ranges::move(problems, std::back_inserter(warnings));
  }
  return check_locked_content(policy.lock, policy.lock_file, name, version, bundle, *outside);
}

std::vector<Error> trust_problems(const Bundle& bundle) {
  const auto outside = outside_libraries(bundle);
  return problems_of(bundle, outside ? *outside : std::vector<Bundle>());
}

}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 {

std::optional<Error> check_owner(const std::filesystem::path& path) {
  const auto exposure = platform::exposure_at(path);
  if (!exposure) return std::nullopt;
  return detail::untrusted_owner(path, *exposure);
}

}}  // namespace tenon::v0_1
