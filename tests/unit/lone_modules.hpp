// SPDX-License-Identifier: BSL-1.0
//
// A context for modules that have no host and are never loaded.
#pragma once

#include "module/module.hpp"

namespace tenon::tests {

struct LoneModules {
  detail::ModuleContext context{.directory = {},
                                .restart = {},
                                .images = nullptr,
                                .reaper = nullptr,
                                .timers = nullptr,
                                .workers = nullptr,
                                .log = nullptr,
                                .events = nullptr};
};

}  // namespace tenon::tests
