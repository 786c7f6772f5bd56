// SPDX-License-Identifier: BSL-1.0
//
// tenon-gen: checks the specs of kinds and document types, and writes what hosts and plugins
// compile.
//
// Exit status: 0 good, 1 something is wrong with the specs, 2 wrong usage, 3 the environment
// failed.
#include "gen/check/released.hpp"
#include "gen/emit/emit.hpp"
#include "gen/load.hpp"
#include "gen/model/naming.hpp"
#include "gen/next.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>

namespace tenon::gen {
namespace {

enum Exit { good = 0, has_findings = 1, wrong_usage = 2, environment_failed = 3 };

/// What the command line says.
struct Options {
  LoadOptions load{};
  std::vector<std::string> standard{};
  std::string out{};
  std::string depfile{};
  std::string name = "kinds";
  std::string folder{};
  bool again = false;
};

/// Relative to the program, where an installation has it.
std::string installed_specs() {
  std::error_code status;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", status);
  return (program.parent_path() / ".." / "share" / "tenon" / "abi").lexically_normal().string();
}

Exit report(const Findings& findings) {
  for (const Finding& finding : findings.all()) std::cerr << to_text(finding) << "\n";
  return findings.empty() ? good : has_findings;
}

/// Loads the specs and hands them to `use` if nothing is wrong with them.
Exit with_model(Options& options, const std::function<void(const Model&)>& use) {
  for (const std::string& text : options.standard) {
    options.load.standard.push_back(parse_standard(text));
  }
  Findings findings;
  const Model model = load_specs(options.load, findings);
  if (findings.empty()) use(model);
  return report(findings);
}

Exit build(Options& options) {
  return with_model(options, [&options](const Model& model) {
    emit_all(model, options.name, Output(options.out));
    if (options.depfile.empty()) return;
    const std::string target = options.out + "/" + options.name + ".cpp";
    Output("").write(options.depfile, dependency_rule(target, model.inputs));
  });
}

Exit headers(Options& options) {
  return with_model(options,
                    [&options](const Model& model) { emit_c_headers(model, Output(options.out)); });
}

Exit check(Options& options) {
  return with_model(options, [](const Model&) {});
}

void print_fingerprint(const std::string& id, const Version& version) {
  std::cout << id << " " << version.label << " " << hex(version.fingerprint) << "\n";
}

Exit fingerprint(Options& options) {
  return with_model(options, [](const Model& model) {
    for (const auto& kind : model.kinds) {
      for (const auto& version : kind->versions) print_fingerprint(kind->id, *version);
    }
    for (const auto& document : model.documents) {
      for (const auto& version : document->versions) print_fingerprint(document->id, *version);
    }
  });
}

Exit next(Options& options) {
  Findings findings;
  for (const std::string& path : begin_next_version(options.folder, findings)) {
    std::cout << path << "\n";
  }
  return report(findings);
}

Exit release(Options& options) {
  options.load.folders = {options.folder};
  options.load.frozen = false;
  Findings findings;
  const Model model = load_specs(options.load, findings);
  if (!findings.empty()) return report(findings);
  for (const std::string& line : release(options.folder, model, options.again, findings)) {
    std::cout << line << "\n";
  }
  return report(findings);
}

void add_standard_specs(CLI::App* command, Options& options) {
  command
      ->add_option("--standard-specs", options.load.standard_specs, "Folder of tenon's own specs")
      ->type_name("DIR")
      ->capture_default_str();
}

void add_specs(CLI::App* command, Options& options) {
  command->add_option("FOLDER", options.load.folders, "Folders with specs, anywhere below")
      ->required();
  add_standard_specs(command, options);
}

void add_output(CLI::App* command, Options& options) {
  command->add_option("--out", options.out, "Folder to write to")->type_name("DIR")->required();
}

/// Adds all commands to `app`; the one that the command line names leaves its status in `exit`.
void add_commands(CLI::App& app, Options& options, Exit& exit) {
  const auto add = [&](const char* name, const char* what, Exit (*command)(Options&)) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->callback([&exit, &options, command] { exit = command(options); });
    return sub;
  };
  CLI::App* build_command = add("build", "Writes headers and sources", build);
  add_specs(build_command, options);
  add_output(build_command, options);
  build_command->add_option("--name", options.name, "Name of the source, without .cpp")
      ->capture_default_str();
  build_command->add_option("--depfile", options.depfile, "Writes what was read, as a rule of make")
      ->type_name("FILE");
  build_command
      ->add_option("--standard", options.standard,
                   "Adds a standard kind up to a version; again for more")
      ->type_name("KIND@N")
      ->allow_extra_args(false);

  CLI::App* headers_command = add("headers", "Writes the C headers", headers);
  add_specs(headers_command, options);
  add_output(headers_command, options);

  add_specs(add("check", "Only checks", check), options);
  add_specs(add("fingerprint", "Prints the fingerprint of each version", fingerprint), options);
  CLI::App* release_command =
      add("release", "Lists released versions, which cannot change any more", release);
  release_command->add_option("FOLDER", options.folder, "Folder with specs, anywhere below")
      ->required();
  add_standard_specs(release_command, options);
  release_command->add_flag("--again", options.again,
                            "Replaces versions that were released before 1.0.0, and says what "
                            "that breaks");
  add("next", "Begins the next version as a draft", next)
      ->add_option("FOLDER", options.folder, "Folder of one kind or document type")
      ->required();
}

Exit run(int argc, char** argv) {
  CLI::App app("Checks the specs of kinds and writes what hosts and plugins compile.", "tenon-gen");
  app.footer(
      "Exit status: 0 good, 1 something is wrong with the specs, 2 wrong usage, 3 the environment "
      "failed.");
  app.require_subcommand(1);
  Options options;
  options.load.standard_specs = installed_specs();
  Exit exit = good;
  add_commands(app, options, exit);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? good : wrong_usage;
  } catch (const UsageError& error) {
    std::cerr << "tenon-gen: " << error.what() << "\n";
    return wrong_usage;
  }
  return exit;
}

}  // namespace
}  // namespace tenon::gen

int main(int argc, char** argv) {
  try {
    return tenon::gen::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "tenon-gen: " << error.what() << "\n";
    return tenon::gen::environment_failed;
  }
}
