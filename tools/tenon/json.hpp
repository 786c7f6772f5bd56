// SPDX-License-Identifier: BSL-1.0
//
// The output of --json. See json.md for the keys and the meaning of `schema`.
#pragma once

#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <boost/json.hpp>

#include <optional>
#include <string_view>
#include <vector>

#include "lock_changes.hpp"

namespace tenon::command {

/// Returns the object with which the output of every command begins.
boost::json::object make_output(std::string_view command);

boost::json::object to_json(const PluginInfo& plugin);
boost::json::object to_json(const ManifestInfo& manifest);
/// Returns the author's details in a manifest; empty if there are none.
boost::json::object details_of(const ManifestInfo& manifest);
boost::json::object to_json(const ReloadSafety& reload);
boost::json::object to_json(const Error& error);
boost::json::array to_json(const std::vector<Error>& errors);
boost::json::array to_json(const std::vector<LockChange>& changes);
boost::json::array to_json(const std::vector<SystemVersion>& versions);
boost::json::array to_json(const std::vector<LibraryInfo>& libraries);
/// Adds the keys `owner` and `mode`.
void add_owner(const std::optional<FileOwner>& owner, boost::json::object& object);
boost::json::array to_json(const std::vector<RequirementInfo>& requirements);
boost::json::object to_json(const PackageInfo& package);
boost::json::object to_json(const ResolvedPackage& resolved);

/// Prints an indented object to standard output.
void print(const boost::json::object& output);

}  // namespace tenon::command
