// SPDX-License-Identifier: BSL-1.0
//
// Code that was loaded and does not serve yet.
#pragma once

#include <memory>

#include "code/generation.hpp"
#include "code/module_host.hpp"
#include "manifest/manifest.hpp"
#include "platform/file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// A generation that was begun, with the manifest and the file of its code.
struct LoadedCode {
  GenerationPtr generation;
  std::shared_ptr<const Manifest> manifest;
  platform::FileIdentity identity;
  std::unique_ptr<CatalogChange> change;  // nullptr if the manifest is the same
};

}}}  // namespace tenon::v0_1::detail
