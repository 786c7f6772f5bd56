// SPDX-License-Identifier: BSL-1.0
//
// The look at a module after it was loaded and before any of its functions is called: what it
// exports must be what its manifest says, lie in its own image, and be complete. Tables are copied
// into the layout that this program knows, once, so that calls need not ask what is there.
#pragma once

#include <tenon/abi.h>
#include <tenon/gen/kind.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "platform/containment.hpp"
#include "platform/image_map.hpp"

namespace tenon::detail {

/// One plugin of a loaded module, of a version of a kind that this program knows.
struct AdmittedPlugin {
  const Kind* kind;
  const KindVersion* version;
  std::string name;
  /// The table in the program's layout: no method is NULL.
  std::unique_ptr<std::byte[]> table;
  /// What is absent is NULL.
  tenon_base base;
  /// What a crash is reported as, for each method. Empty unless the host contains crashes.
  std::vector<platform::ContainedCall> contained = {};

  /// Whether the plugin filled the slot of a method of its version.
  bool implements(const MethodInfo& method) const noexcept;
};

/// A module that may be used.
struct AdmittedModule {
  tenon_module object;  // what is absent is zero
  std::vector<AdmittedPlugin> plugins;
};

/// `map` is the module's image; nullptr for one that is linked into the program. `where` names it
/// in errors: wrong-magic, size-too-small, size-too-large, abi-too-new, slot-interposed,
/// missing-method, manifest-differs.
Result<AdmittedModule> admit(const tenon_module& module, const platform::ImageMap* map,
                             const Manifest& manifest, const std::string& where);

}  // namespace tenon::detail
