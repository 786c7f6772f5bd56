// SPDX-License-Identifier: BSL-1.0
//
// What this process holds, and its settings.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace tenon::sdk::conformance {

/// Returns the numbers of the threads. On Windows, without those of the system.
std::set<std::string> own_threads();
/// Returns a description for a message, as the functions below do.
std::string name_of_thread(const std::string& number);

/// Returns the numbers of the open descriptors; on Windows the handles of files, pipes and sockets.
std::set<std::string> own_descriptors();
std::string name_of_descriptor(const std::string& number);

/// Returns the files that are mapped without code. Those of the system are left out: the C library
/// maps locales and tables of character sets when they are used.
std::set<std::string> own_mappings();
std::string name_of_mapping(const std::string& file);

struct ProcessSetting {
  std::string name;
  std::string value;  // in a form that can be compared
};

/// Returns the handlers of signals, the locale, the environment, the working directory and the mask
/// for new files; on Linux also the signal mask; on Windows the filter for unhandled exceptions,
/// the modes for errors and the directory of DLLs.
std::vector<ProcessSetting> process_settings();

}  // namespace tenon::sdk::conformance
