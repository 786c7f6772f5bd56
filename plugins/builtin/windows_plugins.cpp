// SPDX-License-Identifier: BSL-1.0
#include "external_artifacts.hpp"
#include "filesystem_store.hpp"
#include "system_plugins.hpp"

namespace tenon::builtin {

const char* const system_properties = R"(
    "tenon.dev/external-artifacts": {
      "item_annotations": "tenon.dev/external-artifact"
    },)";

sdk::Builtin with_system_plugins(sdk::Builtin package) {
  return std::move(package)
      .add<FilesystemStore>("tenon.dev/filesystem")
      .add<ExternalArtifacts>("tenon.dev/external-artifacts");
}

}  // namespace tenon::builtin
