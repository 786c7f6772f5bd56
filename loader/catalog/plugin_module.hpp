// SPDX-License-Identifier: BSL-1.0
//
// A module, as a catalog lists it.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/guard.hpp>
#include <tenon/detail/kind.hpp>
#include <tenon/events.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "manifest/manifest.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

class Generation;

/// The source of a module's code.
struct ModuleOrigin {
  /// The file of a standalone module; empty for a builtin.
  platform::PathText file;
  /// The object of a builtin.
  const tenon_module* builtin = nullptr;
};

/// The owner of an instance.
enum class Owner : std::uint8_t {
  program,  // through a Handle, which keeps the host alive
  plugin,   // through the tenon_host of its module
};

/// Thread-safe.
class PluginModule : public std::enable_shared_from_this<PluginModule> {
 public:
  virtual const ModuleOrigin& origin() const noexcept = 0;
  /// Returns the manifest of the code that serves, or of the file if none is loaded.
  virtual std::shared_ptr<const Manifest> manifest() const = 0;
  /// Returns whether its manifest equals this one.
  virtual bool has_manifest(const Manifest& manifest) const = 0;
  /// Sets the manifest that was found in the file, unless the module is in use or about to be: it
  /// then keeps its manifest until it is restarted. A file other than the last one loaded also ends
  /// a quarantine. Returns the event if a quarantine has ended.
  virtual std::optional<Event> take_manifest(std::shared_ptr<const Manifest> found,
                                             const platform::FileIdentity& identity) = 0;
  /// Returns whether code of it is loaded, or instances wait for that.
  virtual bool in_use() const = 0;
  /// Returns whether a host may forget it: it is not in use or about to be, and no code is left.
  virtual bool idle() const = 0;
  /// Creates an instance of the plugin `name`, for use as version `target` of a kind. Loads the
  /// module with its first instance. If the calling thread loads or restarts the module and
  /// `caller` is its new generation, the object is created there. Errors: those of loading and of
  /// the plugin; `module-quarantined`, `module-restarting`, `module-busy`; resource-exhausted if
  /// plugins of the module create each other without end.
  virtual Result<InstancePtr> create(const Kind& kind, std::int32_t target, std::string_view name,
                                     const std::optional<TextMap>& config, Owner owner,
                                     Generation* caller = nullptr) = 0;
  /// Returns whether the calling thread loads or restarts the module, and `caller` is the new
  /// generation. The address of a generation that was destroyed is allowed.
  virtual bool builds(const Generation* caller) const noexcept = 0;

 protected:
  ~PluginModule() = default;
};

/// A plugin and its module.
struct PluginChoice {
  std::shared_ptr<PluginModule> module;
  std::string name;
};

/// A catalog that was built for the manifest that a module is about to serve.
class CatalogChange {
 public:
  virtual ~CatalogChange() = default;
  /// Publishes the catalog. Called once, without locks, after the module has begun to serve the
  /// manifest. Builds the catalog again if another one was published meanwhile.
  virtual void publish() noexcept = 0;
};

}}}  // namespace tenon::v0_1::detail
