// SPDX-License-Identifier: BSL-1.0
//
// Loads the code of a module: reads its file, checks whether it may be loaded, and begins a
// generation.
#pragma once

#include <tenon/result.hpp>

#include <cstddef>
#include <memory>
#include <vector>

#include "binary/bundle.hpp"
#include "call/call_counters.hpp"
#include "code/generation.hpp"
#include "code/loaded_code.hpp"
#include "image/image.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"
#include "state/module_state.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// REQUIRED for all functions: the lock is not held; the caller holds the lifecycle lock.
class ModuleLoader {
 public:
  /// The file of a module.
  struct Content {
    std::vector<std::byte> bytes;
    platform::FileIdentity identity;
    platform::FileAccess access;
  };

  explicit ModuleLoader(ModuleState& state) : state_(state) {}

  /// Reads the file of a package. Errors: those of opening and reading it; file-changed.
  Result<Content> read(const std::string& package) const;
  /// Loads a file that was read. `before`: the manifest of the code that serves, or of the file.
  /// `force`: see RestartOptions. Errors: restart-refused, if the file has another package;
  /// not-reloadable; those of the host's checks, of the dynamic loader and of Generation::begin.
  Result<LoadedCode> load(Content file, const std::shared_ptr<const Manifest>& before, bool force);
  /// Begins a generation of a builtin. Errors: those of Generation::begin.
  Result<LoadedCode> load_builtin(std::shared_ptr<const Manifest> manifest);

  /// Returns the methods whose calls in any generation were counted.
  std::vector<MethodCalls> counted() const { return counters_->read(); }

 private:
  Result<void> check_loadable(const Manifest& before, const Manifest& fresh, const Bundle& bundle);
  Result<Image> load_image(Bundle bundle, const std::string& package, const UnloadStatement& stated,
                           bool force);
  GenerationContext generation_context();

  ModuleState& state_;
  // A manifest from an index, which has no text, and the same one from the file: as long as the
  // file has this text, it is not parsed again.
  std::shared_ptr<const Manifest> without_text_ TENON_GUARDED_BY(module_lock);
  std::shared_ptr<const Manifest> with_text_ TENON_GUARDED_BY(module_lock);
  const std::shared_ptr<CallCounters> counters_ =
      std::make_shared<CallCounters>(state_.context->trace);
};

}}}  // namespace tenon::v0_1::detail
