// SPDX-License-Identifier: BSL-1.0
#include "archive_path.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/plain_text.hpp"

namespace backup {
namespace {

constexpr std::string_view extension = ".json";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

tenon::Error bad_id(const tenon::ResourceIdV1& id, std::string_view part,
                    std::string_view problem) {
  return tenon::Error(
      {.code = "bad-id",
       .message = "the resource cannot be stored in an archive",
       .where = id_text(id),
       .found = "the " + std::string(part) + " cannot be part of a path: " + std::string(problem),
       .needed = "1 to " + std::to_string(longest_name) +
                 " bytes of UTF-8 without '/' and control characters",
       .fix = "correct the " + std::string(part)});
}

tenon::Error bad_path(std::string_view path, std::string found) {
  return tenon::Error({.code = "bad-path",
                       .message = "the entry is not an item of a backup",
                       .where = std::string(path),
                       .found = std::move(found),
                       .needed = "resources/RESOURCE/cluster/NAME.json or "
                                 "resources/RESOURCE/namespaces/NAMESPACE/NAME.json",
                       .fix = "use an archive that tenon-backup created"});
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = path.find('/')) != path.npos; path.remove_prefix(end + 1)) {
    parts.push_back(path.substr(0, end));
  }
  parts.push_back(path);
  return parts;
}

}  // namespace

std::string id_text(const tenon::ResourceIdV1& id) {
  std::string text = id.resource + ' ';
  if (!id.in_namespace.empty()) text += id.in_namespace + '/';
  return text + id.name;
}

std::string_view path_part_problem(std::string_view part) {
  if (part.empty()) return "it is empty";
  if (part == "." || part == "..") return "it names a directory";
  if (part.size() > longest_name) return "it is too long";
  if (part.find('/') != part.npos) return "it contains '/'";
  if (std::any_of(part.begin(), part.end(), is_control)) return "it contains a control character";
  if (tenon::valid_utf8(part) != part) return "it is not UTF-8";
  return {};
}

tenon::Result<void> check_id(const tenon::ResourceIdV1& id) {
  const auto resource = path_part_problem(id.resource);
  if (!resource.empty()) return bad_id(id, "resource", resource);
  const auto space = id.in_namespace.empty() ? "" : path_part_problem(id.in_namespace);
  if (!space.empty()) return bad_id(id, "namespace", space);
  const auto name = path_part_problem(id.name);
  if (!name.empty()) return bad_id(id, "name", name);
  return {};
}

std::string archive_path(const tenon::ResourceIdV1& id) {
  std::string path = "resources/" + id.resource;
  path += id.in_namespace.empty() ? "/cluster/" : "/namespaces/" + id.in_namespace + '/';
  return path.append(id.name).append(extension);
}

tenon::Result<tenon::ResourceIdV1> parse_archive_path(std::string_view path) {
  const auto parts = parts_of(path);
  const bool in_cluster = parts.size() == 4 && parts[2] == "cluster";
  const bool in_namespace = parts.size() == 5 && parts[2] == "namespaces";
  if (parts[0] != "resources" || (!in_cluster && !in_namespace)) {
    return bad_path(path, "a different layout");
  }
  if (!parts.back().ends_with(extension)) return bad_path(path, "no name that ends with .json");
  tenon::ResourceIdV1 id;
  id.resource = parts[1];
  if (in_namespace) id.in_namespace = parts[3];
  id.name = parts.back().substr(0, parts.back().size() - extension.size());
  if (in_namespace && id.in_namespace.empty()) return bad_path(path, "an empty namespace");
  if (const auto good = check_id(id); !good)
    return bad_path(path, std::string(good.error().found()));
  return id;
}

}  // namespace backup
