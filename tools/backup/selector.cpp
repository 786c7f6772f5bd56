// SPDX-License-Identifier: BSL-1.0
#include "selector.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "selection/written_text.hpp"

namespace backup {
namespace {

using tenon::selection::LabelSelector;
using tenon::selection::PatternList;

bool admitted(const PatternList& included, const PatternList& excluded, const std::string& text) {
  return !excluded.matches(text) && (included.empty() || included.matches(text));
}

std::vector<std::string> resolved(const std::vector<std::string>& resources,
                                  const ResourceNames& names) {
  std::vector<std::string> all;
  all.reserve(resources.size());
  for (const std::string& resource : resources) all.push_back(names.resolve(resource));
  return all;
}

}  // namespace

tenon::Result<Selector> Selector::compile(const tenon::SelectorV1& selector,
                                          const ResourceNames& names) {
  Selector compiled;
  const auto read = [](PatternList& into, const std::vector<std::string>& patterns,
                       std::string_view name) -> tenon::Result<void> {
    auto list = PatternList::compile(patterns, name);
    if (!list) return list.error();
    into = std::move(*list);
    return {};
  };
  const std::vector<std::string>& included = selector.included_namespaces;
  compiled.cluster_scoped_ = included.empty() || std::ranges::find(included, "*") != included.end();
  for (const auto& result :
       {read(compiled.included_namespaces_, included, "included_namespaces"),
        read(compiled.excluded_namespaces_, selector.excluded_namespaces, "excluded_namespaces"),
        read(compiled.included_resources_, resolved(selector.included_resources, names),
             "included_resources"),
        read(compiled.excluded_resources_, resolved(selector.excluded_resources, names),
             "excluded_resources")}) {
    if (!result) return result.error();
  }
  auto labels = LabelSelector::parse(selector.label_selector);
  if (!labels) return tenon::selection::error_at("label_selector", labels.error());
  compiled.labels_ = std::move(*labels);
  return compiled;
}

bool Selector::admits(const tenon::ResourceIdV1& id) const {
  if (!admits_resource(id.resource)) return false;
  if (id.in_namespace.empty()) return cluster_scoped_;
  return admitted(included_namespaces_, excluded_namespaces_, id.in_namespace);
}

bool Selector::admits_namespace(const std::string& name) const {
  return admits_resource("namespaces") &&
         admitted(included_namespaces_, excluded_namespaces_, name);
}

bool Selector::admits_resource(const std::string& resource) const {
  return admitted(included_resources_, excluded_resources_, resource);
}

}  // namespace backup
