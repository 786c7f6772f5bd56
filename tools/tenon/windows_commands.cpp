// SPDX-License-Identifier: BSL-1.0
//
// Windows has no commands for running hosts, which accept no control clients there.
#include "arguments.hpp"

namespace tenon::command {

void add_commands(CommandTable& table) {
  add_listing_commands(table);
  add_module_commands(table);
  add_verify_command(table);
  add_call_command(table);
  add_build_commands(table);
  add_document_commands(table);
  add_project_commands(table);
  add_settings_commands(table);
}

}  // namespace tenon::command
