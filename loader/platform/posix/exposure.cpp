// SPDX-License-Identifier: BSL-1.0
#include "platform/exposure.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/auxv.h>
#include <sys/xattr.h>
#endif

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/own_library.hpp"
#include "platform/file_status.hpp"
#include "platform/posix/descriptor.hpp"
#include "platform/posix/file_access.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

#ifdef O_PATH
constexpr int directory_flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#else
constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
#endif

/// A line of /etc/passwd or /etc/group.
using Columns = std::vector<std::string>;

/// Reads the local database of users or groups. Others, of a network, may let foreign code run in
/// this process.
std::vector<Columns> read_database(const char* file) {
  std::vector<Columns> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    Columns columns;
    for (std::size_t begin = 0; begin <= line.size();) {
      const std::size_t end = std::min(line.find(':', begin), line.size());
      columns.push_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    if (columns.size() >= 4) lines.push_back(std::move(columns));
  }
  return lines;
}

/// Returns the first line with a number in its third column.
const Columns* find_number(const std::vector<Columns>& lines, std::uint32_t number) {
  const std::string text = std::to_string(number);
  const auto found =
      std::ranges::find_if(lines, [&](const Columns& columns) { return columns[2] == text; });
  return found != lines.end() ? &*found : nullptr;
}

std::string group_name(std::uint32_t group) {
  const auto groups = read_database("/etc/group");
  const Columns* line = find_number(groups, group);
  return line != nullptr ? line->front() : std::to_string(group);
}

/// Returns whether this process is in a user namespace of its own, where owners outside of it
/// cannot be told apart.
bool in_user_namespace() {
  static const bool inside = [] {
    std::ifstream stream("/proc/self/uid_map");
    std::uint64_t first = 0, outside = 0, count = 0;
    if (!(stream >> first >> outside >> count)) return false;
    return first != 0 || outside != 0 || count != 0xffffffff;
  }();
  return inside;
}

/// Returns the number that stands for users who have none in this namespace.
std::uint32_t unmapped_user() {
  static const std::uint32_t number = [] {
    std::uint32_t read = 65534;
    std::ifstream("/proc/sys/kernel/overflowuid") >> read;
    return read;
  }();
  return number;
}

/// Returns the owners of the program and of the directories above it.
std::set<std::uint32_t> owners_of_program() {
  std::set<std::uint32_t> owners;
  std::error_code failed;
  fs::path path = fs::read_symlink("/proc/self/exe", failed);
  struct stat status;
  if (failed || ::lstat(path.c_str(), &status) != 0) return owners;
  for (;; path = path.parent_path()) {
    if (::lstat(path.c_str(), &status) == 0) owners.insert(status.st_uid);
    if (!path.has_relative_path()) return owners;
  }
}

bool is_trusted(std::uint32_t user) {
  static LibraryStatic<std::set<std::uint32_t>> of_program(owners_of_program());
  return user == 0 || user == ::geteuid() || (*of_program).contains(user) ||
         (in_user_namespace() && user == unmapped_user());
}

/// Returns whether only trusted users are in a group: root's, or one with the name of its only
/// member, as many systems create for each user.
bool is_trusted_group(std::uint32_t group) {
  if (group == 0) return true;
  const auto groups = read_database("/etc/group");
  const Columns* line = find_number(groups, group);
  if (line == nullptr) return false;
  const std::string& name = line->front();
  const std::string& members = (*line)[3];
  if (!members.empty() && members != name) return false;
  const std::string number = std::to_string(group);
  bool found = false;
  for (const Columns& user : read_database("/etc/passwd")) {
    std::uint32_t id = 0;
    const auto read = std::from_chars(user[2].data(), user[2].data() + user[2].size(), id);
    const bool is_member = user[3] == number || user[0] == name;
    if (!is_member) continue;
    if (read.ec != std::errc() || user[0] != name || !is_trusted(id)) return false;
    found = true;
  }
  return found;
}

/// Returns whether an access control list names users or groups. Its mask appears as the rights of
/// the group in the mode, so this is asked only if these may write.
bool has_access_list(const fs::path& path) {
#ifdef __linux__
  return ::lgetxattr(path.c_str(), "system.posix_acl_access", nullptr, 0) > 0;
#else
  static_cast<void>(path);
  return false;
#endif
}

std::string octal(std::uint32_t mode) {
  std::array<char, 8> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), mode, 8).ptr;
  return "0" + std::string(digits.data(), end);
}

/// Returns what lets others change a file or directory itself.
std::optional<Exposure> own_exposure(const fs::path& path, const FileAccess& access) {
  const auto exposed = [&](const std::string& how, const std::string& fix, bool by_owner) {
    return Exposure{path, (access.is_directory ? "a directory " : "a file ") + how,
                    fix + " " + path.string(), by_owner};
  };
  if (!is_trusted(access.owner)) {
    return exposed("of the user " + user_name(access.owner), "chown root", true);
  }
  // Entries of a directory with the sticky bit can be replaced by their owners only, and these are
  // checked as well.
  if (access.is_directory && (access.mode & S_ISVTX) != 0) return std::nullopt;
  if ((access.mode & S_IWOTH) != 0) {
    return exposed("of mode " + octal(access.mode) + ", so that every user may write", "chmod o-w",
                   false);
  }
  if ((access.mode & S_IWGRP) == 0) return std::nullopt;
  if (has_access_list(path)) {
    return exposed("with an access control list, by which others may write",
                   "setfacl -b " + path.string() + "; chmod g-w", false);
  }
  if (is_trusted_group(access.group)) return std::nullopt;
  return exposed("of mode " + octal(access.mode) + ", so that the group " +
                     group_name(access.group) + " may write",
                 "chmod g-w", false);
}

Exposure unreadable(const fs::path& directory) {
  return {directory, "a directory above it that cannot be checked",
          "let the user of the program search it", true, true};
}

/// Returns the directory so many levels above another one.
fs::path above(fs::path directory, int levels) {
  while (levels-- > 0) directory = directory.parent_path();
  return directory;
}

/// Checks a directory, whose last part must be no symbolic link, and those above it, upward from
/// its descriptor, so that renaming one of them meanwhile hides nothing. If the path has links,
/// only whether something is found is correct.
/// `is_safe(status)`: returns whether a directory and those above it are known to be safe. It
/// remembers other directories, which are safe if nothing is found.
template <class IsSafe>
std::optional<Exposure> exposure_upward(const fs::path& canonical, const IsSafe& is_safe) {
  const Descriptor directory(::open(canonical.c_str(), directory_flags));
  struct stat status, parent;
  std::string up = ".";
  if (!directory || ::fstatat(directory.get(), up.c_str(), &status, 0) != 0) {
    return unreadable(canonical);
  }
  for (int levels = 0;; ++levels) {
    if (is_safe(status)) return std::nullopt;
    if (const FileAccess access = access_of(status); may_be_exposed(access)) {
      if (auto exposed = own_exposure(above(canonical, levels), access)) return exposed;
    }
    up += "/..";
    if (::fstatat(directory.get(), up.c_str(), &parent, 0) != 0) {
      return unreadable(above(canonical, levels + 1));
    }
    if (parent.st_dev == status.st_dev && parent.st_ino == status.st_ino) return std::nullopt;
    status = parent;
  }
}

std::optional<Exposure> exposure_upward(const fs::path& canonical) {
  return exposure_upward(canonical, [](const struct stat&) { return false; });
}

}  // namespace

bool has_privileges_of_another_user() noexcept {
#ifdef __linux__
  return ::getauxval(AT_SECURE) != 0;
#else
  return false;
#endif
}

bool may_be_exposed(const FileAccess& access) {
  return (access.mode & (S_IWGRP | S_IWOTH)) != 0 || !is_trusted(access.owner);
}

bool is_privileged() noexcept {
  return has_privileges_of_another_user() || (::geteuid() == 0 && !in_user_namespace());
}

std::string user_name(std::uint32_t user) {
  const auto users = read_database("/etc/passwd");
  const Columns* line = find_number(users, user);
  return line != nullptr ? line->front() : std::to_string(user);
}

std::optional<Exposure> ExposureCheck::of(const std::string& canonical, const FileAccess& access) {
  if (may_be_exposed(access)) {
    if (auto exposed = own_exposure(canonical, access)) return exposed;
  }
  const std::string_view text = canonical;
  const std::string_view directory = text.substr(0, std::max<std::size_t>(text.rfind('/'), 1));
  {
    const sync::Lock lock(mutex_);
    const auto known = directories_.find(directory);
    if (known != directories_.end()) return known->second;
  }
  std::vector<Number> passed;
  auto exposed = exposure_upward(directory, [&](const struct stat& status) {
    passed.emplace_back(status.st_dev, status.st_ino);
    const sync::Lock lock(mutex_);
    return safe_.contains(passed.back());
  });
  const sync::Lock lock(mutex_);
  if (!exposed) safe_.insert(passed.begin(), passed.end());
  return directories_.emplace(directory, std::move(exposed)).first->second;
}

std::optional<Exposure> exposure_of(const fs::path& path, const FileAccess& access) {
  std::error_code failed;
  // Resolving a path takes a system call for each part, and only a report needs the result.
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (!own_exposure(path, access) && !fs::is_symlink(path, failed) && !exposure_upward(directory))
    return std::nullopt;
  fs::path canonical = fs::canonical(path, failed);
  if (failed) canonical = fs::weakly_canonical(path, failed);  // the file is gone
  return failed ? unreadable(path.parent_path()) : ExposureCheck().of(canonical, access);
}

std::optional<Exposure> exposure_at(const fs::path& path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return exposure_of(path, access_of(status));
}

}}}  // namespace tenon::v0_1::platform
