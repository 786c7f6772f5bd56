// SPDX-License-Identifier: BSL-1.0
//
// The plugin under test in a host of its own, and functions that end a case.
#pragma once

#include <tenon/host.hpp>
#include <tenon/sdk/conformance.hpp>
#include <tenon/specification.hpp>

#include <chrono>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::sdk::conformance {

/// Thrown by a case that does not pass.
struct Ending {
  Verdict verdict;
  std::string reason;
};

[[noreturn]] void fail(std::string reason);
[[noreturn]] void skip(std::string reason);

/// Fails the case unless a condition holds.
inline void require(bool condition, std::string_view otherwise) {
  if (!condition) fail(std::string(otherwise));
}

/// Returns the value of a call, which must succeed.
template <class T>
T value_of(tenon::Result<T> result) {
  if (!result) fail(result.error().to_string());
  return std::move(*result);
}
inline void value_of(const tenon::Result<void>& result) {
  if (!result) fail(result.error().to_string());
}

bool is(const Error& error, tenon_status code);

/// Fails the case unless a call of a method that plugins may leave out succeeds.
void require_done(const tenon::Result<void>& result);

/// eg: "3 records", "1 record"
std::string counted(std::size_t count, std::string_view noun);

/// Bytes for people: a text in quotes, or base 16.
std::string shown(BytesView bytes);

/// The plugin under test, in a host that is made when it is first needed. Belongs to one thread.
class Subject {
 public:
  Subject(const Options& options, const Case& one) : options_(options), case_(one) {}

  const std::string& kind() const noexcept { return case_.kind; }
  const std::string& plugin() const noexcept { return case_.plugin; }
  const Options& options() const noexcept { return options_; }

  /// Returns how long a case waits for a plugin that may not respond: less than its timeout, so
  /// that it can still report that.
  std::chrono::milliseconds patience() const noexcept { return options_.timeout / 2; }

  /// Makes the host check each call (HostOptions::check_calls). REQUIRED: there is no host yet.
  void check_calls() noexcept { check_calls_ = true; }

  Host& host();
  /// Destroys the host. REQUIRED: there is no handle.
  void close() { host_.reset(); }

  /// Returns a new instance, not configured.
  template <class K>
  Handle<K> create() {
    return value_of(host().create<K>(reference()));
  }

  /// Returns the setup of the plugin. The case is not run if there is none.
  const PluginSetup& setup() const;
  /// The same; nullptr if there is none.
  const PluginSetup* find_setup() const;
  /// Returns a member of the setup. The case is not run if it is empty.
  const std::string& setup_of(std::string PluginSetup::*member, std::string_view name) const;

  /// Returns the answer of the specifier of the same name, if the module has one.
  std::optional<Specification> specification();

  /// Returns whether the plugin has logged a warning or an error that contains `text`.
  bool has_warned_of(std::string_view text) const;

 private:
  std::string reference() const;
  void keep(const LogLine& line);

  const Options& options_;
  const Case& case_;
  bool check_calls_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> warnings_;
  std::optional<Host> host_;
};

/// One case of a kind.
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
