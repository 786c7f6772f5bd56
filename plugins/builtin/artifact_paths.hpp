// SPDX-License-Identifier: BSL-1.0
//
// The annotation `tenon.dev/external-artifact` of a resource: paths of files that belong to it,
// separated by commas. Each is below a directory of the namespace of the resource, so that nobody
// who may write resources of one namespace names the files of another.
#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace tenon::builtin {

struct ArtifactPath {
  std::string text;                // as written in the annotation
  std::vector<std::string> parts;  // at least one
};

struct Artifacts {
  /// The name of the directory of the namespace: the namespace, or `_cluster` for a resource
  /// without one, which no namespace can have.
  std::string directory;
  std::vector<ArtifactPath> paths;
  std::vector<std::string> problems;  // one for each path that is refused, or of the whole
};

/// Reads the annotation. Without it there are neither paths nor problems.
Artifacts artifacts_of(const boost::json::object& resource);

}  // namespace tenon::builtin
