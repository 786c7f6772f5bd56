// SPDX-License-Identifier: BSL-1.0
//
// What the commands need of the system as programs: their arguments, standard streams, end and
// file, names of threads, the local time and that of UTC, and directories in which they may create
// files.
#pragma once

#include <cstddef>
#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace platform {

class OutputFile;

/// Returns the arguments of the program in UTF-8, with its name first. `count` and `arguments` are
/// those of `main`; on Windows they are in the code page of the system, and are not used.
std::vector<std::string> program_arguments(int count, const char* const* arguments);

/// Opens each standard stream that is closed. Using it still fails, but no file that the program
/// opens gets its number, so that no message is written into that file. On Windows, bytes are then
/// written as they are, and a console shows them as UTF-8. REQUIRED: no file is open.
void hold_standard_streams() noexcept;

/// Reserves standard output for the caller: what others write to it goes to standard error from now
/// on. Returns the previous standard output. If that fails, writing to it fails.
OutputFile reserve_standard_output();

/// Returns whether a standard stream, 0 to 2, is a terminal.
bool is_terminal(int stream) noexcept;

/// Returns the width of the terminal of a standard stream; 0 if it is none.
std::size_t terminal_columns(int stream) noexcept;

/// Ends the process at once: no handlers of exit run, and no destructors of static objects, neither
/// those of the program nor those of modules.
[[noreturn]] void end_process(int status) noexcept;

/// Names the calling thread for debuggers. Linux takes the first 15 bytes.
void name_thread(const std::string& name) noexcept;

/// Returns a time as the clocks of this place show it.
std::tm local_time(std::time_t time) noexcept;
/// Returns a time as clocks of UTC show it.
std::tm utc_time(std::time_t time) noexcept;

/// Returns whether this user may create files in a directory.
bool may_create_files(const std::filesystem::path& directory) noexcept;

/// Returns the path of the executable; empty if the system does not tell it.
std::filesystem::path program_file();

/// Returns the directory for temporary files that TMPDIR names, or that of the system.
std::filesystem::path directory_for_temporary_files(std::error_code& failed);

/// Creates a directory for this user alone. Its name is `prefix` and six more characters, and did
/// not exist. Returns an empty path on failure.
std::filesystem::path create_new_directory(const std::filesystem::path& prefix,
                                           std::error_code& failed);

}}}  // namespace tenon::v0_1::platform
