// SPDX-License-Identifier: BSL-1.0
//
// The plugins of a pipeline: created and configured, but not open.
#pragma once

#include <tenon/destination.hpp>
#include <tenon/host.hpp>
#include <tenon/processor.hpp>
#include <tenon/source.hpp>

#include <memory>
#include <optional>
#include <vector>

#include "messages.hpp"
#include "open_calls.hpp"
#include "pipeline_file.hpp"
#include "position_store.hpp"

namespace pipeline {

/// A deleter that calls `teardown` of an instance and destroys it. Errors are reported.
struct Teardown {
  const Messages* messages;
  UsedPlugin used;

  template <class K>
  void operator()(tenon::Handle<K>* handle) const {
    const std::unique_ptr<tenon::Handle<K>> owned(handle);
    report((*handle)->teardown());
  }
  void report(const tenon::Result<void>& result) const;
};

/// One plugin of the pipeline.
template <class K>
struct Stage {
  std::unique_ptr<tenon::Handle<K>, Teardown> plugin;
  UsedPlugin used;        // its config is as it is stored, without references and secrets
  tenon::TextMap config;  // that the plugin has
};

struct DeadLettersStage : Stage<tenon::Destination> {
  RefusalLimit limit;
};

struct Stages {
  std::optional<DeadLettersStage> dead_letters;
  std::vector<Stage<tenon::Destination>> destinations;
  std::vector<Stage<tenon::Processor>> processors;
  Stage<tenon::Source> source;  // torn down first
};

/// Creates and configures all plugins of the file. Adds problems to the diagnostics: a reference to
/// a plugin that does not exist, a module that does not load, a config that violates the parameters
/// or that the plugin refuses, an id that is not unique. Returns nothing if there is any
/// diagnostic.
std::optional<Stages> create_stages(tenon::Host& host, const PipelineFile& file,
                                    const Messages& messages, OpenCalls& calls,
                                    tenon::tools::PluginOrigins& origins, Diagnostics& diagnostics);

/// Calls `on_deleted` of a source or destination that a pipeline no longer uses. Secrets, of which
/// only hashes are stored, are looked up in the configs of `file`. Errors: unknown-secret, and
/// those of other stored values; those of the Host if the plugin cannot be created; those of the
/// plugin.
template <class K>
tenon::Result<void> delete_plugin(tenon::Host& host, const UsedPlugin& removed,
                                  const PipelineFile& file, const Messages& messages);

}  // namespace pipeline
