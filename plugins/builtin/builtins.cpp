// SPDX-License-Identifier: BSL-1.0
#include "directory_snapshotter.hpp"
#include "file_destination.hpp"
#include "file_source.hpp"
#include "filesystem_store.hpp"
#include "generator.hpp"
#include "log_destination.hpp"
#include "specifiers.hpp"
#include "sqlite_destination.hpp"
#include "sqlite_source.hpp"

#include <tenon/builtins.hpp>
#include <tenon/sdk/module.hpp>

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
          .add<LogDestination>("tenon.dev/log")
          .add<LogSpecifier>("tenon.dev/log")
          .add<FilesystemStore>("tenon.dev/filesystem")
          .add<DirectorySnapshotter>("tenon.dev/directory");
  return package.module();
}

}  // namespace tenon
