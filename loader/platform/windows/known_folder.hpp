// SPDX-License-Identifier: BSL-1.0
//
// The folders of Windows for the files of programs.
#pragma once

#include <cstdint>
#include <filesystem>

namespace tenon { inline namespace v0_1 { namespace platform {

enum class Folder : std::uint8_t {
  local_data,    // of the user, on this machine
  roaming_data,  // of the user, on all machines
  program_data,  // of all users
  programs,      // where programs are installed
};

/// Returns the path of a folder; empty if the system has none.
std::filesystem::path known_folder(Folder folder);

}}}  // namespace tenon::v0_1::platform
