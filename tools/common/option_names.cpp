// SPDX-License-Identifier: BSL-1.0
#include "common/option_names.hpp"

namespace tenon::tools {

std::vector<std::string> names_of(const CLI::Option& option) {
  if (option.get_positional()) return {option.get_name(true)};
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string value_of(const CLI::Option& option) {
  if (option.get_positional() || option.get_expected_max() == 0) return {};
  return option.get_option_text().empty() ? option.get_type_name() : option.get_option_text();
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  auto options = command.get_options();
  std::erase_if(options, [](const CLI::Option* option) { return option->get_group().empty(); });
  return options;
}

}  // namespace tenon::tools
