// SPDX-License-Identifier: BSL-1.0
#include "persistent_volume.hpp"

#include <tenon/sdk/failure.hpp>

#include <boost/json.hpp>

#include "resource.hpp"

namespace tenon::builtin {
namespace {

namespace json = boost::json;

/// Returns the path in a resource, or nullptr if it has none.
json::string* find_path(json::object& resource) {
  json::object* spec = object_in(&resource, "spec");
  for (const char* source : {"hostPath", "local"}) {
    json::object* volume = object_in(spec, source);
    json::value* path = volume != nullptr ? volume->if_contains("path") : nullptr;
    if (path != nullptr && path->is_string()) return &path->get_string();
  }
  return nullptr;
}

}  // namespace

std::string path_in_volume(std::string_view resource) {
  Resource volume(resource);
  const json::string* path = find_path(volume.members());
  return path != nullptr ? std::string(path->data(), path->size()) : "";
}

std::string with_path(std::string_view resource, std::string_view path) {
  Resource volume(resource);
  json::string* found = find_path(volume.members());
  if (found == nullptr) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT,
                       "the volume has neither spec.hostPath.path nor spec.local.path");
  }
  found->assign(path.data(), path.size());
  return volume.text();
}

}  // namespace tenon::builtin
