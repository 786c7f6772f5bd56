// SPDX-License-Identifier: BSL-1.0
//
// Finds the documents of Kubernetes resources in JSON files.
#pragma once

#include <tenon/result.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "items.hpp"

namespace backup {

/// The limits of a document: its size in bytes and its number of levels.
constexpr std::size_t largest_document = std::size_t{16} << 20;
constexpr std::size_t deepest_document = 256;

/// Returns the resource of a kind, eg: "deployments.apps" for "apps/v1" and "Deployment"; empty if
/// there is none.
using ResourceOf = std::function<std::string(std::string_view api_version, std::string_view kind)>;
/// Called with each document of the kind CustomResourceDefinition.
using OnDefinition = std::function<void(const boost::json::object&)>;
/// Returns whether to stop reading. Called for each piece of a file, on several threads at once if
/// there are many files.
using IsCancelled = std::function<bool()>;

/// Reads a file, or all files *.json in a directory and the directories in it, in the order of
/// their paths. Links to files are followed, links to directories are not. A file holds documents,
/// one after the other. Each is a resource, or a list of them as `kubectl get -o json` prints it;
/// elements of a list such as PodList may lack their kind and apiVersion, and may be lists. Lists
/// may be larger than memory, except for those in a list, which are limited like documents.
///
/// Calls `on_definition` for all definitions first, then `resource_of` once for each pair of
/// apiVersion and kind.
///
/// Adds an error to `problems` for each document that cannot be used, and reads the others:
/// not-json, not-a-resource, bad-id, document-too-large, unknown-resource-kind, cannot-read, and
/// duplicate-resource if two documents of one resource differ, of which the first one is used.
/// Their `where` is file:line:column, counted from 1 in characters. Adds one error, not-json, if
/// the directory has YAML files, which are not read.
///
/// Errors: cannot-read; cancelled.
tenon::Result<Items> read_documents(const std::filesystem::path& from,
                                    const ResourceOf& resource_of,
                                    std::vector<tenon::Error>& problems,
                                    const OnDefinition& on_definition = {},
                                    const IsCancelled& is_cancelled = {});

}  // namespace backup
