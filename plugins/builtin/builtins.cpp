// SPDX-License-Identifier: BSL-1.0
#include <tenon/builtins.hpp>
#include <tenon/sdk/module.hpp>

#include "change_namespace.hpp"
#include "directory_snapshotter.hpp"
#include "external_artifacts.hpp"
#include "field_processor.hpp"
#include "file_destination.hpp"
#include "file_source.hpp"
#include "filesystem_store.hpp"
#include "generator.hpp"
#include "log_destination.hpp"
#include "pod_volumes.hpp"
#include "remap_labels.hpp"
#include "service_account.hpp"
#include "specifiers.hpp"
#include "sqlite_destination.hpp"
#include "sqlite_source.hpp"

namespace tenon {

const tenon_module* builtins() {
  using namespace builtin;
  static const sdk::Builtin package =
      sdk::Builtin("tenon.dev/builtin", TENON_BUILTINS_VERSION,
                   R"({"summary": "Plugins that come with the program"})")
          .add<GeneratorSource>("tenon.dev/generator")
          .add<GeneratorSpecifier>("tenon.dev/generator")
          .add<FileSource>("tenon.dev/file")
          .add<FileDestination>("tenon.dev/file")
          .add<FileSpecifier>("tenon.dev/file")
          .add<SqliteSource>("tenon.dev/sqlite")
          .add<SqliteDestination>("tenon.dev/sqlite")
          .add<SqliteSpecifier>("tenon.dev/sqlite")
          .add<FieldProcessor>("tenon.dev/field")
          .add<FieldSpecifier>("tenon.dev/field")
          .add<LogDestination>("tenon.dev/log")
          .add<LogSpecifier>("tenon.dev/log")
          .add<FilesystemStore>("tenon.dev/filesystem")
          .add<DirectorySnapshotter>("tenon.dev/directory")
          .add<ServiceAccount>("tenon.dev/service-account")
          .add<PodVolumes>("tenon.dev/pod-volumes")
          .add<ChangeNamespace>("tenon.dev/change-namespace")
          .add<RemapLabels>("tenon.dev/remap-labels")
          .add<ExternalArtifacts>("tenon.dev/external-artifacts");
  return package.module();
}

}  // namespace tenon
