// SPDX-License-Identifier: BSL-1.0
#include "used_files.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "platform/replace_file.hpp"
#include "platform/utf8_path.hpp"

namespace pipeline {
namespace {

enum class Role : std::uint8_t { pipeline_file, position, source, destination };

struct UsedFile {
  Role role{};
  std::string use;  // for messages
  std::string path;
  std::string identity;
  std::string table;  // in lower case; empty: the whole file
  std::size_t pipeline = 0;
  SourceLocation location;
};

/// Returns a text that is the same for all names of a file. Returns nothing for what is not a file,
/// such as a device, which may be used several times.
std::optional<std::string> identity_of(const std::filesystem::path& path) {
  std::error_code failed;
  const auto status = std::filesystem::status(path, failed);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    return std::nullopt;
  }
  if (std::string key = tenon::platform::file_key(path); !key.empty()) return key;
  // The path of the file that would be created.
  const auto target = tenon::platform::follow_links(path, failed);
  if (failed) return std::nullopt;
  const auto full = std::filesystem::weakly_canonical(std::filesystem::absolute(target), failed);
  return failed ? std::nullopt : std::optional(full.string());
}

class Collector {
 public:
  void add(const FilesOfPipeline& pipeline) {
    const PipelineFile& file = pipeline.file;
    add(Role::pipeline_file, "the pipeline file", file.path, file.position_place);
    add(Role::position, "the position", file.position, file.position_place);
    add(Role::position, "the lock of the position", lock_path(file.position), file.position_place);
    add(Role::source, pipeline.stages.source, file.source);
    for (std::size_t i = 0; i < file.destinations.size(); ++i) {
      add(Role::destination, pipeline.stages.destinations[i], file.destinations[i]);
    }
    if (file.dead_letters) {
      add(Role::destination, *pipeline.stages.dead_letters, file.dead_letters->stage);
    }
    ++pipelines_;
  }
  const std::vector<UsedFile>& all() const noexcept { return all_; }

 private:
  void add(Role role, std::string use, const std::filesystem::path& path,
           const SourceLocation& location, std::string table = {}) {
    auto identity = identity_of(path);
    if (!identity) return;
    all_.push_back({role, std::move(use), path.string(), *std::move(identity), std::move(table),
                    pipelines_, location});
  }

  template <class K>
  void add(Role role, const Stage<K>& stage, const PluginUse& use) {
    const auto value_of = [&](const char* parameter) {
      const auto found = stage.config.find(parameter);
      return found == stage.config.end() ? std::string() : found->second;
    };
    const std::string path = value_of("path");
    if (path.empty()) return;
    std::string table = value_of("table");
    // A template may choose any table.
    if (table.find('{') != std::string::npos) table.clear();
    std::transform(table.begin(), table.end(), table.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto given = use.value_locations.find("path");
    add(role, (role == Role::source ? "the source " : "the destination ") + label_of(stage.used),
        tenon::platform::path_from(path),
        given == use.value_locations.end() ? use.config_location : given->second, std::move(table));
  }

  std::vector<UsedFile> all_;
  std::size_t pipelines_ = 0;
};

/// Returns whether the two uses of a file exclude each other.
bool exclude_each_other(const UsedFile& a, const UsedFile& b) {
  if (a.identity != b.identity) return false;
  if (!a.table.empty() && !b.table.empty() && a.table != b.table) return false;
  if (a.role == b.role) return a.role == Role::position;
  const auto reads_or_writes = [](const UsedFile& file) {
    return file.role == Role::source || file.role == Role::destination;
  };
  return a.pipeline == b.pipeline || !reads_or_writes(a) || !reads_or_writes(b);
}

}  // namespace

void check_files(const std::vector<FilesOfPipeline>& pipelines, Diagnostics& diagnostics) {
  Collector collector;
  for (const FilesOfPipeline& pipeline : pipelines) collector.add(pipeline);
  const auto& all = collector.all();
  for (auto use = all.begin(); use != all.end(); ++use) {
    const auto other = std::find_if(all.begin(), use, [&](const UsedFile& earlier) {
      return exclude_each_other(earlier, *use);
    });
    if (other == use) continue;
    diagnostics.add({.location = use->location,
                     .code = "same-file",
                     .message = use->use + " is also " + other->use,
                     .found = use->path + (use->path == other->path ? "" : " and " + other->path),
                     .needed = "a file of its own",
                     .fix = "choose another path"});
  }
}

}  // namespace pipeline
