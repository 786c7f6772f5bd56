// SPDX-License-Identifier: BSL-1.0
//
// A plugin that a run uses.
#pragma once

#include <tenon/host.hpp>

#include <memory>

namespace backup {

template <class K>
struct Plugin {
  tenon::PluginInfo info;
  tenon::Handle<K> handle;
};

/// A call that does not return keeps its plugin alive, see Caller.
template <class K>
using PluginPtr = std::shared_ptr<Plugin<K>>;

}  // namespace backup
