// SPDX-License-Identifier: BSL-1.0
//
// The SDK of an app: a directory that `tenon-gen sdk` or tenon_install_sdk has written.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "commands.hpp"
#include "gen/emit/emit_sdk_package.hpp"
#include "gen/model/model.hpp"

namespace tenon::command {

/// A kind of an SDK.
struct SdkKind {
  gen::SdkPackage package{};  // without its version
  std::shared_ptr<const gen::Model> model{};
  const gen::Kind* kind = nullptr;  // in the model
};

/// Finds the kind with this id or last part of an id in a directory, which may contain the SDKs of
/// several apps. Without a name it is the only kind there. Prints errors. Throws gen::IoError.
Exit find_sdk_kind(const std::filesystem::path& directory, const std::string& name, SdkKind& found);

}  // namespace tenon::command
