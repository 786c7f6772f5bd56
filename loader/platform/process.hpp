// SPDX-License-Identifier: BSL-1.0
//
// What the process is: its environment as far as it may be trusted, and its usual folders.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tenon::platform {

/// A variable of the environment; empty where it is not set. A process that runs with the
/// privileges of another user than started it gets nothing.
std::string trusted_environment(const std::string& name);

/// The folders that a list in one variable names, in their order.
std::vector<std::filesystem::path> split_path_list(const std::string& list);

/// Where the modules of an app are installed: of the user, of this machine, of the system.
std::vector<std::filesystem::path> module_folders(const std::string& app);

/// Where the data of an app is installed: of the user, of this machine, of the system.
std::vector<std::filesystem::path> data_folders(const std::string& app);

/// Whether this thread is the one that the process began on. In a forked child: that forked it.
bool on_main_thread() noexcept;

/// The size of the pieces in which memory is mapped and protected: a power of two.
std::size_t page_size();

/// How the names of module files end, eg: ".so".
inline constexpr const char* module_suffix = ".so";

}  // namespace tenon::platform
