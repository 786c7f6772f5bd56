// SPDX-License-Identifier: BSL-1.0
#include "deletion.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "stages.hpp"

namespace pipeline {
namespace {

/// Deletes plugins and removes them from the state if that succeeds.
class Deletion {
 public:
  Deletion(tenon::Host& host, const PipelineFile& file, const Messages& messages)
      : host_(host), file_(file), messages_(messages) {}

  template <class K>
  void remove(std::optional<UsedPlugin>& plugin) const {
    if (plugin && succeeds<K>(*plugin)) plugin.reset();
  }
  template <class K>
  void remove(std::vector<UsedPlugin>& plugins) const {
    plugins.erase(std::remove_if(plugins.begin(), plugins.end(),
                                 [&](const UsedPlugin& plugin) { return succeeds<K>(plugin); }),
                  plugins.end());
  }

 private:
  template <class K>
  bool succeeds(const UsedPlugin& plugin) const {
    const auto deleted = delete_plugin<K>(host_, plugin, file_, messages_);
    if (!deleted) {
      messages_.say("cannot delete a plugin: " + labelled(deleted.error(), plugin).to_string());
    }
    return deleted.has_value();
  }

  tenon::Host& host_;
  const PipelineFile& file_;
  const Messages& messages_;
};

}  // namespace

tenon::Result<bool> delete_pipeline(tenon::Host& host, const PipelineFile& file,
                                    PositionStore& store, const Messages& messages) {
  PipelineState& state = store.state();
  const Deletion deletion(host, file, messages);
  deletion.remove<tenon::Source>(state.source);
  if (!state.source) state.position.reset();
  deletion.remove<tenon::Destination>(state.destinations);
  deletion.remove<tenon::Destination>(state.dead_letters);
  const bool all = !state.source && state.destinations.empty() && !state.dead_letters;
  if (auto kept = all ? store.remove() : store.save(); !kept) return std::move(kept).error();
  return all;
}

}  // namespace pipeline
