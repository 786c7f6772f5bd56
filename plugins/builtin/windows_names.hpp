// SPDX-License-Identifier: BSL-1.0
//
// Names of files on Windows, which allows fewer than other systems, and finds a file under several.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::builtin {

/// Returns why a name in UTF-8 cannot be the name of a file, for example "has the character ':'",
/// or an empty text if it can. Windows would name another file, or a device such as `NUL`.
std::string windows_name_problem(std::string_view name);

/// Returns a path for the functions of Windows from one in UTF-8. If that is absolute, it may have
/// more than the 259 characters that they allow otherwise.
std::filesystem::path windows_path(const std::string& path);

/// An entry of a directory.
struct WindowsEntry {
  std::string name;  // in UTF-8
  bool is_directory;
  bool is_link;  // also to a directory
};

/// Returns the entry that Windows finds under a path, or nothing if there is none. Its name may
/// differ from the one in the path: in its case, or because that is its short name. REQUIRED:
/// windows_name_problem of the last part of the path is empty.
std::optional<WindowsEntry> find_entry(const std::filesystem::path& path);

/// Throws sdk::Failure if an entry of a directory has another name that Windows takes for this one,
/// so that one of two files would replace the other.
void check_same_name(const std::string& directory, const std::string& name);

/// Sets errno to the reason for which the last function of Windows has failed on this thread.
void set_errno() noexcept;

}  // namespace tenon::builtin
