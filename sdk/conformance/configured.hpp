// SPDX-License-Identifier: BSL-1.0
//
// Cases of plugins for backups, which have no life cycle except their configuration.
#pragma once

#include "footprint.hpp"
#include "subject.hpp"

namespace tenon::sdk::conformance {

/// Returns a new instance that is configured with the config of the setup. Without a setup the
/// config is empty; if the plugin refuses it, the case is not run.
template <class K>
Handle<K> configured(Subject& subject) {
  Handle<K> plugin = subject.create<K>();
  const PluginSetup* setup = subject.find_setup();
  const auto done = plugin->configure(setup != nullptr ? setup->config : TextMap());
  if (setup == nullptr && !done && is(done.error(), TENON_INVALID_ARGUMENT)) {
    skip("no configuration is given");
  }
  require_done(done);
  return plugin;
}

template <class K>
void accepts_its_setup(Subject& subject) {
  configured<K>(subject);
}

template <void (*use)(Subject& subject)>
void leaves_nothing_after(Subject& subject) {
  require_nothing_left(subject, use);
}

}  // namespace tenon::sdk::conformance
