// SPDX-License-Identifier: BSL-1.0
//
// A context for modules that have no host and are never loaded.
#pragma once

#include <memory>

#include "module/module.hpp"

namespace tenon::tests {

struct LoneModules {
  std::shared_ptr<const detail::ModuleContext> context =
      std::make_shared<const detail::ModuleContext>();
};

}  // namespace tenon::tests
