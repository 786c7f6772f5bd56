// SPDX-License-Identifier: BSL-1.0
#include "position_store.hpp"

#include <tenon/pipeline_position_json.hpp>

#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/path_error.hpp"
#include "base/test_point.hpp"
#include "common/private_file.hpp"
#include "common/text_file.hpp"
#include "platform/input_file.hpp"
#include "platform/replace_file.hpp"

namespace pipeline {
namespace {

using tenon::tools::IfAbsent;
using tenon::tools::Others;
using tenon::tools::PrivateFile;

tenon::Error cannot_write(const std::filesystem::path& path, int error) {
  return tenon::detail::cannot_write(path, {.attempt = "saving the position",
                                            .number = error,
                                            .instead = "set \"position\" to another path"});
}

tenon::Error in_use(const std::filesystem::path& path) {
  return tenon::Error({.code = "in-use",
                       .message = "another pipeline uses this position",
                       .where = path.string(),
                       .fix = "wait until it ends, or set \"position\" to another path"});
}

/// Returns the diagnostic for an error in the stored position. If the text is not JSON, the error
/// has line and column; otherwise it has the path in the document.
tenon::tools::Diagnostic diagnostic_of(const tenon::Error& error,
                                       const std::filesystem::path& path) {
  tenon::tools::Diagnostic diagnostic{
      .location = {.file = path.string()},
      .code = std::string(error.code()),
      .message = "the position cannot be read",
      .found = std::string(error.found()),
      .needed = std::string(error.needed()),
      .fix = "restore the file, or remove it to begin from the start"};
  const std::string where(error.where());
  if (error.code() == "not-json") {
    std::istringstream(where) >> diagnostic.location.line;
    diagnostic.location.column = std::stoi(where.substr(where.find(':') + 1));
  } else if (!where.empty()) {
    diagnostic.message += ": " + where;
  }
  if (!error.message().empty()) diagnostic.message += ": " + std::string(error.message());
  return diagnostic;
}

std::filesystem::path directory_of(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : ".";
}

}  // namespace

UsedPlugin used(const std::string& id, const tenon::PluginInfo& plugin,
                const tenon::TextMap& config, tenon::tools::PluginOrigins& origins) {
  tenon::tools::PluginOrigin origin = origins.of(plugin);
  return {.id = id,
          .plugin = std::move(origin.name),
          .kind_version = plugin.version(),
          .package = std::move(origin.package),
          .package_version = std::move(origin.package_version),
          .sha256 = std::move(origin.sha256),
          .config = config};
}

std::string label_of(const UsedPlugin& stage) {
  return stage.id == stage.plugin ? stage.plugin : stage.id + " (" + stage.plugin + ")";
}

tenon::Error labelled(const tenon::Error& error, const UsedPlugin& stage) {
  if (error.plugin() != stage.plugin) return error;
  return tenon::Error({.code = std::string(error.code()),
                       .status = error.status(),
                       .message = std::string(error.message()),
                       .where = std::string(error.where()),
                       .found = std::string(error.found()),
                       .needed = std::string(error.needed()),
                       .fix = std::string(error.fix()),
                       .plugin = label_of(stage),
                       .method = std::string(error.method()),
                       .cause = std::string(error.cause()),
                       .severity = error.severity()});
}

std::filesystem::path lock_path(const std::filesystem::path& position) {
  return std::filesystem::path(position) += ".lock";
}

tenon::Result<PositionStore> PositionStore::open(const std::filesystem::path& path,
                                                 Diagnostics& diagnostics) {
  std::error_code failed;
  tenon::platform::create_directories(directory_of(path), failed);
  if (failed) return cannot_write(path, failed.value());

  const std::filesystem::path lock_name = lock_path(path);
  auto lock =
      PrivateFile::open(lock_name, IfAbsent::create, Others::nothing, "the lock of the position");
  if (!lock) return std::move(lock).error();
  TENON_TEST_POINT("position: opened");
  if (!lock->lock()) return in_use(path);
  auto position = PrivateFile::open(path, IfAbsent::open_nothing, Others::nothing, "the position");
  if (!position) return std::move(position).error();
  // A run that uses another hard link to the position has another lock file.
  if (*position && !position->lock()) return in_use(path);
  PositionStore store(path, *std::move(lock), *std::move(position));
  if (!store.position_) return store;
  tenon::platform::InputFile content = store.position_.reader();
  const auto text = tenon::tools::read_text_file(content, path, diagnostics);
  store.position_.allow_replacement();
  if (!text) return store;
  tenon::Result<PipelineState> state = tenon::read_pipeline_position(*text);
  if (state) {
    store.state_ = *std::move(state);
  } else {
    diagnostics.add(diagnostic_of(state.error(), path));
  }
  return store;
}

PositionStore::PositionStore(std::filesystem::path path, PrivateFile lock,
                             PrivateFile position) noexcept
    : path_(std::move(path)), lock_(std::move(lock)), position_(std::move(position)) {}

tenon::Result<void> PositionStore::remove() const {
  std::error_code error;
  std::filesystem::remove(path_, error);
  if (!error) std::filesystem::remove(lock_path(path_), error);
  return error ? cannot_write(path_, error.value()) : tenon::Result<void>();
}

tenon::Result<void> PositionStore::save() const {
  tenon::Result<std::string> text =
      tenon::store_pipeline_position(state_, "tenon-pipeline " TENON_VERSION);
  if (!text) return std::move(text).error();
  using namespace tenon::platform;
  const auto error = replace_content(path_, *text + "\n", Attributes::owner_only).failed;
  return error ? cannot_write(path_, error.value()) : tenon::Result<void>();
}

}  // namespace pipeline
