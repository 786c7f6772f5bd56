// SPDX-License-Identifier: BSL-1.0
//
// The plugin under test in its own host, and functions that end a case.
#pragma once

#include <tenon/host.hpp>
#include <tenon/inspect.hpp>
#include <tenon/mutex.hpp>
#include <tenon/sdk/conformance.hpp>
#include <tenon/specification.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk::conformance {

/// The exception of a case that does not pass.
struct Ending {
  Verdict verdict;
  std::string reason;
};

/// Inspects the module under test, without running its code.
ModuleReport inspect(const Options& options);

/// Returns the text of an error; if a package is missing, with the variable that names the
/// directories of packages.
std::string reason_of(const Error& error);

/// Ends the case as failed.
[[noreturn]] void fail(std::string reason);
/// Ends the case as not run.
[[noreturn]] void skip(std::string reason);

/// Fails the case with the reason `otherwise` unless the condition is true.
inline void require(bool condition, std::string_view otherwise) {
  if (!condition) fail(std::string(otherwise));
}

/// Returns the value of a result. Fails the case if it is an error.
template <class T>
T value_of(tenon::Result<T> result) {
  if (!result) fail(reason_of(result.error()));
  return std::move(*result);
}
inline void value_of(const tenon::Result<void>& result) {
  if (!result) fail(result.error().to_string());
}

/// Returns whether an error has a status code.
bool is(const Error& error, tenon_status code);

/// Fails the case if a call of an optional method failed. TENON_UNIMPLEMENTED is not a failure.
void require_done(const tenon::Result<void>& result);

/// Returns a number with a noun, eg: "3 records", "1 record".
std::string counted(std::size_t count, std::string_view noun);

/// Returns bytes for messages: in quotes if they are printable ASCII, otherwise in hexadecimal.
std::string shown(BytesView bytes);

/// The plugin under test, in a host that is created on first use. Used by one thread.
class Subject {
 public:
  Subject(const Options& options, const Case& one) : options_(options), case_(one) {}

  const std::string& kind() const noexcept { return case_.kind; }
  const std::string& plugin() const noexcept { return case_.plugin; }
  const Options& options() const noexcept { return options_; }

  /// Returns the time that a case waits for a plugin. It is shorter than the timeout of the case,
  /// so that the case can report a plugin that does not respond.
  std::chrono::milliseconds patience() const noexcept { return options_.timeout / 2; }

  /// Makes the host check each call (HostOptions::check_calls). REQUIRES: `host` was not called
  /// yet.
  void check_calls() noexcept { check_calls_ = true; }

  /// Returns the host, and creates it on first use.
  Host& host();
  /// Destroys the host. REQUIRES: all handles were destroyed.
  void close() { host_.reset(); }

  /// Returns a new instance that is not configured.
  template <class K>
  Handle<K> create() {
    return value_of(host().create<K>(reference()));
  }

  /// Returns the setup of the plugin. The case is not run if there is none.
  const PluginSetup& setup() const;
  /// Returns the setup of the plugin; nullptr if there is none.
  const PluginSetup* find_setup() const;
  /// Returns a member of the setup. The case is not run if it is empty.
  const std::string& setup_of(std::string PluginSetup::*member, std::string_view name) const;

  /// Returns the specification from the specifier of the same name, if the module has one.
  std::optional<Specification> specification();

  /// Returns whether a logged warning or error contains `text`.
  bool has_warned_of(std::string_view text) const;

 private:
  std::string reference() const;
  void keep(const LogLine& line);

  const Options& options_;
  const Case& case_;
  bool check_calls_ = false;
  mutable sync::Mutex mutex_;
  std::vector<std::string> warnings_ TENON_GUARDED_BY(mutex_);
  std::optional<Host> host_;
};

/// A case of a kind.
struct Definition {
  std::string_view name;
  void (*run)(Subject& subject);
};

using Definitions = std::span<const Definition>;

Definitions module_cases();
Definitions specifier_cases();
Definitions source_cases();
Definitions processor_cases();
Definitions destination_cases();
Definitions object_store_cases();
Definitions volume_snapshotter_cases();
Definitions backup_item_action_cases();
Definitions restore_item_action_cases();
Definitions delete_item_action_cases();

}  // namespace tenon::sdk::conformance
