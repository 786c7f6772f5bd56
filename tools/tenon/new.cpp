// SPDX-License-Identifier: BSL-1.0
//
// tenon new
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "app_sdk.hpp"
#include "base/plain_text.hpp"
#include "commands.hpp"
#include "common/text_file.hpp"
#include "gen/emit/emit_example.hpp"
#include "gen/emit/emit_meson.hpp"
#include "gen/emit/emit_rust.hpp"
#include "gen/model/naming.hpp"
#include "gen/read/name_checker.hpp"
#include "platform/program.hpp"
#include "templates.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

namespace fs = std::filesystem;

using ProjectFiles = std::map<fs::path, std::string>;

// -- Names --------------------------------------------------------------------

/// The words that name a target of CMake, Meson or Ninja, or a directory of their builds.
constexpr std::string_view reserved[] = {
    "all",         "benchmark",      "clean", "coverage",   "dist",
    "distcheck",   "edit_cache",     "help",  "include",    "install",
    "package",     "package_source", "phony", "preinstall", "rebuild_cache",
    "reconfigure", "scan-build",     "test",  "uninstall"};

std::string domain_of(std::string_view name) {
  return std::string(name.substr(0, name.find('/')));
}

std::string last_part(std::string_view name) {
  return std::string(name.substr(name.find('/') + 1));
}

std::string snake_case(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

/// Returns the problem of a name, as a predicate; empty if it is valid.
std::string problem_of(const NewArguments& arguments) {
  const std::string& name = arguments.name;
  const std::string last = last_part(name);
  if (std::ranges::find(reserved, last) != std::end(reserved) || last.starts_with("meson-")) {
    return "has the word '" + last + "', which build systems use themselves";
  }
  if (arguments.subject == "kind") return gen::id_problem(name);
  // The first label of the domain need not be a C++ namespace, so another label is before it.
  if (arguments.subject == "plugin") {
    if (last.size() == name.size()) return "has no '/'";
    return gen::id_problem("a." + domain_of(name) + "/" + snake_case(last));
  }
  return last.size() == name.size() ? gen::id_problem("a/" + snake_case(last)) : "has a '/'";
}

std::string_view needed_name(std::string_view subject) {
  if (subject == "kind") {
    return "a domain, '/', and a word of lower-case letters, digits and '_', eg: "
           "photo.example/filter";
  }
  if (subject == "plugin") {
    return "a domain, '/', and a word of lower-case letters, digits, '-' and '_', eg: "
           "me.example/numbers";
  }
  return "a word of lower-case letters, digits, '-' and '_', eg: photo";
}

/// Returns an option that is given but does not apply to the subject; empty if there is none.
std::string unused_option(const NewArguments& arguments) {
  if (!arguments.kind.empty() && arguments.subject != "plugin") return "--kind";
  if (!arguments.sdk.empty() && arguments.subject != "plugin") return "--sdk";
  if (!arguments.language.empty() && arguments.subject == "host") return "--language";
  return {};
}

// -- Templates ----------------------------------------------------------------

/// Names in the templates, and what replaces them. Of several that begin at the same place, the
/// longest is replaced.
using Replacements = std::vector<std::pair<std::string, std::string>>;

void add_kind_names(const std::string& name, Replacements& names) {
  const std::string last = last_part(name);
  const std::string domain = domain_of(name);
  const std::string space = snake_case(domain.substr(0, domain.find('.')));
  const std::string camel = gen::camel_case(last);
  names.insert(names.end(), {{"me.example/upper-case", domain + "/upper-case"},
                             {"me/sample", space + "/" + last},
                             {"me/sdk/sample", space + "/sdk/" + last},
                             {"me::Sample", space + "::" + camel},
                             {"me::sdk::Sample", space + "::sdk::" + camel},
                             {"sample_kinds::me::Sample",
                              last + "_kinds::" + gen::rust_identifier(space) + "::" + camel},
                             {"SampleV1", camel + "V1"},
                             {"me_sample", space + "_" + last},
                             {"ME_SAMPLE", gen::upper_case(space + "_" + last)}});
}

void add_sdk_names(const NewArguments& arguments, const SdkKind& of, Replacements& names) {
  const fs::path directory = fs::absolute(arguments.sdk).lexically_normal();
  names.insert(names.end(),
               {{"/opt/photo-sdk", shell_word((directory / "").parent_path().string())},
                {"photo.example/filter", of.kind->id},
                {"photo-sdk", of.package.name()},
                {"photo_kinds", of.package.target},
                {"photo_crate", of.package.rust_crate()},
                {"PHOTO", of.package.variable()},
                {"photo", of.package.app}});
}

Replacements replacements(const NewArguments& arguments, const SdkKind* sdk) {
  const std::string last = last_part(arguments.name);
  Replacements names = {{"me.example/sample", arguments.name},
                        {"SAMPLE_PLUGIN_PATH", gen::upper_case(snake_case(last)) + "_PLUGIN_PATH"},
                        {"sample", last}};
  if (arguments.subject == "kind") add_kind_names(arguments.name, names);
  if (sdk != nullptr) add_sdk_names(arguments, *sdk, names);
  std::ranges::sort(names, std::ranges::greater(),
                    [](const auto& one) { return one.first.size(); });
  return names;
}

std::string replaced(std::string_view text, const Replacements& names) {
  std::string result;
  while (!text.empty()) {
    const auto found =
        std::ranges::find_if(names, [&](const auto& one) { return text.starts_with(one.first); });
    result += found != names.end() ? std::string_view(found->second) : text.substr(0, 1);
    text.remove_prefix(found != names.end() ? found->first.size() : 1);
  }
  return result;
}

/// Returns whether a project has each word of a directory of templates.
bool has_words(const std::set<std::string_view>& project, std::string_view directory) {
  for (;;) {
    const std::size_t end = directory.find('-');
    if (!project.contains(directory.substr(0, end))) return false;
    if (end == directory.npos) return true;
    directory.remove_prefix(end + 1);
  }
}

/// Adds the source of a plugin for the SDK of an app, and its test.
void add_plugin(const NewArguments& arguments, const SdkKind& sdk, ProjectFiles& files) {
  const gen::ExamplePlugin plugin{*sdk.kind, arguments.name, "0.1.0"};
  const std::string file = last_part(arguments.name);
  if (arguments.language == "rust") {
    files.emplace(file + ".rs", gen::example_in_rust(plugin, sdk.package.rust_crate()));
    return;
  }
  const bool in_c = arguments.language == "c";
  files.emplace(file + (in_c ? ".c" : ".cpp"),
                in_c ? gen::example_in_c(plugin) : gen::example_in_cpp(plugin));
  files.emplace(file + "_test.cpp", gen::example_test(plugin));
}

/// Returns the files of the project by their paths in it. `sdk` is nullptr without --sdk.
ProjectFiles files_of(const NewArguments& arguments, const SdkKind* sdk) {
  const Replacements names = replacements(arguments, sdk);
  const std::string_view language = arguments.language;
  std::set<std::string_view> words = {"project", arguments.build,
                                      language.empty() ? "c++" : language};
  ProjectFiles files;
  if (sdk != nullptr) {
    words.insert("sdk");
    add_plugin(arguments, *sdk, files);
  } else {
    words.insert(arguments.subject);
    words.insert(arguments.kind.empty() ? "source" : std::string_view(arguments.kind));
    if (language != "rust") words.insert("test");  // the program is in C++
  }
  for (const Template& one : templates()) {
    const std::size_t slash = one.path.find('/');
    if (!has_words(words, one.path.substr(0, slash))) continue;
    files.emplace(replaced(one.path.substr(slash + 1), names), replaced(one.text, names));
  }
  if (arguments.subject == "kind" && arguments.build == "meson") {
    const std::string app = last_part(arguments.name);
    files.emplace("kinds/meson.build", gen::emit_meson({app, app + "_kinds"}));
  }
  return files;
}

// -- The project --------------------------------------------------------------

/// A new directory in the working directory, which is removed with all files in it.
class UnfinishedProject {
 public:
  UnfinishedProject() {
    std::error_code failed;
    path_ = platform::create_new_directory(".tenon-", failed);
    if (failed) throw fs::filesystem_error("", failed);
  }
  ~UnfinishedProject() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  UnfinishedProject(const UnfinishedProject&) = delete;
  UnfinishedProject& operator=(const UnfinishedProject&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Writes all files of a directory that does not exist, or none. Throws IoError and
/// fs::filesystem_error.
void write_all(const fs::path& directory, const ProjectFiles& files) {
  const UnfinishedProject temporary;
  const fs::path incomplete = temporary.path() / directory;
  for (const auto& [path, text] : files) {
    fs::create_directories((incomplete / path).parent_path());
    tools::write_file(incomplete / path, text);
  }
  fs::rename(incomplete, directory);
}

/// Returns the directory of tenon's files for pkg-config if pkg-config does not search it;
/// otherwise an empty path.
fs::path unsearched_packages() {
  std::error_code ignored;
  const fs::path program = platform::program_file();
  const fs::path prefix = program.parent_path().parent_path();
  fs::path packages = prefix / TENON_LIBDIR / "pkgconfig";
  const char* const given = std::getenv("PKG_CONFIG_PATH");
  if (given != nullptr && std::string_view(given).find(packages.string()) != std::string::npos) {
    return {};
  }
  const bool is_system = prefix == "/usr" || prefix == "/usr/local";
  return !is_system && fs::exists(packages, ignored) ? packages : fs::path();
}

/// Prints the commands of the README: how to build, test and run the project.
void print_next(const NewArguments& arguments, const std::string& directory,
                std::string_view readme) {
  constexpr std::string_view fence = "```";
  std::string_view commands = readme.substr(readme.find("```sh\n") + fence.size() + 3);
  commands = commands.substr(0, commands.find(fence));
  std::cout << "Next:\n  cd " << directory << "\n";
  const fs::path packages = arguments.build == "meson" ? unsearched_packages() : fs::path();
  if (!packages.empty()) {
    std::cout << "  export PKG_CONFIG_PATH=" << shell_word(packages.string())
              << ":$PKG_CONFIG_PATH\n";
  }
  while (!commands.empty()) {
    const std::size_t end = commands.find('\n');
    std::cout << "  " << commands.substr(0, end) << "\n";
    commands.remove_prefix(end + 1);
  }
}

Exit fail(const tools::Diagnostic& problem) {
  std::cerr << "tenon: " << tools::to_text(problem) << "\n";
  return io_error;
}

/// Prints what is wrong with the arguments.
Exit check(const NewArguments& arguments) {
  if (const std::string problem = problem_of(arguments); !problem.empty()) {
    std::cerr << "tenon new: " << escaped_for_display(arguments.name) << " cannot name a "
              << arguments.subject << ": it " << problem << "\n   needed  "
              << needed_name(arguments.subject) << "\n";
    return usage_error;
  }
  if (const std::string option = unused_option(arguments); !option.empty()) {
    std::cerr << "tenon new: " << option << " does not apply to a " << arguments.subject
              << "\nSee tenon new --help.\n";
    return usage_error;
  }
  const std::string& kind = arguments.kind;
  if (arguments.sdk.empty() && !kind.empty() && kind != "source" && kind != "processor") {
    std::cerr << "tenon new: --kind: found \"" << escaped_for_display(kind)
              << "\", needed source|processor, or a kind of an app with --sdk\n"
                 "See tenon new --help.\n";
    return usage_error;
  }
  return success;
}

}  // namespace

Exit make_project(const NewArguments& arguments) try {
  if (const Exit checked = check(arguments); checked != success) return checked;
  const std::string directory = last_part(arguments.name);
  std::error_code failed;
  if (fs::exists(fs::symlink_status(directory, failed))) {
    std::cerr << "tenon new: " << directory << " already exists\n"
              << "   fix     choose another name, or run the command in another directory\n";
    return problems_found;
  }
  SdkKind sdk;
  if (!arguments.sdk.empty()) {
    const Exit found = find_sdk_kind(arguments.sdk, arguments.kind, sdk);
    if (found != success) return found;
  }
  const ProjectFiles files = files_of(arguments, sdk.kind != nullptr ? &sdk : nullptr);
  try {
    write_all(directory, files);
  } catch (const fs::filesystem_error& error) {
    return fail(tools::cannot_write(directory, "creating the directory", error.code().value()));
  }
  std::cout << directory << ": " << counted(files.size(), "file") << "\n";
  print_next(arguments, directory, files.at("README.md"));
  return success;
} catch (const tools::IoError& error) {
  return fail(error.diagnostic);
}

}  // namespace tenon::command
