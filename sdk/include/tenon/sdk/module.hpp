// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/module.hpp: declares a module: a standalone one with a macro, a builtin with a class.
#pragma once

#include <tenon/abi.h>
#include <tenon/mutex.hpp>
#include <tenon/sdk/base.hpp>
#include <tenon/sdk/vtable.hpp>

#include <array>
#include <cstddef>
#include <deque>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// TENON_PLUGIN declares a standalone module with one plugin, which has the name of its package:
//
//   TENON_PLUGIN(Blur, "me.example/blur", "1.0.0");
//   TENON_PLUGIN(Blur, "me.example/blur", "1.0.0", {"summary": "Gaussian blur"});
//
// TENON_PLUGINS declares several plugins. A macro of the author lists the class and name of each:
//
//   #define PLUGINS(P) P(DpkgSource, "example.io/dpkg") P(DpkgSpecifier, "example.io/dpkg")
//   TENON_PLUGINS("example.io/dpkg", "2.0.0", PLUGINS, {"summary": "Installed packages"});
//
// The last argument is optional: a JSON object with further members of the manifest, see
// abi/manifest.md. A module whose plugins save state in several formats states which it writes and
// reads:
//
//   TENON_PLUGIN(Meter, "me.example/meter", "2.0.0", {"state": {"writes": 2, "reads": [1, 2]}});
//
// The declaration generates the vtables and the manifest. A module contains exactly one, outside of
// any namespace.
//
// The _WITH forms take two functions: `start` runs before the first instance of the module is
// created, and `stop` after the last one was destroyed. Either may be nullptr. If `start` throws,
// the module is not loaded. After `stop` no thread may run code of the module.
//
//   static void start(tenon::sdk::Call call, tenon::sdk::Host host) { ... }
//   static void stop() { ... }
//   TENON_PLUGIN_WITH(Blur, "me.example/blur", "1.0.0", start, stop, {"threads": "joined"});
//   TENON_PLUGINS_WITH("example.io/dpkg", "2.0.0", start, stop, PLUGINS, {"threads": "joined"});
#define TENON_PLUGIN(Class, name, ...) \
  TENON_SDK_DECLARE_ONE_(nullptr, nullptr, Class, name, __VA_ARGS__, )
#define TENON_PLUGINS(name, version, ...) \
  TENON_SDK_DECLARE_SEVERAL_(nullptr, nullptr, name, version, __VA_ARGS__, )
#define TENON_PLUGIN_WITH(Class, name, version, start, ...) \
  TENON_SDK_DECLARE_ONE_WITH_(Class, name, version, start, __VA_ARGS__, )
#define TENON_PLUGINS_WITH(name, version, start, stop, ...) \
  TENON_SDK_DECLARE_SEVERAL_(start, stop, name, version, __VA_ARGS__, )

namespace tenon::sdk {
namespace detail {

/// One plugin of a module: its entry in the manifest and its vtable.
struct Provided {
  std::string_view kind;
  std::string_view spec;
  std::int32_t version;
  std::uint64_t fingerprint;
  std::string_view name;
  const void* table;
};

template <class P>
constexpr Provided provided(std::string_view name) {
  static_assert(std::is_base_of_v<Plugin, P>, "derive from the class of a kind, eg: SourceV2");
  static_assert(std::is_default_constructible_v<P>, "a plugin needs a default constructor");
  using Interface = typename P::Interface;
  return {Interface::kind, Interface::spec, Interface::version, Interface::fingerprint, name,
          &vtable_of<P>};
}

constexpr tenon_registration registration_of(const Provided& plugin) {
  return {{plugin.kind.data(), plugin.kind.size()}, plugin.version, 0, plugin.fingerprint,
          {plugin.name.data(), plugin.name.size()}, plugin.table};
}

template <std::size_t count>
constexpr std::array<tenon_registration, count> registrations_of(const Provided (&plugins)[count]) {
  std::array<tenon_registration, count> registrations{};
  for (std::size_t i = 0; i < count; ++i) registrations[i] = registration_of(plugins[i]);
  return registrations;
}

/// `function` is the start function of the module, which calls the author's; nullptr for nullptr.
template <auto start>
struct TENON_SDK_LOCAL Start {
  static tenon_status function(tenon_call* call, const tenon_host* host) noexcept {
    return guarded({call, nullptr}, [&] {
      start(Call(call), Host(host));
      return TENON_OK;
    });
  }
};
template <>
struct TENON_SDK_LOCAL Start<nullptr> {
  static constexpr std::nullptr_t function = nullptr;
};

/// `function` is the stop function of the module, which calls the author's; nullptr for nullptr.
template <auto stop>
struct TENON_SDK_LOCAL Stop {
  static void function() noexcept {
    // The module is being unloaded: there is no call that could report a failure.
    const Frame frame{nullptr, nullptr};
    const CurrentFrameScope scope(frame);
    ignoring_exceptions(stop);
  }
};
template <>
struct TENON_SDK_LOCAL Stop<nullptr> {
  static constexpr std::nullptr_t function = nullptr;
};

/// Appends to a text.
class ManifestText {
 public:
  explicit ManifestText(std::string& text) : text_(text) {}

  void add(char c) { text_ += c; }
  void add(std::string_view text) { text_.append(text); }
  void add(std::int32_t number) { text_.append(std::to_string(number)); }

 private:
  std::string& text_;
};

/// Writes to `out`, or only counts the bytes if that is nullptr.
class ManifestWriter {
 public:
  constexpr explicit ManifestWriter(char* out) : out_(out) {}

  constexpr void add(char c) {
    if (out_ != nullptr) out_[size_] = c;
    ++size_;
  }
  constexpr void add(std::string_view text) {
    for (char c : text) add(c);
  }
  constexpr void add(std::int32_t number) {
    if (number >= 10) add(number / 10);
    add(static_cast<char>('0' + number % 10));
  }
  constexpr std::size_t size() const { return size_; }

 private:
  char* out_;
  std::size_t size_ = 0;
};

// The text of a manifest, the same as TENON_MODULE generates for the same plugins: its begin, one
// entry for each plugin, and its end. `details` is empty or a JSON object.
template <class Writer>
constexpr void begin_manifest(Writer& text, std::string_view name, std::string_view version) {
  text.add("{\"manifest\":1,\"abi\":\"");
  text.add(std::int32_t{TENON_ABI_MAJOR});
  text.add('.');
  text.add(std::int32_t{TENON_ABI});
  text.add("\",\"name\":\"");
  text.add(name);
  text.add("\",\"version\":\"");
  text.add(version);
  text.add("\",\"provides\":[");
}
template <class Writer>
constexpr void add_plugin(Writer& text, const Provided& plugin) {
  text.add("{\"kind\":\"");
  text.add(plugin.kind);
  text.add("\",\"version\":");
  text.add(plugin.version);
  text.add(",\"spec\":\"");
  text.add(plugin.spec);
  text.add("\",\"name\":\"");
  text.add(plugin.name);
  text.add("\"},");
}
template <class Writer>
constexpr void end_manifest(Writer& text, std::string_view details) {
  text.add("null],\"details\":[");
  text.add(details);
  if (!details.empty() && details.back() != ',') text.add(',');
  text.add("null]}");
}

template <class Writer>
constexpr void write_manifest(Writer& text, std::string_view name, std::string_view version,
                              const Provided* plugins, std::size_t count,
                              std::string_view details) {
  begin_manifest(text, name, version);
  for (std::size_t i = 0; i < count; ++i) add_plugin(text, plugins[i]);
  end_manifest(text, details);
}

/// Returns the size in bytes of the text that the same arguments give.
constexpr std::size_t manifest_size(std::string_view name, std::string_view version,
                                    const Provided* plugins, std::size_t count,
                                    std::string_view details) {
  ManifestWriter text(nullptr);
  write_manifest(text, name, version, plugins, count, details);
  return text.size();
}

/// The ELF note that contains the manifest; see abi.h.
template <std::size_t text_capacity>
struct Note {
  std::uint32_t name_size = 6;
  std::uint32_t text_size = text_capacity;
  std::uint32_t type = TENON_NOTE_TYPE;
  char name[8] = "tenon";
  char text[text_capacity] = {};
};

template <std::size_t text_capacity>
constexpr Note<text_capacity> make_note(std::string_view name, std::string_view version,
                                        const Provided* plugins, std::size_t count,
                                        std::string_view details) {
  Note<text_capacity> note{};
  ManifestWriter text(note.text);
  write_manifest(text, name, version, plugins, count, details);
  return note;
}

/// Returns whether a name has the form "domain/name" without the '@' and ':' of references. The
/// loader checks more.
constexpr bool is_name(std::string_view name) {
  std::size_t slash = name.find('/');
  if (slash == 0 || slash == std::string_view::npos || slash + 1 == name.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] <= ' ' || name[i] > '~' || name[i] == '"' || name[i] == '\\') return false;
    if (name[i] == '@' || name[i] == ':' || (name[i] == '/' && i != slash)) return false;
  }
  return true;
}

/// Returns whether a version begins with three numbers. The loader checks more.
constexpr bool is_version(std::string_view version) {
  std::size_t at = 0;
  for (int part = 0; part < 3; ++part) {
    std::size_t begin = at;
    while (at < version.size() && version[at] >= '0' && version[at] <= '9') ++at;
    if (at == begin) return false;
    if (part < 2 && (at == version.size() || version[at++] != '.')) return false;
  }
  return at == version.size() || version[at] == '-' || version[at] == '+';
}

constexpr bool are_names(const Provided* plugins, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_name(plugins[i].name)) return false;
  }
  return true;
}

}  // namespace detail

/// A module that is linked into the program, for HostOptions::builtins. Its plugins are the same
/// classes as those of a standalone module. It must outlive every host that uses it. Moving a
/// Builtin does not change the address of its module.
///
///   static const auto builtins = Builtin("tenon.dev/builtin", "0.1.0")
///                                    .add<File>("tenon.dev/file")
///                                    .add<Log>("tenon.dev/log");
///   options.builtins = {builtins.module()};
class Builtin {
 public:
  /// Takes the name and the version of the package. `details` is empty or a JSON object with
  /// further members of the manifest.
  Builtin(std::string_view name, std::string_view version, std::string_view details = {})
      : parts_(std::make_unique<Parts>()) {
    detail::ManifestText text(parts_->manifest);
    detail::begin_manifest(text, name, version);
    parts_->end_of_plugins = parts_->manifest.size();
    detail::end_manifest(text, details);
    parts_->module.magic = TENON_MAGIC;
    parts_->module.struct_size = sizeof(tenon_module);
    parts_->module.abi_major = TENON_ABI_MAJOR;
    parts_->module.abi_minor = TENON_ABI;
    refer_to_parts();
  }

  /// Adds the plugin P with the registered name `name`.
  template <class P>
  Builtin&& add(std::string name) && {
    parts_->plugin_names.push_back(std::move(name));
    append(detail::provided<P>(parts_->plugin_names.back()));
    return std::move(*this);
  }

  /// Sets the functions to start and stop the module; see TENON_PLUGIN_WITH.
  ///
  ///   Builtin(...).with<start, stop>().add<Blur>("me.example/blur")
  template <auto start, auto stop = nullptr>
  Builtin&& with() && {
    parts_->module.start = detail::Start<start>::function;
    parts_->module.stop = detail::Stop<stop>::function;
    return std::move(*this);
  }

  /// Returns the module, which lives as long as this object.
  const tenon_module* module() const noexcept { return &parts_->module; }

 private:
  struct Parts {
    std::deque<std::string> plugin_names;  // a deque: the addresses of its strings are stable
    std::vector<tenon_registration> registrations;
    std::string manifest;
    std::size_t end_of_plugins = 0;  // in the manifest: where the next one belongs
    tenon_module module{};
  };

  void append(const detail::Provided& plugin) {
    parts_->registrations.push_back(detail::registration_of(plugin));
    std::string entry;
    detail::ManifestText text(entry);
    detail::add_plugin(text, plugin);
    parts_->manifest.insert(parts_->end_of_plugins, entry);
    parts_->end_of_plugins += entry.size();
    refer_to_parts();
  }

  void refer_to_parts() noexcept {
    Parts& parts = *parts_;
    parts.module.manifest = parts.manifest.c_str();
    parts.module.manifest_size = parts.manifest.size();
    parts.module.registrations = {parts.registrations.data(), parts.registrations.size(),
                                  sizeof(tenon_registration)};
  }

  std::unique_ptr<Parts> parts_;
};

/// Returns a builtin module with one plugin, which has the name of its package. See Builtin for the
/// parameters. Each call creates a module that exists until the process ends. Thread-safe.
template <class P>
const tenon_module* builtin(std::string name, std::string_view version,
                            std::string_view details = {}) {
  static sync::Mutex mutex;
  static auto& builtins TENON_GUARDED_BY(mutex) = *new std::deque<Builtin>;
  sync::Lock lock(mutex);
  builtins.push_back(Builtin(name, version, details).add<P>(name));
  return builtins.back().module();
}

}  // namespace tenon::sdk

#define TENON_SDK_ROW_(Class, name) ::tenon::sdk::detail::provided<Class>(name),

#define TENON_SDK_DECLARE_ONE_WITH_(Class, name, version, start, stop, ...) \
  TENON_SDK_DECLARE_ONE_(start, stop, Class, name, version, __VA_ARGS__)
#define TENON_SDK_DECLARE_ONE_(start, stop, Class, name, version, ...)      \
  TENON_SDK_DECLARE_(start, stop, name, version, TENON_QUOTE_(__VA_ARGS__), \
                     TENON_SDK_ROW_(Class, name))
#define TENON_SDK_DECLARE_SEVERAL_(start, stop, name, version, plugins, ...) \
  TENON_SDK_DECLARE_(start, stop, name, version, TENON_QUOTE_(__VA_ARGS__), plugins(TENON_SDK_ROW_))

// The rows are the last argument because they contain commas.
#define TENON_SDK_DECLARE_(start, stop, name, version, details, ...)                               \
  namespace {                                                                                      \
  constexpr ::tenon::sdk::detail::Provided tenon_provided_[] = {__VA_ARGS__};                      \
  static_assert(::tenon::sdk::detail::is_name(name), "the name of a package is \"domain/name\"");  \
  static_assert(::tenon::sdk::detail::is_version(version), "a version has the form \"1.2.3\"");    \
  static_assert(::tenon::sdk::detail::are_names(tenon_provided_, std::size(tenon_provided_)),      \
                "the name of a plugin is \"domain/name\"");                                        \
  constexpr auto tenon_registrations_ = ::tenon::sdk::detail::registrations_of(tenon_provided_);   \
  constexpr std::size_t tenon_manifest_size_ = ::tenon::sdk::detail::manifest_size(                \
      name, version, tenon_provided_, std::size(tenon_provided_), details);                        \
  TENON_NOTE_SECTION_ constexpr ::tenon::sdk::detail::Note<tenon_manifest_size_ + 1> tenon_note_ = \
      ::tenon::sdk::detail::make_note<tenon_manifest_size_ + 1>(                                   \
          name, version, tenon_provided_, std::size(tenon_provided_), details);                    \
  }                                                                                                \
  TENON_LINKAGE_BEGIN_                                                                             \
  extern TENON_EXPORT const tenon_module tenon_module_v1;                                          \
  constexpr tenon_module tenon_module_v1 = {                                                       \
      TENON_MAGIC,                                                                                 \
      sizeof(tenon_module),                                                                        \
      TENON_ABI_MAJOR,                                                                             \
      TENON_ABI,                                                                                   \
      tenon_note_.text,                                                                            \
      tenon_manifest_size_,                                                                        \
      {tenon_registrations_.data(), tenon_registrations_.size(), sizeof(tenon_registration)},      \
      ::tenon::sdk::detail::Start<start>::function,                                                \
      ::tenon::sdk::detail::Stop<stop>::function};                                                 \
  TENON_LINKAGE_END_                                                                               \
  struct tenon_module
