// SPDX-License-Identifier: BSL-1.0
//
// tenon: shows installed plugins, their problems, and which versions are compatible.
#include <tenon/sdk/config.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app.hpp"
#include "base/plain_text.hpp"
#include "commands.hpp"
#include "common/command_line.hpp"
#include "common/descriptor.hpp"
#include "completed_values.hpp"
#include "control.hpp"

namespace {

using namespace tenon::command;

void add_app(CLI::App& command, Options& options) {
  CLI::Option* app =
      command
          .add_option("-a,--app", options.app,
                      "Host program whose directories, environment and description are used")
          ->capture_default_str();
  command
      .add_option("--description", options.description,
                  "Directory of the description of the host program, which contains app.json; "
                  "default: where it is installed")
      ->type_name("DIR")
      ->excludes(app);
  command
      .add_option(
          "--specs", options.specs,
          "Directory of specs of kinds and document types, used instead of those of the app")
      ->type_name("DIR");
}

void add_json(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "Prints JSON instead of text (schema 1)");
}

void add_common(CLI::App& command, Options& options) {
  add_app(command, options);
  command.add_option("--plugin-path", options.plugin_path, "Directory to search before all others")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_json(command, options);
}

void add_lock(CLI::App& command, Options& options) {
  command.add_option("--lock", options.lock_file, "Lock file that the host uses")
      ->type_name("FILE");
}

void add_convert_arguments(CLI::App& command, ConvertArguments& arguments) {
  command.add_option("--type", arguments.type,
                     "Type of documents that do not name it, eg: tenon.dev/record");
  command.add_option("--from", arguments.from, "Version of documents that do not name it");
  command.add_option("--to", arguments.to,
                     "Version to convert to; default: the one that `tenon types` shows as "
                     "stored");
  command.add_flag("--lenient", arguments.lenient,
                   "Keeps fields and versions that are unknown, instead of refusing the document");
  CLI::Option* in_place =
      command.add_flag("--in-place", arguments.in_place,
                       "Replaces FILE, or all *.json and *.jsonl below a directory");
  CLI::Option* file = command.add_option(
      "FILE", arguments.file,
      "One document, or one on each line, of at most 64 MB each; default: standard input");
  in_place->needs(file);
}

/// Parses a timeout from one millisecond to one day. Throws CLI::ValidationError.
std::chrono::milliseconds parse_timeout(const std::string& text) {
  const auto time = tenon::sdk::Parameter<tenon::Duration>::parse(text);
  if (!time || *time < std::chrono::milliseconds(1) || *time > std::chrono::hours(24)) {
    throw CLI::ValidationError("--timeout",
                               "found \"" + text + "\", needed a time from 1ms to 24h");
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(*time);
}

/// Throws CLI::ValidationError.
GraphFormat parse_format(const std::string& text) {
  if (text == "dot") return GraphFormat::dot;
  if (text == "svg") return GraphFormat::svg;
  if (text == "mermaid") return GraphFormat::mermaid;
  throw CLI::ValidationError("--format", "found \"" + text + "\", needed dot, svg or mermaid");
}

void add_verify_arguments(CLI::App& command, Options& options, VerifyArguments& verify) {
  command.add_option("FILE", verify.file, "Module file")->required();
  command
      .add_option("--config", verify.configs,
                  "JSON file with configurations of its plugins: [{\"kind\": \"tenon.dev/source\", "
                  "\"plugin\": \"me.example/numbers\", \"config\": {}}]")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--timeout", [&verify](const std::string& text) { verify.timeout = parse_timeout(text); },
          "Time limit of each case, eg: 500ms")
      ->type_name("TIME")
      ->default_str("10s");
  add_json(command, options);
  command.footer(
      "Packages that the module requires are searched in the directories of "
      "$TENON_CONFORMANCE_PLUGIN_PATH.");
}

void add_call_arguments(CLI::App& command, Options& options, CallArguments& call) {
  command.add_option("FILE", call.file, "Module file")->required();
  command
      .add_option("[PLUGIN]", call.plugin,
                  "Registered name; needed if the module has several plugins with this method")
      ->option_text("TEXT")
      ->required();
  command.add_option("METHOD", call.method, "Method of the plugin's kind")->required();
  command
      .add_option("JSON", call.request,
                  "Request: an object with the fields of the method, eg: {\"text\": \"hello\"}")
      ->option_text("TEXT REQUIRED");
  command.add_option("--kind", call.kind,
                     "Kind of the plugin, eg: tenon.dev/source; needed if plugins of several kinds "
                     "have this name and method");
  command
      .add_option(
          "--config", call.configs,
          "Configuration of the plugin: KEY=VALUE, or a JSON object in which a value may be "
          "${NAME} or {\"file\": \"PATH\"}")
      ->type_name("CONFIG")
      ->allow_extra_args(false);
  add_app(command, options);
  command
      .add_option_function<std::string>(
          "--timeout", [&call](const std::string& text) { call.timeout = parse_timeout(text); },
          "Deadline of each call, eg: 500ms; the process is killed 5 s after the last one")
      ->type_name("TIME")
      ->default_str("10s");
  command.footer(
      "Prints the response as JSON, with bytes in base64 and times in nanoseconds. The plugin is "
      "configured first, and brought to a state in which the method may be called.");
}

/// Moves the words to the left if the first of them, the plugin, was left out.
void move_words(CallArguments& call) {
  if (!call.request.empty()) return;
  call.request = std::move(call.method);
  call.method = std::exchange(call.plugin, {});
}

/// Adds an option or argument whose value is one of the words.
CLI::Option* add_choice(CLI::App& command, const std::string& name, std::string& value,
                        std::vector<std::string> words, const std::string& description) {
  std::string needed;
  for (const std::string& word : words) needed += (needed.empty() ? "" : "|") + word;
  return command.add_option(name, value, description)
      ->type_name(needed)
      ->check([words = std::move(words), needed](const std::string& text) {
        const bool known = std::ranges::find(words, text) != words.end();
        return known ? "" : "found \"" + text + "\", needed " + needed;
      });
}

void add_new_arguments(CLI::App& command, NewArguments& arguments) {
  const std::vector<std::string> subjects = {"host", "plugin", "kind"};
  add_choice(command, "WHAT", arguments.subject, subjects,
             "host: a program that uses sources. plugin: a plugin for pipelines. kind: a program "
             "with a kind of plugin of its own, and a plugin")
      ->required();
  command
      .add_option(
          "NAME", arguments.name,
          "Name of a host, eg: photo, or id of a plugin or kind, eg: me.example/numbers; its "
          "last part names the directory")
      ->required();
  add_choice(command, "--kind", arguments.kind, {"source", "processor"}, "Kind of a plugin")
      ->default_str("source");
  add_choice(command, "--language", arguments.language, {"c", "c++"}, "Language of a plugin")
      ->default_str("c++");
  add_choice(command, "--build", arguments.build, {"cmake", "meson"}, "Build system")
      ->capture_default_str();
/// A command for running hosts.
struct ControlCommand {
  const char* name;
  const char* description;
  Exit (*run)(const ControlArguments&);
  std::chrono::milliseconds timeout;
  CLI::App* command = nullptr;
};

void add_host(CLI::App& command, ControlArguments& arguments) {
  command
      .add_option("HOST", arguments.host,
                  "Number of a process, or one of its hosts as ps shows it, eg: 1234.2")
      ->required();
}

CLI::App* add_control(CLI::App& program, ControlCommand& command, ControlArguments& arguments) {
  command.command = program.add_subcommand(command.name, command.description);
  const std::string name = command.name;
  if (name != "ps") add_host(*command.command, arguments);
  command.command
      ->add_option_function<std::string>(
          "--timeout",
          [&arguments](const std::string& text) { arguments.timeout = parse_timeout(text); },
          "How long to wait for the host, eg: 500ms")
      ->type_name("TIME")
      ->default_str(std::to_string(command.timeout.count() / 1000) + "s");
  if (name != "log") {
    command.command->add_flag("--json", arguments.json, "Prints JSON instead of text (schema 1)");
  }
  return command.command;
}

/// The commands for running hosts.
class ControlCommands {
 public:
  explicit ControlCommands(CLI::App& program) {
    for (ControlCommand& command : commands_) add(program, command);
  }

  /// Runs the command that was given. Returns nothing if it is none of these.
  std::optional<Exit> run() {
    for (const ControlCommand& command : commands_) {
      if (!command.command->parsed()) continue;
      if (command.command->count("--timeout") == 0) arguments_.timeout = command.timeout;
      return command.run(arguments_);
    }
    return std::nullopt;
  }

 private:
  void add(CLI::App& program, ControlCommand& command) {
    CLI::App& added = *add_control(program, command, arguments_);
    const std::string name = command.name;
    if (name == "status") {
      added
          .add_flag("--metrics", arguments_.metrics,
                    "Prints metrics in the text format of Prometheus")
          ->excludes(added.get_option("--json"));
    } else if (name == "restart") {
      added.add_option("PACKAGE", arguments_.package,
                       "Package, or package@version; default: all that are loaded");
    } else if (name == "release") {
      added.add_option("PACKAGE", arguments_.package, "Package, or package@version")->required();
    } else if (name == "log") {
      added.add_option("LEVEL", arguments_.level, "trace, debug, info, warn, error or off")
          ->required();
    } else if (name == "events") {
      added.add_flag("--follow", arguments_.follow,
                     "Also shows further events until the host ends");
    }
  }

  ControlArguments arguments_;
  ControlCommand commands_[7] = {
      {"ps", "Lists the running hosts of this user", list_hosts, std::chrono::seconds(5)},
      {"status", "Shows the modules of a running host", show_host, std::chrono::seconds(5)},
      {"restart", "Restarts packages in a running host", restart_in_host, std::chrono::minutes(1)},
      {"release", "Ends the quarantine of a package in a running host", release_in_host,
       std::chrono::minutes(1)},
      {"rescan", "Makes a running host scan its directories again", rescan_host,
       std::chrono::minutes(1)},
      {"log", "Sets the log level of a running host", tenon::command::set_log_level,
       std::chrono::seconds(5)},
      {"events", "Shows the last 100 events of a running host", show_events,
       std::chrono::seconds(5)},
  };
};

/// Returns the exit status of a command that has ended.
Exit finish(Exit exit) {
  if (std::cout.flush()) return exit;
  std::cerr << "tenon: cannot write to standard output\n";
  return io_error;
}

int run(int count, char** arguments) {
  CLI::App program(
      "Shows plugins, packages and running hosts, checks modules, converts documents, and makes\n"
      "projects. Only verify and call run code of a plugin.",
      "tenon");
  program.footer("Exit status: 0 success, 1 problem found, 2 usage error, 3 I/O error.");
  program.set_version_flag("--version", TENON_VERSION, "Prints the version");
  program.require_subcommand(1);

  Options options;
  std::string kind;
  CLI::App* listing = program.add_subcommand("list", "Lists the plugins that a host would find");
  add_common(*listing, options);
  listing->add_option("--kind", kind, "Only plugins of this kind, eg: tenon.dev/source")
      ->type_name("KIND");
  bool why = false;
  listing->add_flag("--why", why,
                    "Also shows the directories that were searched, and each file in them with the "
                    "reason why it is used or not");

  std::string subject;
  CLI::App* looking = program.add_subcommand(
      "inspect", "Checks one module without running its code, and shows its contents");
  add_common(*looking, options);
  looking->add_option("FILE|REF", subject, "Module file, or [builtin:|standalone:]name[@version]")
      ->required();
  std::string system;
  looking
      ->add_option("--for", system,
                   "Also checks whether the module loads on this system, eg: bookworm, glibc-2.31")
      ->type_name("SYSTEM");
  std::vector<std::string> descriptions;
  looking
      ->add_option("--for-host", descriptions,
                   "Only says for each description of an app, a directory with app.json, whether "
                   "its host loads the module, which is the last argument")
      ->type_name("DESCRIPTION...")
      ->excludes(looking->get_option("--app"), looking->get_option("--description"),
                 looking->get_option("--specs"), looking->get_option("--plugin-path"),
                 looking->get_option("--for"));

  std::string explained;
  CLI::App* explaining = program.add_subcommand(
      "explain", "Explains an error code, or a kind and its methods from its spec");
  add_app(*explaining, options);
  explaining->add_option("CODE|KIND[@VERSION][.METHOD]", explained,
                         "Error code, eg: kind-too-new, or kind, which contains a '/', eg: "
                         "tenon.dev/source@2.open; default: lists all codes");
  add_json(*explaining, options);

  CLI::App* abi = program.add_subcommand("abi", "Compares builds and specs");
  abi->require_subcommand(1);
  std::string older, newer;
  CLI::App* comparing = abi->add_subcommand(
      "diff", "Shows the changes between two builds, and whether the version was raised enough");
  add_app(*comparing, options);
  comparing
      ->add_option("OLDER", older,
                   "Module file, directory of specs, or version of a kind, eg: tenon.dev/source@1")
      ->required();
  comparing->add_option("NEWER", newer, "The same of the newer build or specs")->required();
  add_json(*comparing, options);

  VerifyArguments verify_arguments;
  CLI::App* verifying = program.add_subcommand(
      "verify",
      "Tests a module against the rules for all modules and those of the standard kinds; runs its code "
      "in child processes");
  add_verify_arguments(*verifying, options, verify_arguments);

  CallArguments call_arguments;
  CLI::App* calling = program.add_subcommand(
      "call", "Calls one method of a plugin; runs its code in a child process");
  add_call_arguments(*calling, options, call_arguments);

  std::vector<std::string> references;
  bool reasons = false;
  CLI::App* resolving =
      program.add_subcommand("resolve", "Shows the packages that a host would use for references");
  add_common(*resolving, options);
  add_lock(*resolving, options);
  resolving
      ->add_option("REF", references, "Plugin or package: [builtin:|standalone:]name[@version]")
      ->required();
  resolving->add_flag("--explain", reasons,
                      "Shows what requires each package, and why newer versions are not used");

  std::string lock_file = default_lock;
  CLI::App* locking = program.add_subcommand(
      "lock", "Writes a lock file, which pins the packages that a host uses");
  add_common(*locking, options);
  locking
      ->add_option(
          "-o,--output", lock_file,
          "File to write or replace, unless it is the lock of another app, or lists modules "
          "and none are found now")
      ->type_name("FILE")
      ->capture_default_str();
  bool check_lock = false;
  locking->add_flag("--check", check_lock,
                    "Writes nothing; exit status 1 if the lock file is not the one that would be "
                    "written");

  std::vector<std::string> builds;
  std::string output;
  CLI::App* packing = program.add_subcommand(
      "pack", "Copies builds to DIR/PACKAGE/VERSION/, where hosts find them");
  packing->add_option("FILE", builds, "Module file")->required();
  packing
      ->add_option("-o,--output", output,
                   "Directory of packages. A build is refused if its version was not raised "
                   "enough since the next lower one in it, see abi diff")
      ->type_name("DIR")
      ->required();
  add_json(*packing, options);

  GraphFormat format = GraphFormat::dot;
  CLI::App* drawing = program.add_subcommand("graph", "Draws the packages and their requirements");
  add_common(*drawing, options);
  add_lock(*drawing, options);
  drawing
      ->add_option_function<std::string>(
          "--format", [&format](const std::string& text) { format = parse_format(text); },
          "Format: dot (Graphviz), mermaid, or svg, which needs the program dot")
      ->type_name("dot|svg|mermaid")
      ->default_str("dot")
      ->excludes(drawing->get_option("--json"));

  std::string package;
  CLI::App* releasing = program.add_subcommand(
      "release",
      "Lets an app use a package again that it leaves out since a crash or a quarantine");
  releasing->add_option("APP", options.app, "Host program")->required();
  releasing->add_option("PACKAGE", package, "Package, eg: me.example/blur")->required();
  add_json(*releasing, options);

  CLI::App* typing = program.add_subcommand("types", "Lists the document types and their versions");
  add_app(*typing, options);
  add_json(*typing, options);

  ConvertArguments convert_arguments;
  CLI::App* converting =
      program.add_subcommand("convert", "Converts documents between versions of their type");
  add_app(*converting, options);
  add_convert_arguments(*converting, convert_arguments);

  NewArguments new_arguments;
  CLI::App* making = program.add_subcommand(
      "new", "Makes a directory with the project of a host, a plugin or a kind of plugins");
  add_new_arguments(*making, new_arguments);
  ControlCommands controlling(program);

  if (const auto exit = tenon::tools::parse(program, count, arguments, completed_values())) {
    return *exit;
  }
  if (const auto exit = controlling.run()) return finish(*exit);
  if (calling->parsed()) move_words(call_arguments);
  // These need no specs and no description of the app, or read them themselves.
  const bool loads_itself = explaining->parsed() || comparing->parsed() || packing->parsed() ||
                            releasing->parsed() || making->parsed() || !descriptions.empty();
  if (!loads_itself) {
    if (const Exit loaded = load_app(options); loaded != success) return loaded;
    use_app(options);
  }
  const Exit exit = listing->parsed()       ? list(options, kind, why)
                    : !descriptions.empty() ? inspect_for_hosts(options, subject, descriptions)
                    : looking->parsed()     ? inspect(options, subject, system)
                    : explaining->parsed()  ? explain(options, explained)
                    : comparing->parsed()   ? abi_diff(options, older, newer)
                    : packing->parsed()     ? pack(options, builds, output)
                    : verifying->parsed()   ? verify(options, verify_arguments)
                    : calling->parsed()     ? call(options, call_arguments)
                    : resolving->parsed()   ? resolve(options, references, reasons)
                    : locking->parsed()     ? tenon::command::lock(options, lock_file, check_lock)
                    : drawing->parsed()     ? graph(options, format)
                    : releasing->parsed()   ? release(options, package)
                    : typing->parsed()      ? types(options)
                    : making->parsed()      ? make_project(new_arguments)
                                            : convert(options, convert_arguments);
  return finish(exit);
}

}  // namespace

int main(int count, char** arguments) {
  tenon::tools::hold_standard_streams();
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "tenon: " << tenon::escaped_for_display(error.what()) << "\n";
    return io_error;
  }
}
