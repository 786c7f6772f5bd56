// SPDX-License-Identifier: BSL-1.0
#include "input.hpp"

#include <numeric>
#include <utility>

#include "archive_path.hpp"
#include "item.hpp"

namespace backup {
namespace {

/// Checks that an entry of an archive is the item that its path names. Otherwise filters, which see
/// only the path, would let any item pass.
tenon::Result<void> check_identity(const ItemOutline& item, const tenon::ResourceIdV1& id,
                                   const ResourceNames& names) {
  const tenon::ResourceIdV1 own = id_of(item, names);
  if (own == id) return {};
  return tenon::Error({.code = "entry-differs",
                       .message = "the entry of the archive is another item than its path says",
                       .where = archive_path(id),
                       .found = id_text(own),
                       .needed = id_text(id),
                       .fix = "use an archive that tenon-backup created"});
}

}  // namespace

bool Input::admits(const tenon::ResourceIdV1& id) const {
  if (id.resource == "namespaces") return filter.admits_namespace(id.name);
  if (id.in_namespace.empty() && filter.excludes_namespaces()) return false;
  return filter.admits(id);
}

bool Input::admits_related(const tenon::ResourceIdV1& id) const {
  const bool is_global = id.in_namespace.empty() && id.resource != "namespaces";
  return is_global ? filter.admits_resource(id.resource) : admits(id);
}

bool Input::excludes(const Labels& labels) const {
  const auto label = labels.find("velero.io/exclude-from-backup");
  return is_for_backup && label != labels.end() && label->second == "true";
}

tenon::Result<ReadItem> Input::read(std::size_t index) const {
  auto text = items.read(index);
  if (!text) return std::move(text).error();
  auto item = read_item(*text);
  if (!item) return std::move(item).error();
  if (!is_for_backup) {
    if (auto same = check_identity(*item, items.id(index), names); !same) {
      return std::move(same).error();
    }
  }
  return ReadItem{*std::move(text), std::move(item->labels), std::move(item->annotations)};
}

tenon::Result<std::size_t> Input::find(const tenon::ResourceIdV1& id) const {
  tenon::ResourceIdV1 resolved = id;
  resolved.resource = names.resolve(id.resource);
  if (const auto index = items.find(resolved)) return *index;
  return tenon::Error({.code = "missing-additional-item",
                       .message = "an action named an item that is not in the input",
                       .found = "no " + id_text(resolved)});
}

std::vector<std::size_t> Input::indices() const {
  std::vector<std::size_t> all(items.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace backup
