// SPDX-License-Identifier: BSL-1.0
//
// The commands. Each prints its result to standard output and messages to standard error, and
// returns the exit status.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/document_type.hpp>
#include <tenon/detail/kind.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tenon::command {

/// The exit status, which has the same meaning in all programs of the project.
enum Exit { success = 0, problems_found = 1, usage_error = 2, io_error = 3 };

/// The app of the hosts in this project.
inline constexpr const char* own_app = "tenon";

/// The lock file of `tenon lock`, unless another one is named.
inline constexpr const char* default_lock = "tenon.lock";

/// The options of all commands.
struct Options {
  std::string app = own_app;
  /// The directory of the description of the app; empty: where it is installed.
  std::filesystem::path description = {};
  std::vector<std::filesystem::path> plugin_path;
  /// A directory of specs that replace those of the app; empty: the specs of the app.
  std::filesystem::path specs;
  /// The lock file of the host; empty: none.
  std::filesystem::path lock_file;
  bool json = false;

  // `load_app` sets the members below.

  /// True if the kinds of the app are known: from its description, or from specs.
  bool knows_kinds = false;
  /// The directory of the specs of the app's own kinds; empty if there are none.
  std::filesystem::path kind_specs = {};
  /// If they are known, the kinds and document types of the app.
  std::vector<const Kind*> kinds = {};
  std::vector<const DocumentType*> types = {};
  /// The properties that plugins of a kind may have in their manifest, by kind.
  std::map<std::string, std::vector<std::string>, std::less<>> properties = {};
  std::vector<const tenon_module*> builtins = {};
  /// The executable of the app; empty: unknown.
  std::filesystem::path program = {};
  /// The program with the hand-written conversion steps of the app; empty: none.
  std::filesystem::path converter = {};
};

/// The arguments of `tenon convert`; empty if not given.
struct ConvertArguments {
  std::string type;
  std::string from;
  std::string to;
  std::string file;
  bool in_place = false;
  bool lenient = false;
};

/// Lists the plugins that a host would find, and the files that it would skip. If `kind` is not
/// empty, only plugins of this kind are listed. `why` adds the directories that were searched, and
/// each file in them with the reason why it is used or not.
Exit list(const Options& options, const std::string& kind, bool why);

/// Checks and shows one module without running its code. `subject` is a file or a reference. If
/// `system` is not empty, also checks whether this system has the versions that the module needs.
Exit inspect(const Options& options, const std::string& subject, const std::string& system);

/// Says for each description of an app whether its host loads a module: one line each. Only the
/// file counts, not what else is installed. `descriptions`: directories that contain app.json, or
/// the files app.json.
Exit inspect_for_hosts(const Options& options, const std::string& file,
                       const std::vector<std::string>& descriptions);

/// Lists the document types of the app.
Exit types(const Options& options);

/// Prints the meaning of an error code, its usual cause and the remedy, or describes a kind, a
/// version of it or a method from its spec. `subject` is CODE or KIND[@VERSION][.METHOD]; names of
/// kinds contain a '/', codes do not. Lists all codes if it is empty.
Exit explain(const Options& options, const std::string& subject);

/// Shows the changes between two builds of a package, two directories of specs, or two versions of
/// a kind, and the segment of the version that is due. Checks whether the version of a build was
/// raised by that much.
Exit abi_diff(const Options& options, const std::string& older, const std::string& newer);

/// Copies builds and the libraries that they bring to OUTPUT/PACKAGE/VERSION/NAME.so. Refuses
/// builds whose version was not raised enough since the next lower one there, and replaces nothing.
Exit pack(const Options& options, const std::vector<std::string>& files,
          const std::filesystem::path& output);

/// The output format of `tenon graph`.
enum class GraphFormat { dot, svg, mermaid };

/// Shows the packages that references to plugins or packages resolve to, and their requirements.
/// `explain` adds what requires each package, and why newer versions are not used.
Exit resolve(const Options& options, const std::vector<std::string>& references, bool explain);

/// Writes a lock file with the packages that a host would use, and prints what has changed in it.
/// With `check`, only compares.
Exit lock(const Options& options, const std::string& file, bool check);

/// Draws the packages and their requirements.
Exit graph(const Options& options, GraphFormat format);

/// Lets the hosts of an app use a package again that they leave out. Works on files only.
Exit release(const Options& options, const std::string& package);

/// A change of the user's settings for an app.
enum class SettingsChange { disable, enable, pin, unpin };

/// Changes what the hosts of an app use. `text` is PACKAGE, or PACKAGE[@VERSION] for a pin. Works
/// on files only.
Exit change_settings(const Options& options, SettingsChange change, const std::string& text);

/// The arguments of `tenon verify`.
struct VerifyArguments {
  /// Module files, or directories of them.
  std::vector<std::filesystem::path> files;
  /// JSON files with configurations of their plugins.
  std::vector<std::string> configs;
  std::chrono::milliseconds timeout{10'000};
  /// Of the generated requests; nothing: at random.
  std::optional<std::uint64_t> seed;
  /// If true, methods that may change data are called too.
  bool may_change_data = false;
  bool in_process = false;
};

/// Runs the conformance kit on modules, and calls the methods of their plugins. SIGINT ends it by
/// that signal, after the results so far.
Exit verify(const Options& options, const VerifyArguments& arguments);

/// The arguments of `tenon call`.
struct CallArguments {
  std::filesystem::path file;
  /// The names of the plugin, which may be left out, and of the method, and the request as JSON.
  std::string plugin;
  std::string method;
  std::string request;
  /// The kind of the plugin; empty: any.
  std::string kind;
  /// Each is KEY=VALUE or a JSON object.
  std::vector<std::string> configs;
  /// The deadline of each call.
  std::chrono::milliseconds timeout{10'000};
};

/// Calls one method of a plugin in a child process. Only `verify` and `call` run code of a plugin.
Exit call(const Options& options, const CallArguments& arguments);

/// The arguments of `tenon new`: words of its templates, and a name. Empty: not given.
struct NewArguments {
  std::string subject;   // host, plugin or kind
  std::string name;      // eg: "me.example/numbers"
  std::string kind;      // of a plugin: source, processor, or a kind of the SDK
  std::string sdk;       // of a plugin: the directory of the SDK of its app
  std::string language;  // of a plugin: c, c++ or rust
  std::string build = "cmake";
};

/// Makes a directory with a project in the working directory, and prints how to build it.
Exit make_project(const NewArguments& arguments);

/// Converts documents to another version of their type. Writes them to standard output, or
/// replaces each file.
Exit convert(const Options& options, const ConvertArguments& arguments);

}  // namespace tenon::command
