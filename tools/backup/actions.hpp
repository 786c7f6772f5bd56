// SPDX-License-Identifier: BSL-1.0
//
// Item actions of one kind, each with the selector of the items that it applies to.
#pragma once

#include <tenon/backup.hpp>
#include <tenon/selector.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "item.hpp"
#include "report.hpp"
#include "selector.hpp"
#include "session.hpp"

namespace backup {

template <class K>
struct Action {
  PluginPtr<K> plugin;
  Selector selector;
};

/// Returns a copy that outlives the call that returned the view.
tenon::SelectorV1 owned(const tenon::SelectorV1View& view);
std::vector<tenon::ResourceIdV1> owned(const tenon::ListView<tenon::ResourceIdV1>& ids);

/// Adds the elements of `more`.
template <class T>
void append(std::vector<T>& to, std::vector<T> more) {
  std::move(more.begin(), more.end(), std::back_inserter(to));
}

/// Returns an error in the result of a plugin with the names of the plugin and the method.
tenon::Error of_plugin(const tenon::Error& error, const tenon::PluginInfo& plugin,
                       std::string_view method);

/// Calls `applies_to` of an action and compiles its selector. Errors: those of `applies_to`;
/// bad-pattern and bad-label-selector with the name of the plugin.
template <class K>
tenon::Result<Action<K>> load_action(Session& session, PluginPtr<K> plugin,
                                     const ResourceNames& names) {
  const auto view =
      session.caller.call(plugin, "applies_to", session.settings.timeouts.call,
                          [](K& action, tenon::Call& call) { return action.applies_to(call); });
  if (!view) return view.error();
  auto selector = Selector::compile(owned(*view), names);
  if (!selector) return of_plugin(std::move(selector).error(), plugin->info, "applies_to");
  return Action<K>{std::move(plugin), *std::move(selector)};
}

/// Creates all actions of a kind, in the order in which they run. Actions that cannot be used are
/// reported and omitted.
template <class K>
std::vector<Action<K>> load_actions(Session& session, const std::vector<PluginUse>& uses,
                                    const ResourceNames& names, Report& report) {
  std::vector<Action<K>> actions;
  for (PluginPtr<K>& plugin : session.create_all<K>(uses, report)) {
    auto action = load_action<K>(session, std::move(plugin), names);
    if (action) {
      actions.push_back(*std::move(action));
    } else {
      report.error(action.error());
    }
  }
  return actions;
}

/// Returns the names of the actions that apply to an item.
template <class K>
std::vector<std::string> names_of_matching(const std::vector<Action<K>>& actions,
                                           const tenon::ResourceIdV1& id, const Labels& labels) {
  std::vector<std::string> names;
  for (const Action<K>& action : actions) {
    if (action.selector.matches(id, labels)) names.push_back(action.plugin->info.name());
  }
  return names;
}

}  // namespace backup
