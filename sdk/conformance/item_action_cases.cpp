// SPDX-License-Identifier: BSL-1.0
//
// The cases of the three kinds of item actions. Action<K> is a uniform interface to the kinds.
#include <tenon/backup_item_action.hpp>
#include <tenon/delete_item_action.hpp>
#include <tenon/detail/json.hpp>
#include <tenon/restore_item_action.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "configured.hpp"
#include "selection/label_selector.hpp"
#include "selection/pattern_list.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

Backup some_backup() {
  Backup backup;
  backup.name = "tenon-verify";
  return backup;
}

Restore some_restore() {
  Restore restore;
  restore.name = "tenon-verify";
  restore.backup = "tenon-verify";
  return restore;
}

/// The result of executing an action for an item.
struct Executed {
  std::optional<Json> item;
  std::vector<ResourceId> items;
  std::string operation;

  friend bool operator==(const Executed&, const Executed&) = default;
};

template <class K>
struct Action;

template <>
struct Action<BackupItemAction> {
  using Context = Backup;
  static Context context() { return some_backup(); }
  static Executed execute(BackupItemAction& action, const std::string& item) {
    auto result = value_of(action.execute(item, context()));
    std::vector<ResourceId> items = std::move(result.additional_items);
    items.insert(items.end(), result.post_operation_items.begin(),
                 result.post_operation_items.end());
    return {std::move(result.item), std::move(items), std::move(result.operation_id)};
  }
};

template <>
struct Action<RestoreItemAction> {
  using Context = Restore;
  static Context context() { return some_restore(); }
  static Executed execute(RestoreItemAction& action, const std::string& item) {
    auto result = value_of(action.execute(item, item, context()));
    return {std::move(result.updated_item), std::move(result.additional_items),
            std::move(result.operation_id)};
  }
};

template <>
struct Action<DeleteItemAction> {
  static Executed execute(DeleteItemAction& action, const std::string& item) {
    value_of(action.execute(item, some_backup()));
    return {};
  }
};

/// Executes a new action for the item of the setup.
template <class K>
Executed execute(Subject& subject) {
  const std::string& item = subject.setup_of(&PluginSetup::item, "item");
  auto action = configured<K>(subject);
  return Action<K>::execute(*action, item);
}

template <class K>
void knows_its_name(Subject& subject) {
  auto action = configured<K>(subject);
  const auto name = action->name();
  if (!name && is(name.error(), TENON_UNIMPLEMENTED)) skip("the plugin does not implement name");
  require(value_of(name) == subject.plugin(), "its name is \"" + value_of(name) + "\"");
}

template <class K>
void applies_to_the_same(Subject& subject) {
  auto action = configured<K>(subject);
  const Selector first = value_of(action->applies_to());
  require(value_of(action->applies_to()) == first, "the second selector differs");
}

template <class K>
void has_a_valid_selector(Subject& subject) {
  subject.check_calls();
  const Selector selector = value_of(configured<K>(subject)->applies_to());
  const auto check = [](const std::vector<std::string>& patterns, std::string_view name) {
    static_cast<void>(value_of(selection::PatternList::compile(patterns, name)));
  };
  check(selector.included_namespaces, "included_namespaces");
  check(selector.excluded_namespaces, "excluded_namespaces");
  check(selector.included_resources, "included_resources");
  check(selector.excluded_resources, "excluded_resources");
  static_cast<void>(value_of(selection::LabelSelector::parse(selector.label_selector)));
}

std::optional<json::Reader> find(const json::Reader& object, std::string_view name) {
  for (const auto& [key, value] : object.members()) {
    if (key == name) return value;
  }
  return std::nullopt;
}

using Path = std::vector<std::string_view>;

/// Returns the string at a path of keys; empty if there is none.
std::string text_at(const std::string& item, const Path& path) {
  json::Parser parser;
  std::optional<json::Reader> value = value_of(parser.parse(item));
  for (const std::string_view key : path) {
    value = find(*value, key);
    if (!value) return {};
  }
  std::string_view text;
  return value->read(text) ? std::string(text) : std::string();
}

/// Passes if the action returns no item, which means that it is unchanged.
template <class K>
void keeps_what_the_item_is(Subject& subject) {
  subject.check_calls();
  const Executed executed = execute<K>(subject);
  if (!executed.item) return;
  const std::string& before = subject.setup().item;
  for (const Path& path : {Path{"apiVersion"}, Path{"kind"}, Path{"metadata", "name"}}) {
    const std::string needed = text_at(before, path);
    const std::string found = text_at(executed.item->text, path);
    require(found == needed,
            std::string(path.back()) + ": needed \"" + needed + "\", found \"" + found + "\"");
  }
}

template <class K>
void names_other_items(Subject& subject) {
  for (const ResourceId& id : execute<K>(subject).items) {
    require(!id.resource.empty() && !id.name.empty(),
            "an additional item has no resource or no name");
  }
}

template <class K>
void does_the_same_again(Subject& subject) {
  const std::string& item = subject.setup_of(&PluginSetup::item, "item");
  auto action = configured<K>(subject);
  Executed first = Action<K>::execute(*action, item);
  Executed second = Action<K>::execute(*action, item);
  first.operation.clear();  // each call may begin a new operation
  second.operation.clear();
  require(first == second, "the second call for the same item has another result");
}

template <class K>
void refuses_unknown_operations(Subject& subject) {
  auto action = configured<K>(subject);
  require(!action->progress("no-such-operation", Action<K>::context()),
          "progress succeeds for an operation that does not exist");
}

/// Queries the progress of the operation, and cancels it twice.
template <class K>
void reports_its_operation(Subject& subject) {
  const std::string& item = subject.setup_of(&PluginSetup::item, "item");
  auto action = configured<K>(subject);
  const Executed executed = Action<K>::execute(*action, item);
  if (executed.operation.empty()) skip("the action begins no operation for this item");
  const auto context = Action<K>::context();
  value_of(action->progress(executed.operation, context));
  require_done(action->cancel(executed.operation, context));
  require_done(action->cancel(executed.operation, context));
}

template <class K>
void execute_once(Subject& subject) {
  execute<K>(subject);
}

template <class K>
constexpr Definition leaves_nothing = {"leaves no threads or descriptors",
                                       leaves_nothing_after<execute_once<K>>};

template <class K>
constexpr Definition changing_cases[] = {
    {"accepts its configuration", accepts_its_setup<K>},
    {"knows its registered name", knows_its_name<K>},
    {"applies to the same resources each time", applies_to_the_same<K>},
    {"has a valid selector", has_a_valid_selector<K>},
    {"keeps version, kind and name of an item", keeps_what_the_item_is<K>},
    {"identifies additional items completely", names_other_items<K>},
    {"returns the same result for the same item", does_the_same_again<K>},
    {"refuses operations that do not exist", refuses_unknown_operations<K>},
    {"reports and cancels its operation", reports_its_operation<K>},
    leaves_nothing<K>,
};

constexpr Definition delete_cases[] = {
    {"accepts its configuration", accepts_its_setup<DeleteItemAction>},
    {"applies to the same resources each time", applies_to_the_same<DeleteItemAction>},
    {"has a valid selector", has_a_valid_selector<DeleteItemAction>},
    {"succeeds again for the same item", does_the_same_again<DeleteItemAction>},
    leaves_nothing<DeleteItemAction>,
};

}  // namespace

Definitions backup_item_action_cases() {
  return changing_cases<BackupItemAction>;
}

Definitions restore_item_action_cases() {
  return changing_cases<RestoreItemAction>;
}

Definitions delete_item_action_cases() {
  return delete_cases;
}

}  // namespace tenon::sdk::conformance
