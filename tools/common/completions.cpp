// SPDX-License-Identifier: BSL-1.0
#include "common/completions.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/option_names.hpp"

namespace tenon::tools {
namespace {

struct Word {
  std::string text;
  std::string description;
};

/// A command, or the program before a command is named.
struct Place {
  std::string path;  // the commands so far, each after a space
  std::vector<Word> words;
  std::vector<std::string> values = {};  // that are completed, by their names
};

/// Returns the names of the values that an option or argument takes and that are completed.
std::vector<std::string> completed(const CLI::Option& option, const CompletedValues& values) {
  std::string name = option.get_positional() ? option.get_name(true) : value_of(option);
  std::vector<std::string> names;
  for (std::size_t end = 0; !name.empty(); name.erase(0, end == name.npos ? end : end + 1)) {
    end = name.find('|');
    std::string one = name.substr(0, end);
    one.erase(std::min(one.find('['), one.size()));
    if (values.contains(one)) names.push_back(std::move(one));
  }
  return names;
}

void add_places(std::vector<Place>& places, const CLI::App& command, const std::string& path,
                const CompletedValues& values) {
  Place place{.path = path, .words = {}};
  for (const CLI::App* inner : command.get_subcommands({})) {
    place.words.push_back({inner->get_name(), inner->get_description()});
  }
  for (const CLI::Option* option : options_of(command)) {
    for (std::string& name : completed(*option, values)) place.values.push_back(std::move(name));
    if (option->get_positional()) continue;
    for (std::string& name : names_of(*option)) {
      place.words.push_back({std::move(name), option->get_description()});
    }
  }
  places.push_back(std::move(place));
  for (const CLI::App* inner : command.get_subcommands({})) {
    add_places(places, *inner, path + " " + inner->get_name(), values);
  }
}

/// Returns the program and all of its commands, the program first.
std::vector<Place> places_of(const CLI::App& program, const CompletedValues& values) {
  std::vector<Place> places;
  add_places(places, program, "", values);
  return places;
}

/// Returns the paths of all commands as patterns of `case`.
std::string patterns(const std::vector<Place>& places) {
  std::string text;
  for (const Place& place : places) {
    if (!place.path.empty()) text += (text.empty() ? "'" : " | '") + place.path + "'";
  }
  return text.empty() ? "''" : text;
}

std::string function_of(const std::string& program) {
  std::string function = "_" + program;
  std::ranges::replace(function, '-', '_');
  return function;
}

/// Returns the first line of a text in quotes for a shell. `escaped` are escaped by a backslash.
std::string in_quotes(std::string_view text, std::string_view escaped = {}) {
  std::string quoted = "'";
  for (const char letter : text.substr(0, text.find('\n'))) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      if (escaped.find(letter) != std::string_view::npos) quoted += '\\';
      quoted += letter;
    }
  }
  return quoted + "'";
}

/// Returns the words that begin the scripts of bash and zsh, in which arrays begin at another
/// index.
std::string find_place(const std::vector<Place>& places, std::string_view first,
                       std::string_view end, std::string_view word) {
  std::string script = "  for ((i = ";
  script.append(first).append("; i < ").append(end).append("; i += 1)); do\n    case \"$at ");
  script.append(word).append("\" in\n    ").append(patterns(places)).append(") at+=\" ");
  return script.append(word).append("\" ;;\n    esac\n  done\n  case $at in\n");
}

}  // namespace

std::string bash_completions(const CLI::App& program, const CompletedValues& values) {
  const std::string& name = program.get_name();
  const std::vector<Place> places = places_of(program, values);
  std::string script = "# Completions of " + name + " for bash.\n" + function_of(name) +
                       "() {\n  local at= words= i\n" +
                       find_place(places, "1", "COMP_CWORD", "${COMP_WORDS[i]}");
  for (const Place& place : places) {
    std::string words;
    for (const Word& word : place.words) words += (words.empty() ? "" : " ") + word.text;
    script += "    '" + place.path + "') words='" + words + "'";
    for (const std::string& value : place.values) {
      script += "\n      words+=\" $(" + name + " --generate " + value + " 2>/dev/null)\"";
    }
    script += " ;;\n";
  }
  return script +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n"
         "}\n"
         "complete -o default -F " +
         function_of(name) + " " + name + "\n";
}

std::string zsh_completions(const CLI::App& program, const CompletedValues& values) {
  const std::string& name = program.get_name();
  const std::vector<Place> places = places_of(program, values);
  std::string script = "#compdef " + name + "\n# Completions of " + name + " for zsh.\n" +
                       function_of(name) + "() {\n  local at= i\n  local -a found\n" +
                       find_place(places, "2", "CURRENT", "${words[i]}");
  for (const Place& place : places) {
    script += "    '" + place.path + "')\n      found=(";
    for (const Word& word : place.words) {
      script += "\n        " + in_quotes(word.text + ":" + word.description);
    }
    script += ")\n";
    for (const std::string& value : place.values) {
      script += "      compadd -- ${(f)\"$(" + name + " --generate " + value + " 2>/dev/null)\"}\n";
    }
    const bool has_commands = std::ranges::any_of(
        place.words, [](const Word& word) { return !word.text.starts_with('-'); });
    if (!has_commands) script += "      _files\n";
    script += "      ;;\n";
  }
  return script +
         "  esac\n"
         "  _describe 'command or option' found\n"
         "}\n" +
         function_of(name) + " \"$@\"\n";
}

std::string fish_completions(const CLI::App& program, const CompletedValues& values) {
  const std::string& name = program.get_name();
  const std::vector<Place> places = places_of(program, values);
  const std::string function = "_" + function_of(name) + "_at";
  std::string script = "# Completions of " + name + " for fish.\nfunction " + function +
                       "\n  set -l at ''\n  for word in (commandline -opc)[2..]\n"
                       "    switch \"$at $word\"\n      case";
  for (const Place& place : places) {
    if (!place.path.empty()) script += " '" + place.path + "'";
  }
  script += places.size() == 1 ? " ''" : "";
  script += "\n        set at \"$at $word\"\n    end\n  end\n  test \"$at\" = $argv[1]\nend\n";
  for (const Place& place : places) {
    const std::string line =
        "complete -c " + name + " -n \"" + function + " '" + place.path + "'\" ";
    for (const Word& word : place.words) {
      const std::string_view text = word.text;
      const std::string option = text.starts_with("--")  ? "-l " + word.text.substr(2)
                                 : text.starts_with('-') ? "-s " + word.text.substr(1)
                                                         : "-f -a " + word.text;
      script += line + option + " -d " + in_quotes(word.description, "\\") + "\n";
    }
    for (const std::string& value : place.values) {
      script += line + "-a '(" + name + " --generate " + value + " 2>/dev/null)'\n";
    }
  }
  return script;
}

}  // namespace tenon::tools
