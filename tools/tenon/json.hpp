// SPDX-License-Identifier: BSL-1.0
//
// What --json prints: see json.md, which says what the keys mean and when `schema` changes.
#pragma once

#include <tenon/host.hpp>
#include <tenon/inspect.hpp>

#include <boost/json.hpp>
#include <string_view>
#include <vector>

namespace tenon::command {

/// The object that every answer begins with.
boost::json::object answer_of(std::string_view command);

boost::json::object to_json(const PluginInfo& plugin);
boost::json::object to_json(const ManifestInfo& manifest);
boost::json::object to_json(const ReloadSafety& reload);
boost::json::object to_json(const Error& error);
boost::json::array to_json(const std::vector<Error>& errors);
boost::json::array to_json(const std::vector<LibraryInfo>& libraries);
boost::json::array to_json(const std::vector<RequirementInfo>& requirements);
boost::json::object to_json(const PackageInfo& package);
boost::json::object to_json(const ResolvedPackage& resolved);

/// To standard output, indented.
void print(const boost::json::object& answer);

}  // namespace tenon::command
