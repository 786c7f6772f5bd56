// SPDX-License-Identifier: BSL-1.0
//
// One loaded image of a module with the objects of its instances. A restart makes a new one.
#pragma once

#include <tenon/call.hpp>
#include <tenon/instance.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.hpp"
#include "module/admission.hpp"
#include "module/image.hpp"
#include "module/module_host.hpp"

namespace tenon::detail {

/// Which plugin an instance is of, and as what version of the kind its owner uses it.
struct Wanted {
  const Kind* kind;
  std::int32_t target;
  std::string name;
};

/// Thread-safe, but a plugin's create, configure and destroy for one index do not overlap: the
/// module sees to that.
class Generation : public Serving {
 public:
  /// Admits the module and runs its `start`. `image` is nothing for a builtin. Errors: those of
  /// admission, start-failed.
  static Result<std::unique_ptr<Generation>> begin(std::optional<Image> image,
                                                   const tenon_module& module,
                                                   const Manifest& manifest,
                                                   const std::string& where,
                                                   PluginDirectory& directory);
  /// Ends what instances are left, stops the module, unloads it. No thread may be inside.
  ~Generation();
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  const std::string& package() const noexcept { return package_; }

  /// Makes the object of an instance under `index` and the adapter to the version wanted; replaces
  /// nothing that calls see until it succeeded. Errors: not-found, those of the plugin's create.
  Result<void> add(std::uint32_t index, const Wanted& wanted);
  /// Ends the object under `index`, if there is one. No call may be inside it.
  void remove(std::uint32_t index) noexcept;
  /// Calls the plugin's configure method.
  Result<void> configure(std::uint32_t index, const TextMap& config);
  /// The version of the kind that the plugin under `index` has.
  const KindVersion& version_of(std::uint32_t index) const;

  /// What calls see while this generation serves: `bounds` of Serving.
  void open() noexcept;

 private:
  /// One instance as it stands in this generation.
  struct Object {
    const AdmittedPlugin* plugin = nullptr;
    void* self = nullptr;
    const Adapter* adapter = nullptr;  // nullptr: used as what it is
    void* adapted = nullptr;
  };

  Generation(std::optional<Image> image, AdmittedModule admitted, const Manifest& manifest,
             PluginDirectory& directory);
  const AdmittedPlugin* choose(const Wanted& wanted) const noexcept;
  void publish(std::uint32_t index, const Bound& bound);

  // The image goes last: everything else may point into it.
  std::optional<Image> image_;
  std::string package_;
  AdmittedModule admitted_;
  ModuleHost host_;
  bool started_ = false;
  mutable std::mutex mutex_;  // guards what follows; never held while the plugin runs
  std::vector<Object> objects_;
  std::size_t capacity_ = 0;
  // Arrays that were outgrown stay: a call may still read them.
  std::vector<std::unique_ptr<Bound[]>> bounds_;
};

}  // namespace tenon::detail
