// SPDX-License-Identifier: BSL-1.0
//
// tenon: shows people and scripts which plugins there are, what is wrong and what fits what.
#include <CLI/CLI.hpp>

#include <tenon/sdk/config.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "app.hpp"
#include "base/plain_text.hpp"
#include "commands.hpp"
#include "common/command_line.hpp"

namespace {

using namespace tenon::command;

void add_app(CLI::App& command, Options& options) {
  command
      .add_option("-a,--app", options.app,
                  "the host whose folders, environment and description count")
      ->capture_default_str();
  command
      .add_option("--specs", options.specs,
                  "spec files of kinds and document types, instead of those of the app")
      ->type_name("DIR");
}

void add_json(CLI::App& command, Options& options) {
  command.add_flag("--json", options.json, "prints JSON instead of text (schema 1)");
}

void add_common(CLI::App& command, Options& options) {
  add_app(command, options);
  command.add_option("--plugin-path", options.plugin_path, "a folder to look at before all others")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_json(command, options);
}

void add_lock(CLI::App& command, Options& options) {
  command.add_option("--lock", options.lock_file, "the lock that the host keeps to")
      ->type_name("FILE");
}

void add_conversions(CLI::App& command, Conversions& how) {
  command.add_option("--type", how.type,
                     "what they are, where they do not say it: tenon.dev/record");
  command.add_option("--from", how.from, "their version, where they do not say it");
  command.add_option("--to", how.to,
                     "the version that is wanted; without it that of `tenon types`");
  command.add_flag("--lenient", how.lenient,
                   "keeps what the version does not know, instead of refusing it");
  CLI::Option* in_place =
      command.add_flag("--in-place", how.in_place, "replaces files: FILE, or all below a folder");
  CLI::Option* file = command.add_option(
      "FILE", how.file,
      "one document, or one on each line, of at most 64 MB; without it standard input");
  in_place->needs(file);
}

/// From one millisecond to a day.
std::chrono::milliseconds milliseconds_of(const std::string& text) {
  const auto time = tenon::sdk::Parameter<tenon::Duration>::parse(text);
  if (!time || *time < std::chrono::milliseconds(1) || *time > std::chrono::hours(24)) {
    throw CLI::ValidationError("--timeout",
                               "found \"" + text + "\", needed a time from 1ms to 24h");
  }
  return std::chrono::duration_cast<std::chrono::milliseconds>(*time);
}

void add_verification(CLI::App& command, Options& options, Verification& what) {
  command.add_option("FILE", what.file, "a module file")->required();
  command
      .add_option("--config", what.configs,
                  "the configurations of its plugins: [{\"kind\": \"tenon.dev/source\", "
                  "\"plugin\": \"me.example/numbers\", \"config\": {}}]")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option_function<std::string>(
          "--timeout", [&what](const std::string& text) { what.timeout = milliseconds_of(text); },
          "after which a case has failed, eg: 500ms")
      ->type_name("TIME")
      ->default_str("10s");
  add_json(command, options);
}

int run(int count, char** arguments) {
  CLI::App program(
      "Shows which plugins there are, what is wrong with a file, and what fits what.\n"
      "No command but verify runs code of a plugin.",
      "tenon");
  program.footer("Exit status: 0 yes, 1 a finding, 2 wrong usage, 3 the environment failed.");
  program.set_version_flag("--version", TENON_VERSION, "prints the version");
  program.require_subcommand(1);

  Options options;
  std::string kind;
  CLI::App* listing = program.add_subcommand("list", "the plugins that a host would find");
  add_common(*listing, options);
  listing->add_option("--kind", kind, "only plugins of this kind, eg: tenon.dev/source");

  std::string subject;
  CLI::App* looking = program.add_subcommand("inspect", "all that can be known of one module");
  add_common(*looking, options);
  looking->add_option("FILE|REF", subject, "a module file, or [builtin:|standalone:]name[@version]")
      ->required();

  std::string code;
  CLI::App* explaining = program.add_subcommand(
      "explain", "the meaning of an error code, its usual cause and the remedy");
  explaining->add_option("CODE", code, "eg: kind-too-new; without it all codes are listed");
  add_json(*explaining, options);

  Verification verification;
  CLI::App* verifying = program.add_subcommand(
      "verify", "runs the code of a module, in child processes, and checks the rules of its kinds");
  add_verification(*verifying, options, verification);

  std::vector<std::string> references;
  bool reasons = false;
  CLI::App* resolving =
      program.add_subcommand("resolve", "the packages that a host takes for references");
  add_common(*resolving, options);
  add_lock(*resolving, options);
  resolving
      ->add_option("REF", references,
                   "of a plugin or a package: [builtin:|standalone:]name[@version]")
      ->required();
  resolving->add_flag("--explain", reasons,
                      "says who requires each of them, and why it is no newer version");

  std::string lock_file = "tenon.lock";
  CLI::App* locking =
      program.add_subcommand("lock", "writes down which packages a host uses, to keep to them");
  add_common(*locking, options);
  locking->add_option("-o,--output", lock_file, "the file that is written or replaced")
      ->type_name("FILE")
      ->capture_default_str();

  GraphFormat format = GraphFormat::dot;
  CLI::App* drawing =
      program.add_subcommand("graph", "draws the packages and what they require of each other");
  add_common(*drawing, options);
  add_lock(*drawing, options);
  drawing
      ->add_option("--format", format, "dot (Graphviz), mermaid, or svg, for which dot is needed")
      ->transform(CLI::CheckedTransformer(
                      std::map<std::string, GraphFormat>{{"dot", GraphFormat::dot},
                                                         {"svg", GraphFormat::svg},
                                                         {"mermaid", GraphFormat::mermaid}})
                      .description(""))
      ->type_name("dot|svg|mermaid")
      ->default_str("dot");

  CLI::App* typing = program.add_subcommand("types", "the document types and their versions");
  add_app(*typing, options);
  add_json(*typing, options);

  Conversions how;
  CLI::App* converting =
      program.add_subcommand("convert", "documents as another version of their type");
  add_app(*converting, options);
  add_conversions(*converting, how);

  if (const auto exit = tenon::tools::parse(program, count, arguments)) return *exit;
  if (!explaining->parsed()) {  // which does not depend on the app
    if (const Exit wrong = describe_app(options); wrong != yes) return wrong;
  }
  const Exit exit = listing->parsed()      ? list(options, kind)
                    : looking->parsed()    ? inspect(options, subject)
                    : explaining->parsed() ? explain(options, code)
                    : verifying->parsed()  ? verify(options, verification)
                    : resolving->parsed()  ? resolve(options, references, reasons)
                    : locking->parsed()    ? lock(options, lock_file)
                    : drawing->parsed()    ? graph(options, format)
                    : typing->parsed()     ? types(options)
                                           : convert(options, how);
  if (std::cout.flush()) return exit;
  std::cerr << "tenon: cannot write to standard output\n";
  return environment_failed;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::cerr << "tenon: " << tenon::harmless(error.what()) << "\n";
    return environment_failed;
  }
}
