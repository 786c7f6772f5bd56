// SPDX-License-Identifier: BSL-1.0
#include "app.hpp"

#include <tenon/builtins.hpp>
#include <tenon/detail/left_out.hpp>
#include <tenon/detail/other_program.hpp>
#include <tenon/document.hpp>
#include <tenon/inspect.hpp>
#include <tenon/trust.hpp>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "app_kinds.hpp"
#include "app_types.hpp"
#include "base/plain_text.hpp"
#include "common/diagnostics.hpp"
#include "common/json_reader.hpp"
#include "common/object_reader.hpp"
#include "gen/load.hpp"
#include "gen/read/spec_files.hpp"
#include "platform/program.hpp"
#include "platform/utf8_path.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

using tools::Diagnostics;
using tools::JsonValue;

struct Description {
  std::string app;
  fs::path program;
  fs::path converter;
  std::vector<gen::StandardKind> standard;
};

/// Returns the directory of the description of the app, or an empty path if there is none.
fs::path description_directory(const Options& options) {
  if (!options.description.empty()) return options.description;
  if (options.app == own_app) return {};
  for (const fs::path& data : detail::data_directories(options.app)) {
    std::error_code ignored;
    if (fs::is_regular_file(data / "tenon" / "app.json", ignored)) return data / "tenon";
  }
  return {};
}

/// Returns whether there is anything of the app here: directories, or $<APP>_PLUGIN_PATH. Names and
/// files that a user gave instead count as well.
bool is_known(const Options& options) {
  if (options.app == own_app || !options.plugin_path.empty() || !options.specs.empty()) return true;
  return std::ranges::any_of(
      detail::searched_paths(options.app, {}),
      [](const detail::SearchedPath& path) { return path.named || path.exists; });
}

/// Returns the names of the apps that have a description, a directory of modules or a
/// $<APP>_PLUGIN_PATH.
std::vector<std::string> known_apps() {
  std::vector<std::string> apps{own_app};
  const auto add = [&apps](const fs::path& parent, const fs::path& below) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(parent, ignored)) {
      if (fs::exists(entry.path() / below, ignored))
        apps.push_back(entry.path().filename().string());
    }
  };
  for (const fs::path& data : detail::data_directories(own_app)) {
    add(data.parent_path(), fs::path("tenon") / "app.json");
  }
  for (const detail::SearchedPath& path : detail::searched_paths(own_app, {})) {
    if (!path.named) add(path.path.parent_path().parent_path(), "plugins");
  }
  constexpr std::string_view variable = "_PLUGIN_PATH=";
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const std::size_t end = text.find(variable);
    if (end == std::string_view::npos || end >= text.find('=')) continue;
    std::string& app = apps.emplace_back(text.substr(0, end));
    std::ranges::transform(app, app.begin(), [](unsigned char c) {
      return c == '_' ? '-' : static_cast<char>(std::tolower(c));
    });
  }
  return apps;
}

Error unknown_app(const std::string& app) {
  return Error({.code = "unknown-app",
                .where = app,
                .found = "no description, directory of plugins or $<APP>_PLUGIN_PATH of this app",
                .needed = "an app that has one of them",
                .fix = tools::did_you_mean(
                    app, known_apps(),
                    "correct the name, or name the directory of plugins with --plugin-path")});
}

std::optional<JsonValue> read_json(const fs::path& path, Diagnostics& problems) {
  return tools::read_json(gen::read_regular_file(path), path.string(), problems);
}

Description read_description(const fs::path& directory, Diagnostics& problems) {
  Description description;
  const auto json = read_json(directory / "app.json", problems);
  if (!json) return description;
  const tools::ObjectReader object(*json, "a description",
                                   {"app", "converter", "program", "standard"}, problems);
  description.app = object.text("app");
  const auto path = [&](const char* key) {
    const std::string text = object.optional_text(key);
    return text.empty() ? fs::path() : (directory / platform::path_from(text)).lexically_normal();
  };
  description.program = path("program");
  description.converter = path("converter");
  if (const JsonValue::Array* standard = object.optional_array("standard")) {
    for (const JsonValue& one : *standard) {
      const std::string text = tools::read_text(one, "a standard kind", problems);
      if (!text.empty()) description.standard.push_back(gen::parse_standard(text));
    }
  }
  return description;
}

/// Returns the builtins of a description as modules that only have a manifest.
std::vector<const tenon_module*> read_builtins(const fs::path& directory, ConstantPool& pool,
                                               Diagnostics& problems) {
  std::vector<const tenon_module*> modules;
  const fs::path file = directory / "builtins.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return modules;
  const auto json = read_json(file, problems);
  if (!json) return modules;
  if (json->array() == nullptr) {
    tools::add_wrong_type(*json, "the builtins", "a list of manifests", problems);
    return modules;
  }
  for (const JsonValue& manifest : *json->array()) {
    const std::string_view text = pool.text(tools::to_json(manifest));
    tenon_module module{};
    module.manifest = text.data();
    module.manifest_size = text.size();
    modules.push_back(&pool.add(module));
  }
  return modules;
}

/// Returns a standard kind up to the version that an app was built with. Throws gen::UsageError.
const Kind& standard_kind(const gen::StandardKind& wanted, ConstantPool& pool) {
  const Kind* kind = find_kind("tenon.dev/" + wanted.name);
  const auto count = static_cast<std::size_t>(wanted.version);
  if (kind == nullptr || count == 0 || count > kind->versions.size()) {
    throw gen::UsageError("the app uses tenon.dev/" + wanted.name + " version " +
                          std::to_string(wanted.version) +
                          ", which this command does not have: install a newer tenon");
  }
  Kind cut = *kind;
  cut.versions = cut.versions.first(count);
  return pool.add(cut);
}

/// Returns the type with which this command was built, including hand-written steps, reduced to the
/// versions that the app knows. Returns nullptr if the command was not built with all of them.
const DocumentType* own_type(const gen::Document& document, ConstantPool& pool) {
  const DocumentType* own = find_document_type(document.id);
  if (own == nullptr) return nullptr;
  std::vector<DocumentVersion> versions;
  for (const auto& version : document.versions) {
    const DocumentVersion* found = own->find(version->label);
    if (found == nullptr) return nullptr;
    versions.push_back(*found);
  }
  const auto knows = [&document](std::string_view label) {
    return std::any_of(document.versions.begin(), document.versions.end(),
                       [label](const auto& version) { return version->label == label; });
  };
  std::vector<DocumentStep> steps;
  for (const DocumentStep& step : own->steps) {
    if (knows(step.from) && knows(step.to)) steps.push_back(step);
  }
  DocumentType cut = *own;
  cut.hub = document.hub().label;
  cut.versions = pool.list(std::move(versions));
  cut.steps = pool.list(std::move(steps));
  return &pool.add(cut);
}

/// Returns the types of the app, and those that the library adds to every program.
std::vector<const DocumentType*> types_of(const gen::Model& model, ConstantPool& pool) {
  std::vector<const DocumentType*> types;
  for (const auto& document : model.documents) {
    const DocumentType* own = own_type(*document, pool);
    types.push_back(own != nullptr ? own : &described_type(*document, pool));
  }
  for (const char* id : {"tenon.dev/lock", "tenon.dev/manifest"}) {
    const bool described = std::any_of(types.begin(), types.end(),
                                       [id](const DocumentType* type) { return type->id == id; });
    if (!described) types.push_back(find_document_type(id));
  }
  return types;
}

/// Sets the kinds and document types of the app: of the specs, unless the path is empty, and the
/// standard kinds of the description. Adds the properties of the specs.
void add_specs(const fs::path& specs, const Description& description, Options& options,
               ConstantPool& pool, Diagnostics& problems) {
  gen::Model read;
  if (!specs.empty()) {
    read = gen::load_specs(
        {.directories = {specs.string()}, .standard_specs = standard_specs(), .frozen = false},
        problems);
  }
  if (!problems.empty()) return;
  const gen::Model& model = pool.add(std::move(read));
  for (const auto& kind : model.kinds) {
    options.kinds.push_back(&described_kind(*kind, pool));
    for (const auto& version : kind->versions) {
      for (const gen::Property& property : version->properties) {
        options.properties[kind->id].push_back(property.name);
      }
    }
  }
  for (const gen::StandardKind& wanted : description.standard) {
    options.kinds.push_back(&standard_kind(wanted, pool));
  }
  options.types = types_of(model, pool);
}

/// Returns the directory of the specs of a description, or an empty path if it has none.
fs::path specs_of(const fs::path& directory) {
  std::error_code ignored;
  fs::path specs = directory / "specs";
  return fs::exists(specs, ignored) && !fs::is_empty(specs, ignored) ? specs : fs::path();
}

/// Adds a problem if other users may change a file that this command follows, or prints a warning.
void check_trust(const fs::path& file, Diagnostics& problems) {
  const auto exposed = check_owner(file);
  if (!exposed) return;
  if (exposed->severity() != Severity::error) {
    std::cerr << "tenon: " << exposed->to_string() << "\n";
    return;
  }
  problems.add({.location = {.file = file.string()},
                .code = std::string(exposed->code()),
                .found = std::string(exposed->found()),
                .needed = std::string(exposed->needed()),
                .fix = std::string(exposed->fix())});
}

void load(Options& options, ConstantPool& pool, Diagnostics& problems) {
  for (const char* role : {"source", "processor", "destination"}) {
    options.properties["tenon.dev/" + std::string(role)] = {role + std::string("_parameters")};
  }
  const fs::path directory = description_directory(options);
  Description description;
  if (directory.empty() && options.app == own_app) options.builtins = {builtins()};
  if (!directory.empty()) {
    check_trust(directory / "app.json", problems);
    if (!problems.empty()) return;
    description = read_description(directory, problems);
    if (!options.description.empty()) options.app = description.app;
    options.builtins = read_builtins(directory, pool, problems);
    // An SDK for plugin authors contains neither program nor converter.
    std::error_code ignored;
    if (fs::exists(description.program, ignored)) options.program = description.program;
    // The converter has the steps of the app's own specs only.
    if (options.specs.empty() && fs::exists(description.converter, ignored)) {
      check_trust(description.converter, problems);
      options.converter = description.converter;
    }
  }
  if ((options.specs.empty() && directory.empty()) || !problems.empty()) return;
  options.knows_kinds = true;
  options.kind_specs = options.specs.empty() ? specs_of(directory) : options.specs;
  add_specs(options.kind_specs, description, options, pool, problems);
}

gen::Model specs_of(const Options& options, Diagnostics& problems) {
  const fs::path directory = description_directory(options);
  gen::LoadOptions load{.directories = {}, .standard_specs = standard_specs(), .frozen = false};
  fs::path specs = options.specs;
  if (!directory.empty()) {
    check_trust(directory / "app.json", problems);
    if (!problems.empty()) return {};
    load.standard = read_description(directory, problems).standard;
    if (specs.empty()) specs = specs_of(directory);
  } else if (specs.empty()) {
    specs = load.standard_specs;
  }
  if (!specs.empty()) load.directories.push_back(specs.string());
  if (!problems.empty()) return {};
  return gen::load_specs(load, problems);
}

/// Calls a function that adds problems to a list or throws, and prints them.
template <class Work>
Exit with_problems_printed(Work work) {
  Diagnostics problems;
  try {
    work(problems);
  } catch (const gen::UsageError& error) {
    std::cerr << "tenon: " << escaped_for_display(error.what()) << "\n";
    return problems_found;
  } catch (const gen::IoError& error) {
    std::cerr << "tenon: " << error.what() << "\n";
    return io_error;
  }
  for (const tools::Diagnostic& one : problems.all()) std::cerr << tools::to_text(one) << "\n";
  return problems.empty() ? success : problems_found;
}

/// Prints an error if there is nothing of the app here.
Exit check_app(const Options& options) {
  if (is_known(options) || !description_directory(options).empty()) return success;
  std::cerr << "tenon: " << unknown_app(options.app).to_string() << "\n";
  return problems_found;
}

}  // namespace

std::string standard_specs() {
  const fs::path program = platform::program_file();
  return (program.parent_path() / ".." / "share" / "tenon" / "abi").lexically_normal().string();
}

Exit load_app(Options& options) {
  static ConstantPool pool;
  if (const Exit known = check_app(options); known != success) return known;
  return with_problems_printed(
      [&options](Diagnostics& problems) { load(options, pool, problems); });
}

void use_app(const Options& options) {
  if (!options.knows_kinds) return;
  detail::use_document_types(options.types);
  detail::use_kinds(options.kinds);
}

Exit read_specs(const Options& options, gen::Model& model) {
  if (const Exit known = check_app(options); known != success) return known;
  return with_problems_printed(
      [&options, &model](Diagnostics& problems) { model = specs_of(options, problems); });
}

HostOptions host_options(const Options& options) {
  const auto left_out = detail::left_out_modules(options.app);
  return {
      .app = options.app,
      .plugin_path = options.plugin_path,
      .builtins = options.builtins,
      .lock_file = options.lock_file,
      .remember_crashes = left_out && (!left_out->modules.empty() || !left_out->warnings.empty()),
      .log_level = LogLevel::error};  // the commands show the problems of the host
}

std::string command_line(const Options& options, const std::string& words) {
  std::string line = "tenon " + words;
  const auto add = [&line](std::string_view option, const std::string& value) {
    line.append(" ").append(option).append(" ").append(shell_word(value));
  };
  if (!options.description.empty()) {
    add("--description", options.description.string());
  } else if (options.app != own_app) {
    add("-a", options.app);
  }
  if (!options.specs.empty()) add("--specs", options.specs.string());
  for (const fs::path& entry : options.plugin_path) add("--plugin-path", entry.string());
  return line;
}

}  // namespace tenon::command
