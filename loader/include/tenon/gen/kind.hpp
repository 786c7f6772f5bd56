// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/kind.hpp: the description of a kind for the loader. The generator writes one Kind for
// each kind of a program and registers it. Host authors meet it only as the result of `K::kind()`.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>

#include <cstdint>
#include <span>
#include <string_view>

namespace tenon {

struct ValueInfo;

/// A field of a request or response, or of a struct or document inside of one.
struct FieldInfo {
  std::string_view name;
  /// In bytes.
  std::uint32_t offset;
  /// Whether it joined a version that was released already, and may be absent.
  bool added;
  const ValueInfo* value;
};

/// How a value lies in memory.
struct ValueInfo {
  enum class Form : std::uint8_t {
    plain,    // points to nothing that can be checked: a number, a stream
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
  /// Of a list, a map or a pointer.
  const ValueInfo* element = nullptr;
  /// Of a struct or document.
  std::span<const FieldInfo> fields = {};
};

/// On which threads a method may be called.
enum class Threading : std::uint8_t {
  any,     // on any, also while other calls are under way
  serial,  // on any, one serial call of the instance at a time
  main,    // on the main thread of the process
};

/// One method of one version of a kind.
struct MethodInfo {
  std::string_view name;
  /// Of the function pointer in the table, in bytes.
  std::uint32_t offset;
  /// Whether a plugin must have it; a slot that is NULL answers `unimplemented` otherwise.
  bool required;
  /// What stands in the slot that is NULL; has the signature of the method.
  void (*unimplemented)();
  // What HostOptions::check_calls checks:
  /// Empty where there are no fields.
  std::span<const FieldInfo> request = {};
  std::span<const FieldInfo> response = {};
  Threading threading = Threading::any;
  /// The states in which it may be called; empty: in each. Instances begin as "created".
  std::span<const std::string_view> from = {};
  /// The state that a success leads to; empty: the state stays.
  std::string_view to = {};
};

/// A method of a newer version behind which a plugin has one of its own.
struct OwnMethod {
  std::string_view name;
  /// Its name in the version of the plugin.
  std::string_view own;
};

/// How a plugin of one version is used as a newer one.
struct Adapter {
  /// The newer version.
  std::int32_t target;
  /// Why it cannot be; empty when it can.
  std::string_view refusal;
  /// A table of the target version whose `self` is what `create` answers.
  const void* table;
  /// Binds the adapter to an instance: its own table, normalised, and its own self. The name of the
  /// plugin lives as long as the adapter.
  void* (*create)(const void* table, void* self, std::string_view plugin);
  void (*destroy)(void* adapter) noexcept;
  /// Methods of the target that the plugin does not really have.
  std::span<const std::string_view> missing;
  /// Methods of the target that are methods of the plugin's version, perhaps under an older name.
  /// In neither list: those that hand-written code makes of others.
  std::span<const OwnMethod> own = {};
};

/// One version of a kind.
struct KindVersion {
  std::int32_t version;
  bool draft;
  std::uint64_t fingerprint;
  /// Of the table, in bytes.
  std::uint32_t table_size;
  /// Offset of the method that takes the configuration; 0 where there is none.
  std::uint32_t configure_offset;
  std::span<const MethodInfo> methods;
  /// To each newer version of the program, ascending.
  std::span<const Adapter> adapters;
  /// The table that another plugin gets which asks for this version: its `self` is an Instance.
  const void* client;
  /// The table that watches a plugin's own: its `self` is a Supervised. nullptr: there is none, and
  /// the plugin's calls are not watched.
  const void* supervised = nullptr;

  /// The method that takes the configuration; nullptr where there is none.
  const MethodInfo* configure() const noexcept {
    if (configure_offset == 0) return nullptr;
    for (const MethodInfo& method : methods) {
      if (method.offset == configure_offset) return &method;
    }
    return nullptr;
  }
  /// The adapter to a newer version; nullptr where there is none, also when it is this version.
  const Adapter* adapter_to(std::int32_t target) const noexcept {
    for (const Adapter& adapter : adapters) {
      if (adapter.target == target) return &adapter;
    }
    return nullptr;
  }
  /// The method of this version that a method of version `target` reaches, under the same name or
  /// an older one; nullptr where an adapter or hand-written code takes its place, or where `target`
  /// has no such method.
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
  /// Whether a plugin of this version can be used as version `target`.
  bool serves(std::int32_t target) const noexcept {
    const Adapter* adapter = adapter_to(target);
    return target == version || (adapter != nullptr && adapter->refusal.empty());
  }
};

/// A kind as the program was built with it.
struct Kind {
  /// eg: "photo.example/filter"
  std::string_view id;
  /// The instance has a course of its own: a restart closes it before the next one begins.
  bool session;
  /// Ascending, never empty; the last is the latest interface of this program.
  std::span<const KindVersion> versions;

  const KindVersion& latest() const noexcept { return versions.back(); }
  /// The version with this number; nullptr where the program does not know it.
  const KindVersion* find(std::int32_t version) const noexcept {
    for (const KindVersion& candidate : versions) {
      if (candidate.version == version) return &candidate;
    }
    return nullptr;
  }
};

/// Makes a kind known to every host of the process. Generated code does it before main.
class TENON_API KindRegistration {
 public:
  explicit KindRegistration(const Kind& kind);
};

}  // namespace tenon
