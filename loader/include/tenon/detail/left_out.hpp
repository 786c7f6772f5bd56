// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/left_out.hpp: for the command `tenon`, which releases the modules that hosts leave
// out; see HostOptions::remember_crashes.
#pragma once

#include <tenon/detail/export.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace detail {

/// A module that hosts of an app leave out.
struct LeftOutModule {
  std::string package;
  std::string version;     // of the package
  std::string file;        // absolute; escaped for display
  std::int64_t time = 0;   // of the crash or the quarantine, in seconds since 1970
  std::string quarantine;  // the reasons; empty: a process died while it loaded the module
  std::filesystem::path record;
};

/// The modules that are left out, and warnings for records that cannot be used.
struct LeftOutModules {
  std::vector<LeftOutModule> modules;
  std::vector<Error> warnings;
};

/// Returns the modules that hosts of an app leave out, in no order. Thread-safe. Errors:
/// untrusted-owner; cannot-read, if there is no directory for records.
TENON_API Result<LeftOutModules> left_out_modules(const std::string& app);
/// Removes a record. Thread-safe. Error: cannot-write.
TENON_API Result<void> release(const LeftOutModule& module);
/// Returns a time of a record, eg: "2026-11-29 12:30:05 UTC".
TENON_API std::string time_in_words(std::int64_t seconds);

}}}  // namespace tenon::v0_1::detail
