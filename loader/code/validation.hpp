// SPDX-License-Identifier: BSL-1.0
//
// Validates a module after it was loaded and before any of its functions is called: its exports
// must match its manifest, be in its own image, and be complete. Vtables are copied once into the
// layout that this program knows, so that calls need not check which slots exist.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/kind.hpp>
#include <tenon/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.hpp"
#include "platform/containment.hpp"
#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// The methods that a plugin implements. Does not refer to its code.
struct PluginMethods {
  const KindVersion* version;
  std::vector<bool> implemented;  // by index in `version`

  /// Returns whether a method of version `target` calls a method of the plugin, perhaps under an
  /// older name.
  bool implement(std::int32_t target, std::string_view method) const noexcept;
};

/// One plugin of a loaded module, at a version of a kind that this program knows. There is one for
/// each of several kinds with the same id and spec.
struct ValidatedPlugin {
  const Kind* kind;
  const KindVersion* version;
  std::string name;
  /// The vtable in the program's layout. No method is NULL.
  std::unique_ptr<std::byte[]> table;
  /// Absent functions are NULL.
  tenon_base base;
  /// Describes a crash in each method. Empty unless the host contains crashes.
  std::vector<platform::ContainedCall> contained = {};

  /// Returns whether the plugin implements a method of its version.
  bool implements(const MethodInfo& method) const noexcept;
  PluginMethods methods() const;
};

/// A module that passed validation.
struct ValidatedModule {
  tenon_module object;  // absent members are zero
  std::vector<ValidatedPlugin> plugins;
};

/// Validates a module. `map` is its image; nullptr if it is linked into the program. `where` names
/// it in errors: wrong-magic, size-too-small, size-too-large, abi-too-new, slot-interposed,
/// missing-method, manifest-differs.
Result<ValidatedModule> validate(const tenon_module& module, const platform::ImageMap* map,
                                 const Manifest& manifest, const std::string& where);

}}}  // namespace tenon::v0_1::detail
