// SPDX-License-Identifier: BSL-1.0
//
// The process: trusted environment variables, standard directories and standard error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns an environment variable; empty if it is not set, or if the process runs with the
/// privileges of another user than the one that started it (set-user-ID).
std::string trusted_environment(const std::string& name);

/// The directory for temporary files, which may be missing.
struct TemporaryDirectory {
  std::filesystem::path path;
  bool named;  // by the environment, rather than the default of the system
};
/// Returns it. The environment names it in TMPDIR, TMP, TEMP or TEMPDIR. Unlike for
/// std::filesystem::temp_directory_path, an empty variable names none.
TemporaryDirectory temporary_directory();

/// Splits a list of directories, such as PATH, in its order. Empty entries are dropped.
std::vector<std::filesystem::path> split_path_list(const std::string& list);

/// Returns the directories for modules of an app: of the user, of this machine, of the system.
std::vector<std::filesystem::path> module_directories(const std::string& app);

/// Returns the directories for data of an app: of the user, then the shared ones. These are the
/// directories of $XDG_DATA_HOME and $XDG_DATA_DIRS, and ~/.local/share, /usr/local/share and
/// /usr/share where a variable is not set.
std::vector<std::filesystem::path> data_directories(const std::string& app);

/// The files with the settings of operators for an app.
struct SettingsFiles {
  /// $XDG_CONFIG_HOME/tenon/APP.json, otherwise ~/.config/tenon/APP.json. Empty if neither the
  /// variable nor $HOME is set, and in a process with the privileges of another user.
  std::filesystem::path user;
  /// The same in the directories of $XDG_CONFIG_DIRS, otherwise in /etc/xdg. The first counts most.
  std::vector<std::filesystem::path> system;
};
/// Returns them, whether they exist or not. There are none if the name of the app cannot be that of
/// a file.
SettingsFiles settings_files(const std::string& app);

/// Returns the directory in which the hosts of an app keep files of the user from one run to the
/// next: $XDG_STATE_HOME/tenon/APP, otherwise ~/.local/state/tenon/APP. Empty if neither the
/// variable nor $HOME is set, in a process with the privileges of another user, and if the name of
/// the app cannot be that of a directory.
std::filesystem::path state_directory(const std::string& app);

/// Writes the parts of a line to standard error at once. Takes no lock and allocates nothing, so
/// that signal handlers can call it. At most 10 parts.
void write_to_standard_error(std::initializer_list<std::string_view> parts) noexcept;

/// Returns whether this is the main thread. In a forked child that is the thread that forked.
bool on_main_thread() noexcept;

/// Returns the number by which the system knows the calling thread. In a forked child, the main
/// thread may get that of its parent.
std::int32_t thread_number() noexcept;
/// Returns the name of the calling thread.
std::string this_thread_name();
/// Returns the number of this process.
std::int64_t process_number() noexcept;

/// Returns the size of a memory page, a power of two.
std::size_t page_size();

/// The file name extension of modules.
#if defined(_WIN32)
inline constexpr const char* module_suffix = ".dll";
#else
inline constexpr const char* module_suffix = ".so";
#endif

}}}  // namespace tenon::v0_1::platform
