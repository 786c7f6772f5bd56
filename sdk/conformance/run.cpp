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
#include <exception>

#include "child.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {
namespace {

struct KindCases {
  const Kind& (*kind)() noexcept;
  Definitions (*cases)();
};

constexpr KindCases kind_cases[] = {
    {Source::kind, source_cases},
    {Processor::kind, processor_cases},
    {Destination::kind, destination_cases},
    {Specifier::kind, specifier_cases},
    {ObjectStore::kind, object_store_cases},
    {VolumeSnapshotter::kind, volume_snapshotter_cases},
    {BackupItemAction::kind, backup_item_action_cases},
    {RestoreItemAction::kind, restore_item_action_cases},
    {DeleteItemAction::kind, delete_item_action_cases},
};

/// Returns the cases of a kind; of the whole module if `id` is empty.
Definitions definitions(std::string_view id) {
  if (id.empty()) return module_cases();
  for (const KindCases& known : kind_cases) {
    if (known.kind().id == id) return known.cases();
  }
  return {};
}

void add(std::string_view kind, std::string_view plugin, std::vector<Case>& cases) {
  for (const Definition& definition : definitions(kind)) {
    cases.push_back({std::string(kind), std::string(plugin), std::string(definition.name)});
  }
}

const Definition* find(const Case& one) {
  const Definitions all = definitions(one.kind);
  const auto found = std::ranges::find(all, one.name, &Definition::name);
  return found == all.end() ? nullptr : &*found;
}

/// Runs a case in this process.
Ending run_here(const Options& options, const Case& one, const Definition& definition) {
  try {
    Subject subject(options, one);
    definition.run(subject);
    return {Verdict::passed, {}};
  } catch (Ending& ending) {
    return std::move(ending);
  } catch (const std::exception& error) {
    return {Verdict::failed, error.what()};
  }
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::not_run:
      break;
  }
  return "not run";
}

std::vector<Case> cases(const Options& options) {
  const ModuleReport report = inspect(options);
  std::vector<Case> all;
  add({}, report.manifest ? report.manifest->package : options.module.string(), all);
  for (const PluginInfo& plugin : report.plugins) add(plugin.kind(), plugin.name(), all);
  return all;
}

Result run(const Options& options, const Case& one) {
  const Definition* definition = find(one);
  if (definition == nullptr) return {one, Verdict::not_run, "there is no such case"};
  Options absolute = options;
  if (!absolute.module.empty()) absolute.module = std::filesystem::absolute(absolute.module);
  const auto body = [&] { return run_here(absolute, one, *definition); };
  // Plugins of the standard kinds may print their records, and start programs.
  const bool any_kind = one.kind.empty();
  const Limits limits{.timeout = options.timeout, .processes = !any_kind, .much_output = !any_kind};
  Ending ending = options.in_process ? body() : run_in_child(limits, body);
  return {one, ending.verdict, std::move(ending.reason)};
}

std::vector<Result> run(const Options& options) {
  std::vector<Result> results;
  for (const Case& one : cases(options)) results.push_back(run(options, one));
  return results;
}

}  // namespace tenon::sdk::conformance
