// SPDX-License-Identifier: BSL-1.0
//
// The plugins of a pipeline, found, created and configured. Nothing is opened yet.
#pragma once

#include "messages.hpp"
#include "open_calls.hpp"
#include "pipeline_file.hpp"
#include "position_store.hpp"

#include <tenon/destination.hpp>
#include <tenon/host.hpp>
#include <tenon/processor.hpp>
#include <tenon/source.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace pipeline {

/// Destroys an instance, after `teardown`. An error is reported.
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

/// One plugin at its place in the pipeline.
template <class K>
struct Stage {
  std::unique_ptr<tenon::Handle<K>, Teardown> plugin;
  UsedPlugin used;
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

/// Makes all plugins that the file names. What is wrong with any of them is added to the findings:
/// a reference that names nothing, a module that does not load, a config that does not fit the
/// parameters or that the plugin refuses, an id that is not unique. Nothing when anything is.
std::optional<Stages> take_stages(tenon::Host& host, const PipelineFile& file,
                                  const Messages& messages, OpenCalls& calls,
                                  Diagnostics& findings);

/// Calls `on_deleted` of a source or destination that a pipeline does not use any more. Errors:
/// those of the Host, if its plugin cannot be created; those of the plugin.
template <class K>
tenon::Result<void> delete_plugin(tenon::Host& host, const UsedPlugin& removed,
                                  const Messages& messages);

}  // namespace pipeline
