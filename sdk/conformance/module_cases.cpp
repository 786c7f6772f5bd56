// SPDX-License-Identifier: BSL-1.0
#include <tenon/backup_item_action.hpp>
#include <tenon/delete_item_action.hpp>
#include <tenon/destination.hpp>
#include <tenon/object_store.hpp>
#include <tenon/processor.hpp>
#include <tenon/restore_item_action.hpp>
#include <tenon/source.hpp>
#include <tenon/specifier.hpp>
#include <tenon/volume_snapshotter.hpp>

#include <algorithm>
#include <array>

#include "footprint.hpp"
#include "raw_module.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

template <class K>
void create_instance(Host& host, const std::string& reference) {
  value_of(host.create<K>(reference));
}

struct Creator {
  const Kind& (*kind)() noexcept;
  void (*create)(Host& host, const std::string& reference);
};

template <class K>
constexpr Creator creator = {K::kind, create_instance<K>};

constexpr std::array creators = {
    creator<Source>,           creator<Processor>,         creator<Destination>,
    creator<Specifier>,        creator<ObjectStore>,       creator<VolumeSnapshotter>,
    creator<BackupItemAction>, creator<RestoreItemAction>, creator<DeleteItemAction>};

bool is_of_standard_kind(const PluginInfo& plugin) {
  return std::ranges::any_of(
      creators, [&plugin](const Creator& known) { return plugin.kind() == known.kind().id; });
}

/// Creates an instance of each plugin of a standard kind, which loads the module.
void create_in_host(Subject& subject) {
  bool any = false;
  for (const PluginInfo& plugin : subject.host().registered()) {
    for (const Creator& known : creators) {
      if (plugin.package() != subject.plugin() || plugin.kind() != known.kind().id) continue;
      const std::string prefix = plugin.builtin() ? "builtin:" : "standalone:";
      known.create(subject.host(), prefix + plugin.name());
      any = true;
    }
  }
  if (any) return;
  for (const Error& problem : subject.host().problems()) {
    if (problem.severity() == Severity::error) fail(reason_of(problem));
  }
  fail("the host finds no plugin of a standard kind");
}

void create_without_host(Subject& subject) {
  RawModule module(subject.options());
  module.create_all();
  module.unload();
}

/// Loads the module and creates an instance of each plugin.
void create_all(Subject& subject) {
  const ModuleReport report = inspect(subject.options());
  if (report.manifest && std::ranges::none_of(report.plugins, is_of_standard_kind)) {
    create_without_host(subject);
  } else {
    create_in_host(subject);
  }
}

void loads(Subject& subject) {
  create_all(subject);
}

void loads_again(Subject& subject) {
  create_all(subject);
  subject.close();
  create_all(subject);
}

void leaves_nothing(Subject& subject) {
  require_nothing_left(subject, create_all);
}

void changes_nothing(Subject& subject) {
  if (!inspect(subject.options()).manifest) fail("it has no manifest");
  const Settings before;
  create_without_host(subject);
  before.require_unchanged();
}

constexpr Definition all[] = {
    {"loads as declared in its manifest", loads},
    {"loads again after it was unloaded", loads_again},
    {"leaves no threads, descriptors or mappings when it is unloaded", leaves_nothing},
    {"leaves the settings of the process as they were", changes_nothing},
};

}  // namespace

Definitions module_cases() {
  return all;
}

}  // namespace tenon::sdk::conformance
