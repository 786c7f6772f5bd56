// SPDX-License-Identifier: BSL-1.0
#include "change_namespace.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "namespace_references.hpp"
#include "resource.hpp"

namespace tenon::builtin {
namespace {

/// Replaces namespaces according to the mapping.
class Mapping {
 public:
  explicit Mapping(MapView<std::string> entries) : entries_(entries) {}

  void replace(const NamespaceReference& reference) {
    const std::string_view from = reference.get();
    const std::optional<std::string_view> to = entries_.find(from);
    if (!to || *to == from) return;
    if (to->empty()) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "the namespace \"", from,
                         "\" is mapped to nothing; fix: map it to the name of a namespace");
    }
    reference.set(*to);
    changed_ = true;
  }
  bool changed() const noexcept { return changed_; }

 private:
  MapView<std::string> entries_;
  bool changed_ = false;
};

}  // namespace

ChangeNamespace::ExecuteResult ChangeNamespace::execute(std::string_view item, std::string_view,
                                                        RestoreV1View restore) {
  std::vector<std::string_view> mapped;
  for (const auto& [name, target] : restore.namespace_mapping()) mapped.push_back(name);
  if (!may_contain(item, mapped)) return {};
  Resource resource(item);
  Mapping mapping(restore.namespace_mapping());
  for_each_namespace(resource.value(),
                     [&](const NamespaceReference& reference) { mapping.replace(reference); });
  ExecuteResult result;
  if (mapping.changed()) result.updated_item = Json{resource.text()};
  return result;
}

}  // namespace tenon::builtin
