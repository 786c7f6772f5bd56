// SPDX-License-Identifier: BSL-1.0
//
// Trusted are the user of the process, administrators, the system, the installer of Windows, and
// the owners of the program. The list of who may access a file is read by its path. Entries that
// deny access are left out of account: what they take from others is not known without their
// groups.
#include "platform/exposure.hpp"

// <aclapi.h> needs the first.
// clang-format off
#include "platform/windows/system.hpp"
#include <aclapi.h>
#include <sddl.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/own_library.hpp"
#include "platform/file_status.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

namespace fs = std::filesystem;

/// The rights with which a file can be changed, or a directory and what is in it can be exchanged.
constexpr DWORD control = WRITE_DAC | WRITE_OWNER | DELETE | GENERIC_ALL;
constexpr DWORD write_file = control | GENERIC_WRITE | FILE_WRITE_DATA | FILE_APPEND_DATA;
constexpr DWORD exchange_entries = control | FILE_DELETE_CHILD;
constexpr DWORD add_files = exchange_entries | GENERIC_WRITE | FILE_ADD_FILE;

struct LocalMemory {
  void operator()(void* memory) const noexcept { LocalFree(memory); }
};

/// The identifier of a user or a group.
class Account {
 public:
  explicit Account(PSID id) : bytes_(GetLengthSid(id)) {
    CopySid(static_cast<DWORD>(bytes_.size()), bytes_.data(), id);
  }
  explicit Account(const wchar_t* text) {
    PSID id = nullptr;
    if (ConvertStringSidToSidW(text, &id) == 0) return;
    const std::unique_ptr<void, LocalMemory> owned(id);
    *this = Account(id);
  }
  friend bool operator==(const Account&, const Account&) = default;

 private:
  std::vector<std::byte> bytes_;
};
using Accounts = std::vector<Account>;

/// The owner of a file and the list of who may access it.
class Security {
 public:
  explicit Security(const fs::path& path) noexcept {
    PSECURITY_DESCRIPTOR memory = nullptr;
    failed_ = GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT,
                                    OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner_,
                                    nullptr, &list_, nullptr, &memory);
    memory_.reset(memory);
  }

  DWORD failed() const noexcept { return failed_; }
  PSID owner() const noexcept { return owner_; }
  /// nullptr: everyone may do everything.
  ACL* list() const noexcept { return list_; }

 private:
  DWORD failed_;
  PSID owner_ = nullptr;
  ACL* list_ = nullptr;
  std::unique_ptr<void, LocalMemory> memory_;
};

/// The token of this process.
class Token {
 public:
  Token() noexcept { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &handle_); }
  ~Token() { CloseHandle(handle_); }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

  bool read(TOKEN_INFORMATION_CLASS what, void* into, DWORD size) const noexcept {
    return GetTokenInformation(handle_, what, into, size, &size) != 0;
  }

 private:
  HANDLE handle_ = nullptr;
};

Accounts trusted_accounts() {
  Accounts trusted;
  for (const wchar_t* account :
       {L"S-1-5-18",                                                        // the system
        L"S-1-5-32-544",                                                    // administrators
        L"S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464",  // the installer
        L"S-1-3-4"}) {  // the owner of the file, who is checked
    trusted.emplace_back(account);
  }
  alignas(TOKEN_USER) std::array<std::byte, sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE> user;
  if (Token().read(TokenUser, user.data(), user.size())) {
    trusted.emplace_back(reinterpret_cast<const TOKEN_USER*>(user.data())->User.Sid);
  }
  // They could replace the program.
  for (fs::path path = path_of(nullptr);; path = path.parent_path()) {
    if (const Security security(path); security.owner() != nullptr) {
      trusted.emplace_back(security.owner());
    }
    if (!path.has_relative_path()) return trusted;
  }
}

bool is_trusted(PSID account) {
  static LibraryStatic<Accounts> trusted(trusted_accounts());
  return std::ranges::find(*trusted, Account(account)) != (*trusted).end();
}

/// Returns the name of an account, eg: "BUILTIN\Users"; its identifier if it has none.
std::string name_of(PSID account) {
  std::array<wchar_t, 256> name, domain;
  DWORD name_size = name.size(), domain_size = domain.size();
  SID_NAME_USE use;
  if (LookupAccountSidW(nullptr, account, name.data(), &name_size, domain.data(), &domain_size,
                        &use) != 0) {
    const std::string local = utf8_of(name.data());
    return domain_size == 0 ? local : utf8_of(domain.data()) + "\\" + local;
  }
  wchar_t* text = nullptr;
  if (ConvertSidToStringSidW(account, &text) == 0) return "an unknown user";
  const std::unique_ptr<wchar_t, LocalMemory> owned(text);
  return utf8_of(text);
}

/// Returns an account that is not trusted and has one of the rights; nullptr if there is none.
PSID other_with(ACL* list, DWORD rights) {
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (GetAce(list, i, &entry) == 0) continue;
    const auto& header = *static_cast<const ACE_HEADER*>(entry);
    // Conditional entries begin like others.
    const bool allows = header.AceType == ACCESS_ALLOWED_ACE_TYPE ||
                        header.AceType == ACCESS_ALLOWED_CALLBACK_ACE_TYPE;
    if (!allows || (header.AceFlags & INHERIT_ONLY_ACE) != 0) continue;
    auto& allowed = *static_cast<ACCESS_ALLOWED_ACE*>(entry);
    if ((allowed.Mask & rights) != 0 && !is_trusted(&allowed.SidStart)) return &allowed.SidStart;
  }
  return nullptr;
}

/// Returns what lets others change a file, or use these rights to a directory.
std::optional<Exposure> own_exposure(const fs::path& path, bool is_directory, DWORD rights) {
  const std::string kind = is_directory ? "a directory " : "a file ";
  const Security security(path);
  if (security.failed() == ERROR_FILE_NOT_FOUND || security.failed() == ERROR_PATH_NOT_FOUND) {
    return std::nullopt;  // it is gone
  }
  if (security.failed() != ERROR_SUCCESS || security.owner() == nullptr) {
    return Exposure{path, kind + "whose owner cannot be read",
                    "let the user of the program read the permissions of " + path.string(), true,
                    true};
  }
  if (!is_trusted(security.owner())) {
    return Exposure{path, kind + "of the user " + name_of(security.owner()),
                    "icacls \"" + path.string() + "\" /setowner Administrators", true};
  }
  if (security.list() == nullptr) {
    return Exposure{path, kind + "without an access control list, so that every user may write",
                    "icacls \"" + path.string() + "\" /reset", false};
  }
  const PSID other = other_with(security.list(), rights);
  if (other == nullptr) return std::nullopt;
  const std::string name = name_of(other);
  return Exposure{path, kind + "with an access control list by which " + name + " may write",
                  "icacls \"" + path.string() + "\" /remove:g \"" + name + "\"", false};
}

/// Checks a directory, and those above it, where nobody else may exchange one.
std::optional<Exposure> exposure_upward(fs::path directory) {
  for (DWORD rights = add_files;; rights = exchange_entries) {
    if (auto exposed = own_exposure(directory, true, rights)) return exposed;
    if (!directory.has_relative_path()) return std::nullopt;
    directory = directory.parent_path();
  }
}

}  // namespace

bool has_privileges_of_another_user() noexcept {
  return false;  // Windows has no set-user-ID
}

bool is_privileged() noexcept {
  TOKEN_ELEVATION elevation{};
  return Token().read(TokenElevation, &elevation, sizeof elevation) &&
         elevation.TokenIsElevated != 0;
}

std::string user_name(std::uint32_t user) {
  return std::to_string(user);
}

// Rights are not part of FileAccess.
bool may_be_exposed(const FileAccess&) {
  return true;
}

std::optional<Exposure> ExposureCheck::of(const std::wstring& canonical, const FileAccess& access) {
  if (auto exposed = own_exposure(canonical, access.is_directory,
                                  access.is_directory ? add_files : write_file)) {
    return exposed;
  }
  const fs::path directory = fs::path(canonical).parent_path();
  {
    const sync::Lock lock(mutex_);
    const auto known = directories_.find(directory.native());
    if (known != directories_.end()) return known->second;
  }
  auto exposed = exposure_upward(directory);
  const sync::Lock lock(mutex_);
  return directories_.emplace(directory.native(), std::move(exposed)).first->second;
}

std::optional<Exposure> exposure_of(const fs::path& path, const FileAccess& access) {
  std::error_code failed;
  fs::path canonical = fs::canonical(path, failed);
  if (failed) canonical = fs::absolute(path, failed);  // the file is gone
  return ExposureCheck().of(canonical.native(), access);
}

std::optional<Exposure> exposure_at(const fs::path& path) {
  const auto status = status_of(path.c_str());
  return status ? exposure_of(path, status->access) : std::nullopt;
}

}}}  // namespace tenon::v0_1::platform
