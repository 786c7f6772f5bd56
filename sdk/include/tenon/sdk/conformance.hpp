// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/conformance.hpp: the conformance kit, which checks that a module keeps the rules of the
// kinds that it registers. `tenon verify` runs it; tests of a plugin link tenon-conformance and run
// the same cases, with GoogleTest by tenon/sdk/conformance_gtest.hpp:
//
//   conformance::Options options;
//   options.module = "libnumbers.so";
//   options.setups = {{"tenon.dev/source", "me.example/numbers", {{"last", "100"}}}};
//   for (const conformance::Result& result : conformance::run(options)) ...
//
// `bag` and `lost` are for tests of plugins that change documents. A document may hold in its bag
// what the plugin's version cannot name; a document that is made from it takes the bag along.
// Copying a document (tenon::own) does that.
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

/// The configuration with which the cases run one plugin. Each case runs in an empty directory of
/// its own, so a relative path is that of a file that does not exist yet.
struct PluginSetup {
  std::string kind;    // eg: "tenon.dev/source"
  std::string plugin;  // its registered name
  TextMap config = {};
  /// Of an object store: a bucket that exists. Cases write only below the key `tenon-verify/`.
  std::string bucket = {};
  /// Of an action: a resource that it applies to, as JSON. Of a volume snapshotter: a persistent
  /// volume.
  std::string item = {};
  /// Of a volume snapshotter: the id of a volume of which snapshots can be taken.
  std::string volume = {};
};

/// The module, and how its cases run.
struct Options {
  /// The file; empty for a builtin.
  std::filesystem::path module = {};
  /// A module that is linked into the program; nullptr for a file.
  const tenon_module* builtin = nullptr;
  /// Plugins without a setup run only the cases that need none.
  std::vector<PluginSetup> setups = {};
  /// After this time a case is ended and has failed; from 1 ms to a day.
  std::chrono::milliseconds timeout{10'000};
};

/// One rule, and the plugin that it is checked of.
struct Case {
  std::string kind;    // empty for rules of the whole module
  std::string plugin;  // its name; for rules of the whole module the package or the file
  std::string name;    // what it proves, eg: "resumes after an acknowledged position"
};

enum class Verdict { passed, failed, not_run };

/// "passed", "failed", "not run"
std::string_view to_string(Verdict verdict) noexcept;

/// The verdict on one case.
struct Result {
  Case of;
  Verdict verdict = Verdict::not_run;
  /// Why the case failed or was not run, for people; empty if it passed.
  std::string reason = {};
};

/// Returns the cases of a module, in the order of its manifest. Runs none of its code. A module
/// whose manifest cannot be read has only the cases of the whole module, which fail.
std::vector<Case> cases(const Options& options);

/// Runs one of `cases(options)`, in a child of this process (fork): a plugin that crashes, hangs or
/// ends the process fails the case and does no harm here. Returns after `timeout` at the latest.
/// The host of the child has no other plugins than those of the module and of the directories in
/// $TENON_CONFORMANCE_PLUGIN_PATH. Standard output of the plugin goes to standard error. Throws
/// std::system_error if the system refuses a process or a directory.
Result run(const Options& options, const Case& one);

/// Runs all cases, one after the other, each in a child of its own.
std::vector<Result> run(const Options& options);

/// Returns a property bag as a document of a newer version has it: no version of today can name
/// what is in it.
inline Bytes bag() {
  return to_bytes(R"({"of_tomorrow@999":{"type":"string","value":"kept"}})");
}

/// Returns what a plugin has lost of the bag of the document that it was given, for people; empty:
/// nothing. A plugin that makes a document from several others gives it no bag, and is not checked.
template <class Given, class Returned>
std::string lost(const Given& given, const Returned& returned) {
  const std::string_view before = BytesView(given.bag).text();
  const std::string_view after = BytesView(returned.bag).text();
  if (before == after || before.empty()) return {};
  if (after.empty()) {
    return "the bag was dropped: " + std::string(before) +
           "; make the document from the one that it comes from (tenon::own), or copy its bag";
  }
  return "the bag was changed: " + std::string(before) + " became " + std::string(after) +
         "; it is copied as it is";
}

}  // namespace tenon::sdk::conformance
