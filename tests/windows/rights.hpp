// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>

// The other one needs the first.
// clang-format off
#include <windows.h>
#include <aclapi.h>
// clang-format on

namespace tenon::tests {

/// Adds an entry for everyone to the access control list of a file or directory.
inline void let_everyone_write(const std::filesystem::path& path) {
  std::array<char, SECURITY_MAX_SID_SIZE> everyone;
  DWORD size = everyone.size();
  ASSERT_TRUE(CreateWellKnownSid(WinWorldSid, nullptr, everyone.data(), &size));
  ACL* old = nullptr;
  PSECURITY_DESCRIPTOR memory = nullptr;
  ASSERT_EQ(GetNamedSecurityInfoW(path.c_str(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                                  nullptr, &old, nullptr, &memory),
            DWORD{ERROR_SUCCESS});
  EXPLICIT_ACCESSW entry{};
  entry.grfAccessPermissions = FILE_ALL_ACCESS;
  entry.grfAccessMode = GRANT_ACCESS;
  entry.Trustee.TrusteeForm = TRUSTEE_IS_SID;
  entry.Trustee.ptstrName = reinterpret_cast<wchar_t*>(everyone.data());
  ACL* fresh = nullptr;
  ASSERT_EQ(SetEntriesInAclW(1, &entry, old, &fresh), DWORD{ERROR_SUCCESS});
  std::wstring name = path.wstring();
  EXPECT_EQ(SetNamedSecurityInfoW(name.data(), SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                                  nullptr, fresh, nullptr),
            DWORD{ERROR_SUCCESS});
  LocalFree(fresh);
  LocalFree(memory);
}

}  // namespace tenon::tests
