// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/kind.hpp: the description of a kind for the loader. The generator writes one Kind
// for each kind of a program and registers it. Host authors see it only as the result of
// `K::kind()`.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon { inline namespace v0_1 {

struct ValueInfo;

/// A field of a request or response, or of a struct or document inside one.
struct FieldInfo {
  std::string_view name;
  /// In bytes.
  std::uint32_t offset;
  /// True if it was added to a version that was already released, so that it may be absent.
  bool added;
  const ValueInfo* value;
};

/// The memory layout of a value.
struct ValueInfo {
  enum class Form : std::uint8_t {
    plain,    // a number or a stream: nothing that it points to can be checked
    text,     // tenon_string
    json,     // tenon_string or tenon_bytes
    bytes,    // tenon_bytes or tenon_buffer
    list,     // tenon_list
    map,      // tenon_map
    pointer,  // to the element, or NULL
    fields,   // a struct or document
  };
  Form form;
  /// In bytes.
  std::uint32_t size;
  std::uint32_t alignment;
  /// The element of a list, a map or a pointer.
  const ValueInfo* element = nullptr;
  /// The fields of a struct or document.
  std::span<const FieldInfo> fields = {};
};

/// The threads on which a method may be called.
enum class Threading : std::uint8_t {
  any,     // any thread, concurrently with other calls
  serial,  // any thread, one serial call of the instance at a time
  main,    // the main thread of the process
};

/// One method of one version of a kind.
struct MethodInfo {
  std::string_view name;
  /// The offset of the function pointer in the vtable, in bytes.
  std::uint32_t offset;
  /// True if every plugin must implement it. Otherwise `unimplemented` replaces a NULL slot.
  bool required;
  /// A function with the signature of the method that returns the status `unimplemented`.
  void (*unimplemented)();
  // For HostOptions::check_calls:
  /// Empty if there are no fields.
  std::span<const FieldInfo> request = {};
  std::span<const FieldInfo> response = {};
  Threading threading = Threading::any;
  /// The states in which it may be called; empty: all. Instances begin as "created".
  std::span<const std::string_view> from = {};
  /// The state after success; empty: unchanged.
  std::string_view to = {};
};

/// A method of a newer version that calls a method of the plugin directly.
struct OwnMethod {
  std::string_view name;
  /// The name in the version of the plugin.
  std::string_view own;
};

/// Makes a plugin of one version usable as a newer one.
struct Adapter {
  /// The newer version.
  std::int32_t target;
  /// Why it is not possible; empty if it is.
  std::string_view refusal;
  /// A vtable of the target version. Its `self` is the result of `create`.
  const void* table;
  /// Creates the adapter of one instance from its normalised vtable and its self. The name of the
  /// plugin must live as long as the adapter. Returns nullptr if a hand-written step is missing.
  void* (*create)(const void* table, void* self, std::string_view plugin);
  void (*destroy)(void* adapter) noexcept;
  /// Methods of the target that the plugin does not implement.
  std::span<const std::string_view> missing;
  /// Methods of the target that are methods of the plugin's version, perhaps under an older name.
  /// Methods that hand-written code provides are in neither list.
  std::span<const OwnMethod> own = {};
};

/// One version of a kind.
struct KindVersion {
  std::int32_t version;
  bool draft;
  std::uint64_t fingerprint;
  /// The size of the vtable in bytes.
  std::uint32_t table_size;
  /// The offset of the configure method; 0 if there is none.
  std::uint32_t configure_offset;
  std::span<const MethodInfo> methods;
  /// One for each newer version of the program, ascending.
  std::span<const Adapter> adapters;
  /// The vtable for plugins that call a plugin at this version. Its `self` is an Instance.
  const void* client;
  /// The vtable that intercepts calls. Its `self` is an Interceptor. nullptr if calls of this
  /// version cannot be intercepted.
  const void* intercepted = nullptr;

  /// Returns the configure method; nullptr if there is none.
  const MethodInfo* configure() const noexcept {
    if (configure_offset == 0) return nullptr;
    for (const MethodInfo& method : methods) {
      if (method.offset == configure_offset) return &method;
    }
    return nullptr;
  }
  /// Returns the adapter to a newer version; nullptr if there is none, and for this version.
  const Adapter* adapter_to(std::int32_t target) const noexcept {
    for (const Adapter& adapter : adapters) {
      if (adapter.target == target) return &adapter;
    }
    return nullptr;
  }
  /// Returns the method of this version that a method of version `target` calls directly, under the
  /// same name or an older one; nullptr if an adapter or hand-written code provides it, or if
  /// `target` has no such method.
  const MethodInfo* own_method(std::int32_t target, std::string_view name) const noexcept {
    if (target != version) {
      const Adapter* adapter = adapter_to(target);
      if (adapter == nullptr) return nullptr;
      const OwnMethod* found = nullptr;
      for (const OwnMethod& method : adapter->own) {
        if (method.name == name) found = &method;
      }
      if (found == nullptr) return nullptr;
      name = found->own;
    }
    for (const MethodInfo& method : methods) {
      if (method.name == name) return &method;
    }
    return nullptr;
  }
  /// Returns whether a plugin of this version can be used as version `target`.
  bool serves(std::int32_t target) const noexcept {
    const Adapter* adapter = adapter_to(target);
    return target == version || (adapter != nullptr && adapter->refusal.empty());
  }
};

/// A kind as the program was built with it.
struct Kind {
  /// eg: "photo.example/filter"
  std::string_view id;
  /// True if instances have a session: a restart closes the old one before it opens the new one.
  bool session;
  /// Ascending, never empty. The last is the latest interface of this program.
  std::span<const KindVersion> versions;

  const KindVersion& latest() const noexcept { return versions.back(); }
  /// Returns the version with this number; nullptr if the program does not know it.
  const KindVersion* find(std::int32_t version) const noexcept {
    for (const KindVersion& candidate : versions) {
      if (candidate.version == version) return &candidate;
    }
    return nullptr;
  }
};

/// Registers a kind with all hosts of the process until this object is destroyed. Generated code
/// does it when the program or library with the kind is loaded. Several may register a kind under
/// one id, from different specs: each can create the plugins that match its own. Thread-safe; but
/// no host may load modules while a library with kinds is unloaded.
class TENON_API KindRegistration {
 public:
  explicit KindRegistration(const Kind& kind);
  ~KindRegistration();
  KindRegistration(const KindRegistration&) = delete;
  KindRegistration& operator=(const KindRegistration&) = delete;

 private:
  const Kind* kind_;
};

}}  // namespace tenon::v0_1
