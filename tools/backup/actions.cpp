// SPDX-License-Identifier: BSL-1.0
#include "actions.hpp"

namespace backup {
namespace {

std::vector<std::string> owned_texts(const tenon::ListView<std::string>& texts) {
  std::vector<std::string> copies;
  for (const std::string_view text : texts) copies.emplace_back(text);
  return copies;
}

}  // namespace

tenon::SelectorV1 owned(const tenon::SelectorV1View& view) {
  tenon::SelectorV1 selector;
  selector.included_namespaces = owned_texts(view.included_namespaces());
  selector.excluded_namespaces = owned_texts(view.excluded_namespaces());
  selector.included_resources = owned_texts(view.included_resources());
  selector.excluded_resources = owned_texts(view.excluded_resources());
  selector.label_selector = view.label_selector();
  return selector;
}

std::vector<tenon::ResourceIdV1> owned(const tenon::ListView<tenon::ResourceIdV1>& ids) {
  std::vector<tenon::ResourceIdV1> copies;
  for (const tenon::ResourceIdV1View id : ids) {
    tenon::ResourceIdV1& copy = copies.emplace_back();
    copy.resource = id.resource();
    copy.in_namespace = id.in_namespace();
    copy.name = id.name();
  }
  return copies;
}

tenon::Error of_plugin(const tenon::Error& error, const tenon::PluginInfo& plugin,
                       std::string_view method) {
  return tenon::Error({.code = std::string(error.code()),
                       .message = std::string(error.message()),
                       .where = std::string(error.where()),
                       .found = std::string(error.found()),
                       .needed = std::string(error.needed()),
                       .fix = "report it to the author of " + plugin.package(),
                       .plugin = plugin.name(),
                       .method = std::string(method)});
}

}  // namespace backup
