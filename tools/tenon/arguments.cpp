// SPDX-License-Identifier: BSL-1.0
#include "arguments.hpp"

#include <tenon/sdk/config.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "app.hpp"
#include "platform/utf8_path.hpp"
#include "text.hpp"

namespace tenon::command {
namespace {

/// Returns a function that sets a path to a text in UTF-8.
std::function<void(const std::string&)> path_setter(std::filesystem::path& path) {
  return [&path](const std::string& text) { path = platform::path_from(text); };
}

}  // namespace

void CommandTable::add(CLI::App& command, std::function<Exit()> run) {
  add_choice(command, "--color", color_, {"auto", "always", "never"},
             "Whether output has colours; auto: on a terminal, unless NO_COLOR is set")
      ->default_str("auto");
  commands_.push_back({&command, std::move(run)});
}

void CommandTable::add_for_app(CLI::App& command, std::function<Exit()> run) {
  add(command, [this, run = std::move(run)] { return run_for_app(options_, run); });
}

Exit CommandTable::run() const {
  const auto given = std::ranges::find_if(
      commands_, [](const Command& command) { return command.parser->parsed(); });
  if (color_ == "always" || color_ == "never") Paint::set_colours(color_ == "always");
  return given->run();
}

Exit run_for_app(Options& options, const std::function<Exit()>& run) {
  if (const Exit loaded = load_app(options); loaded != success) return loaded;
  use_app(options);
  return run();
}

void add_app(CLI::App& command, Options& options) {
  CLI::Option* app =
      command
          .add_option("-a,--app", options.app,
                      "Host program whose directories, environment and description are used")
          ->capture_default_str();
  command
      .add_option_function(
          "--description", path_setter(options.description),
          "Directory of the description of the host program, which contains app.json; "
          "default: where it is installed")
      ->type_name("DIR")
      ->excludes(app);
  command
      .add_option_function(
          "--specs", path_setter(options.specs),
          "Directory of specs of kinds and document types, used instead of those of the app")
      ->type_name("DIR");
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "Prints JSON instead of text (schema 1)");
}

void add_common(CLI::App& command, Options& options) {
  add_app(command, options);
  command
      .add_option_function<std::vector<std::string>>(
          "--plugin-path",
          [&options](const std::vector<std::string>& texts) {
            options.plugin_path.clear();
            for (const std::string& text : texts) {
              options.plugin_path.push_back(platform::path_from(text));
            }
          },
          "Directory to search before all others")
      ->type_name("DIR")
      ->allow_extra_args(false);
  add_json(command, options.json);
}

void add_lock(CLI::App& command, Options& options) {
  command
      .add_option_function("--lock", path_setter(options.lock_file), "Lock file that the host uses")
      ->type_name("FILE");
}

void add_time(CLI::App& command, const std::string& name, std::chrono::milliseconds& time,
              std::chrono::milliseconds initial, const std::string& description) {
  time = initial;
  const auto set = [&time, name](const std::string& text) {
    const auto given = tenon::sdk::Parameter<tenon::Duration>::parse(text);
    if (!given || *given < std::chrono::milliseconds(1) || *given > std::chrono::hours(24)) {
      throw CLI::ValidationError(name, "found \"" + text + "\", needed a time from 1ms to 24h");
    }
    time = std::chrono::duration_cast<std::chrono::milliseconds>(*given);
  };
  CLI::Option* option =
      command.add_option_function<std::string>(name, set, description)->type_name("TIME");
  if (initial.count() != 0) option->default_str(std::to_string(initial.count() / 1000) + "s");
}

void add_timeout(CLI::App& command, std::chrono::milliseconds& timeout,
                 std::chrono::milliseconds initial, const std::string& description) {
  add_time(command, "--timeout", timeout, initial, description);
}

std::function<std::string(const std::string&)> in_range(std::uint64_t least, std::uint64_t most) {
  return [least, most](const std::string& text) {
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, status] = std::from_chars(text.data(), end, number);
    const bool good = status == std::errc() && stop == end && number >= least && number <= most;
    return good ? ""
                : "found \"" + text + "\", needed a number from " + std::to_string(least) + " to " +
                      std::to_string(most);
  };
}

void add_examples(CLI::App& command, const std::vector<std::string>& lines) {
  std::string text = command.get_footer();
  if (text == command.get_parent()->get_footer()) text.clear();  // the exit status
  text += text.empty() ? "Examples:" : "\n\nExamples:";
  // In a manual page, lines that begin with a space are not joined.
  for (const std::string& line : lines) text += "\n  " + line;
  command.footer(text);
}

}  // namespace tenon::command
