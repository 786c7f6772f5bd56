// SPDX-License-Identifier: BSL-1.0
//
// tenon-gen: checks the specs of kinds and document types, and generates code for hosts and
// plugins.
//
// Exit status: 0 success, 1 problem found, 2 usage error, 3 I/O error.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string_view>

#include "base/plain_text.hpp"
#include "common/command_line.hpp"
#include "common/text_file.hpp"
#include "gen/check/released.hpp"
#include "gen/emit/emit.hpp"
#include "gen/emit/emit_meson.hpp"
#include "gen/emit/emit_rust.hpp"
#include "gen/load.hpp"
#include "gen/model/naming.hpp"
#include "gen/next.hpp"
#include "gen/sdk_package.hpp"
#include "platform/program.hpp"

namespace tenon::gen { namespace {

enum Exit { success = 0, problems_found = 1, usage_error = 2, io_error = 3 };

struct Options {
  LoadOptions load{};
  std::vector<std::string> standard{};
  std::string out{};
  std::string depfile{};
  std::string name = "kinds";
  std::string directory{};
  std::string app{};
  std::string version = "0";
  bool again = false;
};

/// Returns the installation that contains this program.
Installation installation() {
  const auto directory = tenon::platform::program_file().parent_path();
  return {(directory / TENON_INCLUDE_FROM_PROGRAM).lexically_normal(),
          (directory / TENON_DATA_FROM_PROGRAM).lexically_normal()};
}

Exit report(const Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : diagnostics.all()) std::cerr << to_text(diagnostic) << "\n";
  return diagnostics.empty() ? success : problems_found;
}

/// Loads the specs, and passes the model to `use` if they have no problems.
Exit with_model(Options& options, const std::function<void(const Model&)>& use) {
  for (const std::string& text : options.standard) {
    options.load.standard.push_back(parse_standard(text));
  }
  Diagnostics diagnostics;
  const Model model = load_specs(options.load, diagnostics);
  if (diagnostics.empty()) use(model);
  return report(diagnostics);
}

/// Throws UsageError if the value of an option contains other characters than letters, digits and
/// `marks`, or begins with one of `not_first`.
void check_form(const std::string& option, const std::string& value, const std::string& marks,
                std::string_view not_first, const std::string& needed) {
  const std::string allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + marks;
  const bool good =
      value.find_first_not_of(allowed) == std::string::npos && value.find_first_of(not_first) != 0;
  if (!good) throw UsageError(option + ": found \"" + value + "\", needed " + needed);
}

/// The name is that of a file and of a CMake target.
void check_name(const Options& options) {
  check_form("--name", options.name, "_.+-", ".+-",
             "a name of letters, digits, '_', '.', '+' and '-'");
}

/// Writes the make rule for the file NAME + `extension`, if it is wanted.
void write_depfile(const Options& options, const std::string& extension, const Model& model) {
  if (options.depfile.empty()) return;
  const std::string target = options.out + "/" + options.name + extension;
  Output("").write(options.depfile, dependency_rule(target, model.inputs));
}

Exit build(Options& options) {
  check_name(options);
  return with_model(options, [&options](const Model& model) {
    emit_all(model, options.name, Output(options.out));
    write_depfile(options, ".cpp", model);
  });
}

Exit rust(Options& options) {
  check_name(options);
  return with_model(options, [&options](const Model& model) {
    Output(options.out).write(options.name + ".rs", emit_rust(model));
    write_depfile(options, ".rs", model);
  });
}

Exit headers(Options& options) {
  return with_model(options,
                    [&options](const Model& model) { emit_c_headers(model, Output(options.out)); });
}

Exit schema(Options& options) {
  return with_model(options, [&options](const Model& model) {
    const bool any = std::any_of(model.documents.begin(), model.documents.end(),
                                 [](const auto& document) { return !document->standard; });
    if (!any) throw UsageError("the specs contain no document type");
    emit_schemas(model, Output(options.out));
  });
}

Exit check(Options& options) {
  return with_model(options, [](const Model&) {});
}

/// An SDK package contains the specs, so the next run would find each of them twice. Throws
/// UsageError.
void check_outside_of_specs(const Options& options) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path out = fs::weakly_canonical(fs::absolute(options.out, ignored), ignored);
  for (const std::string& directory : options.load.directories) {
    const fs::path within = out.lexically_relative(fs::weakly_canonical(directory, ignored));
    if (within.empty() || *within.begin() == "..") continue;
    throw UsageError("--out: found \"" + options.out +
                     "\", needed a directory outside of the directory of specs " + directory);
  }
}

void check_app(const Options& options) {
  check_form("--app", options.app, "._-", "._-",
             "the name of an app of letters, digits, '.', '_' and '-'");
}

Exit sdk(Options& options) {
  check_app(options);
  check_name(options);
  check_form("--version", options.version, "._+~-", "",
             "a version of letters, digits, '.', '_', '+', '~' and '-'");
  check_outside_of_specs(options);
  return with_model(options, [&options](const Model& model) {
    if (model.kinds.empty()) throw UsageError("the specs contain no kind");
    write_sdk_package(model, {options.app, options.name, options.version}, installation(),
                      Output(options.out));
  });
}

/// Checks that meson.build does not exist, or was written by this program.
void check_replaceable(const std::string& path, Diagnostics& diagnostics) {
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return;
  if (is_emitted_meson(tools::read_file(path).text.value_or(""))) return;
  diagnostics.add({.location = {path},
                   .code = "name-taken",
                   .message = "a file with this name exists and was not written by tenon-gen meson",
                   .needed = "no such file, or one whose first line says that it was",
                   .fix = "move its content to the meson.build of the directory above"});
}

Exit meson(Options& options) {
  check_app(options);
  check_form("--name", options.name, "_", "0123456789",
             "a name of letters, digits and '_' that does not begin with a digit");
  const std::string path = options.directory + "/meson.build";
  Diagnostics diagnostics;
  check_replaceable(path, diagnostics);
  if (!diagnostics.empty()) return report(diagnostics);
  options.load.directories = {options.directory};
  return with_model(options, [&options, &path](const Model& model) {
    if (model.kinds.empty()) throw UsageError("the specs contain no kind");
    Output("").write(path, emit_meson({options.app, options.name, options.standard}));
  });
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
  Diagnostics diagnostics;
  for (const std::string& path : create_next_version(options.directory, diagnostics)) {
    std::cout << path << "\n";
  }
  return report(diagnostics);
}

/// Returns the drafts of a model as "2 drafts: photo.example/blur 1, photo.example/filter 2".
std::string drafts_of(const Model& model) {
  std::string names;
  std::size_t count = 0;
  const auto each = [&](const auto& families) {
    for (const auto& family : families) {
      for (const auto& version : family->versions) {
        if (family->standard || !version->draft()) continue;
        names += (count++ == 0 ? ": " : ", ") + family->id + " " + version->label;
      }
    }
  };
  each(model.kinds);
  each(model.documents);
  return std::to_string(count) + (count == 1 ? " draft" : " drafts") + names;
}

Exit release(Options& options) {
  options.load.directories = {options.directory};
  options.load.frozen = false;
  Diagnostics diagnostics;
  const Model model = load_specs(options.load, diagnostics);
  if (!diagnostics.empty()) return report(diagnostics);
  const auto lines = release(options.directory, model, options.again, diagnostics);
  for (const std::string& line : lines) std::cout << line << "\n";
  if (lines.empty() && diagnostics.empty()) {
    std::cout << "no new released version; " << drafts_of(model) << "\n";
  }
  return report(diagnostics);
}

void add_standard_specs(CLI::App* command, Options& options) {
  command
      ->add_option("--standard-specs", options.load.standard_specs,
                   "Directory of the standard specs")
      ->type_name("DIR")
      ->capture_default_str();
}

void add_specs(CLI::App* command, Options& options) {
  command
      ->add_option("DIRECTORY", options.load.directories,
                   "Directories with specs, searched recursively")
      ->required();
  add_standard_specs(command, options);
}

void add_standard(CLI::App* command, Options& options) {
  command
      ->add_option("--standard", options.standard,
                   "Adds a standard kind up to version N; repeatable")
      ->type_name("KIND@N")
      ->allow_extra_args(false);
}

/// Adds the argument of commands that write into a directory of specs.
void add_directory(CLI::App* command, Options& options) {
  command->add_option("DIRECTORY", options.directory, "Directory with specs, searched recursively")
      ->required();
}

void add_app(CLI::App* command, Options& options) {
  command->add_option("--app", options.app, "Name of the app, as in HostOptions::app")->required();
}

void add_output(CLI::App* command, Options& options) {
  command->add_option("--out", options.out, "Directory to write to")->type_name("DIR")->required();
}

/// Adds the options of commands that write a source file.
void add_source(CLI::App* command, Options& options, const std::string& extension) {
  add_specs(command, options);
  add_output(command, options);
  command->add_option("--name", options.name, "Name of the source file, without " + extension)
      ->capture_default_str();
  command->add_option("--depfile", options.depfile, "Writes a make rule that lists the input files")
      ->type_name("FILE");
  add_standard(command, options);
}

/// Adds all commands to `app`. The command that runs stores its status in `exit`.
void add_commands(CLI::App& app, Options& options, Exit& exit) {
  const auto add = [&](const char* name, const char* what, Exit (*command)(Options&)) {
    CLI::App* sub = app.add_subcommand(name, what);
    sub->callback([&exit, &options, command] {
      try {
        exit = command(options);
      } catch (const UsageError& error) {
        throw CLI::ValidationError(error.what());
      }
    });
    return sub;
  };
  add_source(add("build", "Generates headers, sources and JSON Schemas", build), options, ".cpp");
  add_source(add("rust", "Generates bindings for plugins in Rust", rust), options, ".rs");

  CLI::App* sdk_command =
      add("sdk", "Writes an SDK package: all that authors of plugins of an app need", sdk);
  add_specs(sdk_command, options);
  add_output(sdk_command, options);
  add_standard(sdk_command, options);
  add_app(sdk_command, options);
  sdk_command->add_option("--name", options.name, "Name of the CMake target of the kinds")
      ->capture_default_str();
  sdk_command->add_option("--version", options.version, "Version of the app")
      ->capture_default_str();

  CLI::App* meson_command =
      add("meson", "Writes DIRECTORY/meson.build, which builds the kinds with Meson", meson);
  add_directory(meson_command, options);
  add_standard_specs(meson_command, options);
  add_standard(meson_command, options);
  add_app(meson_command, options);
  meson_command
      ->add_option("--name", options.name, "Name of the dependency, and of its other variables")
      ->capture_default_str();

  CLI::App* headers_command = add("headers", "Generates only the C headers", headers);
  add_specs(headers_command, options);
  add_output(headers_command, options);

  CLI::App* schema_command =
      add("schema", "Generates only the JSON Schemas of document types, for editors", schema);
  add_specs(schema_command, options);
  add_output(schema_command, options);

  add_specs(add("check", "Checks the specs", check), options);
  add_specs(add("fingerprint", "Prints the fingerprint of each version", fingerprint), options);
  CLI::App* release_command =
      add("release", "Adds released versions to released.json, which freezes them", release);
  add_directory(release_command, options);
  add_standard_specs(release_command, options);
  release_command->add_flag("--again", options.again,
                            "Replaces changed versions that were released before 1.0.0, and prints "
                            "the differences");
  add("next", "Copies the newest version as the draft of the next one", next)
      ->add_option("DIRECTORY", options.directory, "Directory of one kind or document type")
      ->required();
}

Exit run(int argc, char** argv) {
  CLI::App app(
      "Checks the specs of kinds and document types, and generates code for hosts and plugins.",
      "tenon-gen");
  app.footer("Exit status: 0 success, 1 problem found, 2 usage error, 3 I/O error.");
  app.set_version_flag("--version", TENON_VERSION, "Prints the version");
  app.require_subcommand(1);
  Options options;
  options.load.standard_specs = (installation().data / "abi").string();
  Exit exit = success;
  add_commands(app, options, exit);
  if (const auto wrong = tools::parse(app, argc, argv)) return static_cast<Exit>(*wrong);
  if (std::cout.flush()) return exit;
  std::cerr << "tenon-gen: cannot write to standard output\n";
  return io_error;
}

}}  // namespace tenon::gen

int main(int argc, char** argv) {
  tenon::platform::hold_standard_streams();
  try {
    return tenon::gen::run(argc, argv);
  } catch (const tenon::tools::IoError& error) {
    std::cerr << "tenon-gen: " << error.what() << "\n";
    return tenon::gen::io_error;
  } catch (const std::exception& error) {
    std::cerr << "tenon-gen: " << tenon::escaped_for_display(error.what()) << "\n";
    return tenon::gen::io_error;
  }
}
