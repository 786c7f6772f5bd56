// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/conformance.hpp: the conformance kit, which checks that a module follows the rules of
// the kinds of its plugins. `tenon verify` runs it. Tests of a plugin link tenon-conformance and
// run the same cases; conformance_gtest.hpp makes them tests of GoogleTest:
//
//   conformance::Options options;
//   options.module = "libnumbers.so";
//   options.setups = {{"tenon.dev/source", "me.example/numbers", {{"last", "100"}}}};
//   for (const conformance::Result& result : conformance::run(options)) ...
//
// `bag` and `lost` are for tests of plugins that change documents. The property bag of a document
// contains the fields that the plugin's version cannot name. A plugin has to copy the bag to a
// document that it derives from another; copying the whole document (tenon::own) does that.
//
//   record.bag = conformance::bag();
//   const auto back = plugin.pass(record);
//   EXPECT_EQ(conformance::lost(record, back), "");
#pragma once

#include <tenon/values.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::sdk::conformance {

/// The configuration of one plugin for its cases. Each case runs in a new empty directory, so a
/// relative path names a file that does not exist yet.
struct PluginSetup {
  std::string kind;    // eg: "tenon.dev/source"
  std::string plugin;  // its registered name
  TextMap config = {};
  /// For an object store: a bucket that exists. Cases write only below the key `tenon-verify/`.
  std::string bucket = {};
  /// For an action: a resource that it applies to, as JSON. For a volume snapshotter: a persistent
  /// volume.
  std::string item = {};
  /// For a volume snapshotter: the id of a volume that supports snapshots.
  std::string volume = {};
};

/// The module to check, and how to run its cases.
struct Options {
  /// The path of the module; empty for a builtin.
  std::filesystem::path module = {};
  /// A module that is linked into the program; nullptr for a file.
  const tenon_module* builtin = nullptr;
  /// The configurations. Plugins without one run only the cases that need none.
  std::vector<PluginSetup> setups = {};
  /// The time limit of a case, from 1 ms to 24 h. A case that exceeds it is killed and fails.
  std::chrono::milliseconds timeout{10'000};
  /// Runs the cases in this process and in its working directory, without limits, for a debugger.
  bool in_process = false;
};

/// One rule and the plugin that it is checked for.
struct Case {
  std::string kind;    // empty for rules of the whole module
  std::string plugin;  // registered name; for rules of the whole module the package or the file
  std::string name;    // the rule, eg: "resumes after an acknowledged position"
};

/// The outcome of a case.
enum class Verdict { passed, failed, not_run };

/// Returns "passed", "failed" or "not run".
std::string_view to_string(Verdict verdict) noexcept;

/// A case and its verdict.
struct Result {
  Case of;
  Verdict verdict = Verdict::not_run;
  /// A message that explains why the case failed or was not run; empty if it passed.
  std::string reason = {};
};

/// Returns the cases of a module, in the order of its manifest. Does not run its code. If the
/// manifest cannot be read, returns only the cases of the whole module, which then fail.
std::vector<Case> cases(const Options& options);

/// Runs one of `cases(options)` in a child process (fork), so that a plugin that crashes, hangs or
/// exits only fails the case. Cases of the whole module also fail if it starts a process, or prints
/// more than 64 KiB. Returns after `timeout` at the latest. The host in the child has only
/// the plugins of the module and of the directories in $TENON_CONFORMANCE_PLUGIN_PATH. Standard
/// output of the plugin is redirected to standard error. Throws std::system_error if a process or
/// a directory cannot be created.
Result run(const Options& options, const Case& one);

/// Runs all cases in turn, each in a new child process. Throws as above.
std::vector<Result> run(const Options& options);

/// Returns the property bag of a document of a newer version: no existing version can name its
/// content.
inline Bytes bag() {
  return to_bytes(R"({"of_tomorrow@999":{"type":"string","value":"kept"}})");
}

/// Returns an error message if the bag of a document that a plugin returned differs from that of
/// the document that it was given; otherwise an empty string. Not for documents that are derived
/// from several others: these have no bag.
template <class Given, class Returned>
std::string lost(const Given& given, const Returned& returned) {
  const std::string_view before = BytesView(given.bag).text();
  const std::string_view after = BytesView(returned.bag).text();
  if (before == after || before.empty()) return {};
  if (after.empty()) {
    return "the bag was dropped: " + std::string(before) +
           "; derive the document from a copy of the original (tenon::own), or copy its bag";
  }
  return "the bag was changed: " + std::string(before) + " became " + std::string(after) +
         "; copy it unchanged";
}

}  // namespace tenon::sdk::conformance
