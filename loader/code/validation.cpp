// SPDX-License-Identifier: BSL-1.0
#include "code/validation.hpp"

#include <algorithm>
#include <cstring>

#include "catalog/kinds.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::size_t largest_struct = 65536;
constexpr std::size_t alignment = alignof(void*);  // of the structs, and so of their sizes

using MethodSlot = void (*)();

/// Reads a slot as a pointer without a type; every data and function pointer has one size here.
const void* pointer_at(const void* object, std::size_t offset) {
  const void* pointer;
  std::memcpy(&pointer, static_cast<const char*>(object) + offset, sizeof pointer);
  return pointer;
}

/// The validation of one module.
class Validator {
 public:
  Validator(const platform::ImageMap* map, const Manifest& manifest, const std::string& where)
      : map_(map), manifest_(manifest), where_(where) {}

  Result<ValidatedModule> run(const tenon_module& module);

 private:
  Result<void> check_prologue(const tenon_module& module) const;
  Result<void> check_registrations(const tenon_list& list) const;
  Result<void> check_manifest(const tenon_list& list) const;
  Result<void> check_size(const void* object, std::size_t least, const std::string& what) const;
  Result<ValidatedPlugin> validate_plugin(const tenon_registration& entry,
                                          const KindVersion& version, const Kind& kind) const;
  Result<void> fill_slots(const tenon_registration& entry, const KindVersion& version,
                          std::byte* table) const;
  Result<void> check_base(const tenon_registration& entry, const tenon_base& base) const;

  bool has(const void* address, std::size_t size) const {
    return map_ == nullptr || map_->contains(address, size);
  }
  bool has_code(const void* address) const {
    return map_ == nullptr || map_->contains_code(address);
  }
  bool has_text(tenon_string text) const { return text.size == 0 || has(text.data, text.size); }

  Error interposed(const std::string& what, const void* address) const {
    const std::string image = platform::image_at(address);
    return Error({.code = "slot-interposed",
                  .where = where_,
                  .found = what + " is outside the module" + (image.empty() ? "" : ", in " + image),
                  .needed = "only functions and data of the module itself",
                  .fix = "make the functions of the plugin static, or hide its symbols "
                         "(-fvisibility=hidden)"});
  }

  const platform::ImageMap* map_;
  const Manifest& manifest_;
  const std::string& where_;
};

std::string describe(std::string_view kind, std::int64_t version, std::string_view name) {
  return std::string(name) + " (" + std::string(kind) + " version " + std::to_string(version) + ")";
}

std::string_view view(tenon_string text) {
  return {text.data, text.size};
}

std::string describe(const tenon_registration& entry) {
  return describe(view(entry.kind), entry.version, view(entry.name));
}

Result<ValidatedModule> Validator::run(const tenon_module& module) {
  if (auto valid = check_prologue(module); !valid) return std::move(valid).error();
  ValidatedModule validated{};
  std::memcpy(&validated.object, &module,
              std::min<std::size_t>(module.struct_size, sizeof validated.object));
  const tenon_list& list = validated.object.registrations;
  if (auto valid = check_registrations(list); !valid) return std::move(valid).error();
  if (auto valid = check_manifest(list); !valid) return std::move(valid).error();
  for (std::size_t i = 0; i < list.count; ++i) {
    const auto& entry = TENON_AT(tenon_registration, list, i);
    // Kinds that this program does not know were reported when the manifest was read.
    for (const Kind* kind : find_kinds(view(entry.kind))) {
      const KindVersion* version = kind->find(entry.version);
      if (version == nullptr || version->fingerprint != entry.fingerprint) continue;
      auto plugin = validate_plugin(entry, *version, *kind);
      if (!plugin) return std::move(plugin).error();
      validated.plugins.push_back(std::move(*plugin));
    }
  }
  for (auto [slot, name] :
       {std::pair{reinterpret_cast<MethodSlot>(validated.object.start), "start"},
        std::pair{reinterpret_cast<MethodSlot>(validated.object.stop), "stop"}}) {
    const auto* address = reinterpret_cast<const void*>(slot);
    if (address != nullptr && !has_code(address)) return interposed(name, address);
  }
  return validated;
}

Result<void> Validator::check_prologue(const tenon_module& module) const {
  constexpr std::size_t least = offsetof(tenon_module, start);
  if (!has(&module, least)) return interposed("tenon_module_v1", &module);
  if (module.magic != TENON_MAGIC) {
    return Error({.code = "wrong-magic",
                  .where = where_,
                  .found = "tenon_module_v1 does not begin with the magic number",
                  .needed = "the object that the macros of tenon create",
                  .fix = "build the plugin with TENON_MODULE or TENON_PLUGIN"});
  }
  const auto size = static_cast<std::size_t>(module.struct_size);
  if (size < least || size % alignment != 0) {
    return Error({.code = "size-too-small",
                  .where = where_,
                  .found = "tenon_module_v1 of " + std::to_string(size) + " bytes",
                  .needed = "at least " + std::to_string(least) + " bytes, and a multiple of " +
                            std::to_string(alignment),
                  .fix = "build the plugin with an unchanged tenon/abi.h"});
  }
  if (size > largest_struct || !has(&module, size)) {
    return Error({.code = "size-too-large",
                  .where = where_,
                  .found = "tenon_module_v1 of " + std::to_string(size) + " bytes",
                  .needed = "a size that ends inside the module, at most 65536 bytes",
                  .fix = "build the plugin with an unchanged tenon/abi.h"});
  }
  if (module.abi_major != TENON_ABI_MAJOR || module.abi_minor > TENON_ABI_MINOR) {
    return Error({.code = "abi-too-new",
                  .where = where_,
                  .found = "ABI " + std::to_string(module.abi_major) + "." +
                           std::to_string(module.abi_minor),
                  .needed = "ABI 1.0 to 1." + std::to_string(TENON_ABI_MINOR),
                  .fix = "use a newer host, or build the plugin with a lower TENON_ABI"});
  }
  return {};
}

Result<void> Validator::check_registrations(const tenon_list& list) const {
  const bool small = list.stride < sizeof(tenon_registration);
  if (small || list.count > max_plugins || list.stride > largest_struct ||
      !has(list.data, list.count * list.stride)) {
    return Error({.code = small ? "size-too-small" : "size-too-large",
                  .where = where_,
                  .found = std::to_string(list.count) + " registrations of " +
                           std::to_string(list.stride) + " bytes",
                  .needed = "at most " + std::to_string(max_plugins) +
                            " registrations of at least 56 bytes, inside the module",
                  .fix = "build the plugin with an unchanged tenon/abi.h"});
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    const auto& entry = TENON_AT(tenon_registration, list, i);
    const std::string which = "registration " + std::to_string(i);
    if (!has_text(entry.kind)) return interposed("the kind of " + which, entry.kind.data);
    if (!has_text(entry.name)) return interposed("the name of " + which, entry.name.data);
    if (!has(entry.table, sizeof(tenon_table))) {
      return interposed("the vtable of " + describe(entry), entry.table);
    }
    if (auto valid =
            check_size(entry.table, sizeof(tenon_table), "the vtable of " + describe(entry));
        !valid)
      return valid;
  }
  return {};
}

/// Checks that a struct that begins with its size is large enough and inside the module.
Result<void> Validator::check_size(const void* object, std::size_t least,
                                   const std::string& what) const {
  std::size_t size;
  std::memcpy(&size, object, sizeof size);
  const bool small = size < least || size % alignment != 0;
  if (!small && size <= largest_struct && has(object, size)) return {};
  return Error({.code = small ? "size-too-small" : "size-too-large",
                .where = where_,
                .found = what + " of " + std::to_string(size) + " bytes",
                .needed = "at least " + std::to_string(least) +
                          " bytes, at most 65536, a multiple of " + std::to_string(alignment) +
                          ", and all inside the module",
                .fix = "set struct_size to the size of the struct"});
}

Result<void> Validator::check_manifest(const tenon_list& list) const {
  const auto differs = [&](std::string found, std::string needed) {
    return Error(
        {.code = "manifest-differs",
         .where = where_,
         .found = std::move(found),
         .needed = std::move(needed),
         .fix = "create vtable and manifest from one declaration: TENON_MODULE or TENON_PLUGIN"});
  };
  if (list.count != manifest_.provides.size()) {
    return differs(std::to_string(list.count) + " registrations in the module",
                   std::to_string(manifest_.provides.size()) + ", as in the manifest");
  }
  for (std::size_t i = 0; i < list.count; ++i) {
    const auto& entry = TENON_AT(tenon_registration, list, i);
    const auto& said = manifest_.provides[i];
    if (view(entry.kind) != said.kind || entry.version != said.version ||
        view(entry.name) != said.name || entry.fingerprint != said.fingerprint) {
      return differs("registration " + std::to_string(i) + ": " + describe(entry),
                     describe(said.kind, said.version, said.name) + ", as in the manifest" +
                         (entry.fingerprint != said.fingerprint ? ", of the same spec" : ""));
    }
    if (const auto& table = *static_cast<const tenon_table*>(entry.table);
        table.version != entry.version) {
      return differs(
          describe(entry) + " with the vtable of version " + std::to_string(table.version),
          "the vtable of version " + std::to_string(entry.version));
    }
  }
  return {};
}

Result<ValidatedPlugin> Validator::validate_plugin(const tenon_registration& entry,
                                                   const KindVersion& version,
                                                   const Kind& kind) const {
  ValidatedPlugin plugin{&kind, &version, std::string(view(entry.name)),
                         std::make_unique<std::byte[]>(version.table_size), tenon_base{}};
  const auto& theirs = *static_cast<const tenon_table*>(entry.table);
  std::memcpy(plugin.table.get(), &theirs,
              std::min<std::size_t>(theirs.struct_size, version.table_size));
  std::size_t size = version.table_size;
  std::memcpy(plugin.table.get(), &size, sizeof size);
  if (auto valid = fill_slots(entry, version, plugin.table.get()); !valid)
    return std::move(valid).error();
  if (theirs.base == nullptr) return plugin;

  const std::string what = "the base vtable of " + describe(entry);
  if (!has(theirs.base, offsetof(tenon_base, save_state))) return interposed(what, theirs.base);
  if (auto valid = check_size(theirs.base, offsetof(tenon_base, save_state), what); !valid) {
    return std::move(valid).error();
  }
  std::memcpy(&plugin.base, theirs.base, std::min(theirs.base->struct_size, sizeof plugin.base));
  plugin.base.struct_size = sizeof plugin.base;
  if (auto valid = check_base(entry, plugin.base); !valid) return std::move(valid).error();
  return plugin;
}

Result<void> Validator::fill_slots(const tenon_registration& entry, const KindVersion& version,
                                   std::byte* table) const {
  for (const MethodInfo& method : version.methods) {
    const void* address = pointer_at(table, method.offset);
    if (address == nullptr && method.required) {
      return Error({.code = "missing-method",
                    .where = where_,
                    .found = "no " + std::string(method.name) + " in " + describe(entry),
                    .needed = "every method that the kind requires",
                    .fix = "implement " + std::string(method.name)});
    }
    if (address == nullptr) {
      std::memcpy(table + method.offset, &method.unimplemented, sizeof method.unimplemented);
    } else if (!has_code(address)) {
      return interposed(std::string(method.name) + " of " + describe(entry), address);
    }
  }
  return {};
}

Result<void> Validator::check_base(const tenon_registration& entry, const tenon_base& base) const {
  constexpr const char* names[] = {"create",        "destroy", "save_state",
                                   "restore_state", "suspend", "resume"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    const void* address = pointer_at(&base, offsetof(tenon_base, create) + i * sizeof(void*));
    if (address != nullptr && !has_code(address)) {
      return interposed(std::string(names[i]) + " of " + describe(entry), address);
    }
  }
  return {};
}

}  // namespace

bool ValidatedPlugin::implements(const MethodInfo& method) const noexcept {
  return std::memcmp(table.get() + method.offset, &method.unimplemented,
                     sizeof method.unimplemented) != 0;
}

PluginMethods ValidatedPlugin::methods() const {
  PluginMethods methods{version, {}};
  for (const MethodInfo& method : version->methods) {
    methods.implemented.push_back(implements(method));
  }
  return methods;
}

bool PluginMethods::implement(std::int32_t target, std::string_view method) const noexcept {
  const MethodInfo* own = version->own_method(target, method);
  return own != nullptr && implemented[static_cast<std::size_t>(own - version->methods.data())];
}

Result<ValidatedModule> validate(const tenon_module& module, const platform::ImageMap* map,
                                 const Manifest& manifest, const std::string& where) {
  return Validator(map, manifest, where).run(module);
}

}}}  // namespace tenon::v0_1::detail
