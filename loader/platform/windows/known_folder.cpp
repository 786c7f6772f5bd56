// SPDX-License-Identifier: BSL-1.0
#include "platform/windows/known_folder.hpp"

#include <shlobj.h>

#include "platform/windows/system.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {
namespace {

const KNOWNFOLDERID& id_of(Folder folder) noexcept {
  switch (folder) {
    case Folder::local_data:
      return FOLDERID_LocalAppData;
    case Folder::roaming_data:
      return FOLDERID_RoamingAppData;
    case Folder::program_data:
      return FOLDERID_ProgramData;
    case Folder::programs:
      break;
  }
  return FOLDERID_ProgramFiles;
}

}  // namespace

std::filesystem::path known_folder(Folder folder) {
  wchar_t* text = nullptr;
  std::filesystem::path path;
  if (SHGetKnownFolderPath(id_of(folder), KF_FLAG_DONT_VERIFY, nullptr, &text) == S_OK) path = text;
  CoTaskMemFree(text);
  return path;
}

}}}  // namespace tenon::v0_1::platform
