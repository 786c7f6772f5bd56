// SPDX-License-Identifier: BSL-1.0
#include "remap_labels.hpp"

#include <boost/json.hpp>

#include "resource.hpp"

namespace tenon::builtin {
namespace {

using boost::json::object;
using boost::json::value;

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_template(std::string_view member) {
  return member == "template" || ends_with(member, "Template") || ends_with(member, "Templates");
}

bool is_selector(std::string_view member) {
  return member == "selector" || ends_with(member, "Selector") || ends_with(member, "Selectors");
}

/// Applies the rules to one resource.
class Remapping {
 public:
  Remapping(const LabelRules& rules, const object& resource)
      : rules_(rules), where_(title_of(resource)) {}

  bool changed() const noexcept { return changed_; }

  void run(object& resource) {
    own_labels(resource);
    const std::string kind(text_in(&resource, "kind"));
    if (kind == "CustomResourceDefinition") return;  // it describes labels of other resources
    for (auto& [key, member] : resource) {
      if (key == "metadata" || key == "status") continue;
      visit(key, member);
    }
    if (kind != "Service" && kind != "ReplicationController") return;
    if (object* selector = object_in(object_in(&resource, "spec"), "selector")) {
      note(rules_.change_plain_selector(*selector, where_));
    }
  }

 private:
  void note(bool changed) { changed_ = changed_ || changed; }

  void own_labels(object& resource) {
    object* metadata = object_in(&resource, "metadata");
    if (metadata == nullptr) return;
    object* labels = object_in(metadata, "labels");
    if (labels != nullptr) note(rules_.change_labels(*labels, where_));
    object none;
    if (!rules_.add_labels(labels != nullptr ? *labels : none)) return;
    if (labels == nullptr) (*metadata)["labels"] = std::move(none);
    changed_ = true;
  }

  /// Visits a member of the resource at any depth. Elements of a list have the name of the list.
  void visit(std::string_view name, value& member) {
    if (member.is_array()) {
      for (value& element : member.get_array()) visit(name, element);
      return;
    }
    object* members = member.if_object();
    if (members == nullptr) return;
    if (is_selector(name)) note(rules_.change_selector(*members, where_));
    if (is_template(name)) {
      object* labels = object_in(object_in(members, "metadata"), "labels");
      if (labels != nullptr) note(rules_.change_labels(*labels, where_));
    }
    for (auto& [key, inner] : *members) visit(key, inner);
  }

  const LabelRules& rules_;
  const std::string where_;
  bool changed_ = false;
};

}  // namespace

void RemapLabels::configure(const sdk::Config& config) {
  rules_ = LabelRules(config.entries());
}

SelectorV1 RemapLabels::applies_to() {
  SelectorV1 selector;
  selector.excluded_resources = {"nodes"};
  return selector;
}

RemapLabels::ExecuteResult RemapLabels::execute(std::string_view item, std::string_view,
                                                RestoreV1View) {
  Resource resource(item);
  Remapping remapping(rules_, resource.members());
  remapping.run(resource.members());
  ExecuteResult result;
  if (remapping.changed()) result.updated_item = Json{resource.text()};
  return result;
}

}  // namespace tenon::builtin
