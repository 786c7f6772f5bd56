// SPDX-License-Identifier: BSL-1.0
#include "documents.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <future>
#include <iterator>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <utility>

#include "archive_path.hpp"
#include "document_collector.hpp"

namespace backup {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view definition_kind = "CustomResourceDefinition";
/// Reading fewer files takes no longer than starting a thread.
constexpr std::size_t files_in_part = 128;

/// The files of a directory and the directories in it.
struct Files {
  std::vector<fs::path> json;
  std::vector<fs::path> yaml;
};

/// Adds the files of a directory. Adds a problem for each directory that cannot be read.
void list_files(const fs::path& directory, Files& files, std::vector<tenon::Error>& problems) {
  std::vector<fs::path> directories;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      std::error_code ignored;
      const fs::path suffix = entry.path().extension();
      if (entry.is_directory(ignored)) {
        if (!entry.is_symlink(ignored)) directories.push_back(entry.path());
      } else if (suffix == ".json") {
        files.json.push_back(entry.path());
      } else if (suffix == ".yaml" || suffix == ".yml") {
        files.yaml.push_back(entry.path());
      }
    }
  } catch (const fs::filesystem_error& error) {
    problems.push_back(cannot_read(directory, error.code().value()));
  }
  for (const fs::path& inner : directories) list_files(inner, files, problems);
}

/// Returns the problem that YAML files are missing in the result.
tenon::Error not_json(const std::vector<fs::path>& yaml) {
  std::string found = "a YAML file";
  if (yaml.size() > 1) found += ", and " + std::to_string(yaml.size() - 1) + " more";
  return tenon::Error({.code = "not-json",
                       .message = "YAML files are not read",
                       .where = std::min_element(yaml.begin(), yaml.end())->string(),
                       .found = std::move(found),
                       .needed = "JSON files",
                       .fix = "convert them with `kubectl create --dry-run=client -o json -f "
                              "FILE`, or remove them"});
}

tenon::Error not_a_file(const fs::path& path) {
  return tenon::Error({.code = "cannot-read",
                       .message = {},
                       .where = path.string(),
                       .found = "not a regular file",
                       .needed = "a regular file, because it is read twice",
                       .fix = "write the documents to a file first"});
}

/// Files that one thread reads, and what it found in them.
struct Part {
  std::span<const fs::path> files;
  UnresolvedDocuments documents{};
  std::vector<tenon::Error> problems{};
  std::optional<tenon::Error> failure{};

  /// In a directory, a file that cannot be read is a problem. Otherwise it is a failure.
  void read(bool is_directory, const IsCancelled& is_cancelled) {
    DocumentCollector collector(problems, is_cancelled);
    for (const fs::path& file : files) {
      auto read = collector.read(file);
      if (read) continue;
      if (!is_directory || read.error().code() == "cancelled") {
        failure = std::move(read).error();
        return;
      }
      problems.push_back(std::move(read).error());
    }
    documents = collector.take();
  }
};

/// Calls `work` on this thread and, if there is enough to do, on others.
void run_on_threads(std::size_t parts, const std::function<void()>& work) {
  const std::size_t most = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
  std::vector<std::future<void>> others;
  try {
    while (others.size() + 1 < std::min(parts, most)) {
      others.push_back(std::async(std::launch::async, work));
    }
  } catch (const std::system_error&) {  // No further thread can be started.
  }
  work();
  for (std::future<void>& other : others) other.get();
}

/// Reads files on several threads. The documents are in the order of the files.
tenon::Result<UnresolvedDocuments> collect(std::span<const fs::path> files, bool is_directory,
                                           std::vector<tenon::Error>& problems,
                                           const IsCancelled& is_cancelled) {
  std::vector<Part> parts;
  for (std::size_t first = 0; first < files.size(); first += files_in_part) {
    parts.push_back({files.subspan(first, std::min(files_in_part, files.size() - first))});
  }
  std::atomic<std::size_t> next = 0;
  run_on_threads(parts.size(), [&] {
    for (std::size_t i = 0; (i = next++) < parts.size();) parts[i].read(is_directory, is_cancelled);
  });
  UnresolvedDocuments documents;
  for (Part& part : parts) {
    if (part.failure) return *std::move(part.failure);
    documents.append(std::move(part.documents));
    std::move(part.problems.begin(), part.problems.end(), std::back_inserter(problems));
  }
  return documents;
}

/// Calls `on_definition` with each definition of a resource.
void report_definitions(const UnresolvedDocuments& documents, const OnDefinition& on_definition,
                        std::vector<tenon::Error>& problems) {
  if (!on_definition) return;
  for (const UnresolvedDocument& document : documents.all) {
    if (documents.types[document.type].second != definition_kind) continue;
    const auto text = documents.files.read(document.place);
    if (!text) {
      problems.push_back(text.error());
    } else if (const auto definition = parse_document(*text)) {
      on_definition(definition->get_object());
    }
  }
}

class Resolution {
 public:
  Resolution(UnresolvedDocuments& documents, const ResourceOf& resource_of,
             std::vector<tenon::Error>& problems)
      : documents_(documents), resource_of_(resource_of), problems_(problems) {}

  Items run() {
    resources_.resize(documents_.types.size());
    std::erase_if(documents_.all,
                  [&](const UnresolvedDocument& document) { return !resolve(document); });
    std::stable_sort(documents_.all.begin(), documents_.all.end(),
                     [&](const UnresolvedDocument& one, const UnresolvedDocument& other) {
                       return compare(one, other) < 0;
                     });
    ItemsBuilder builder;
    const UnresolvedDocument* last = nullptr;
    for (const UnresolvedDocument& document : documents_.all) {
      if (last != nullptr && compare(*last, document) == 0) {
        check_same(*last, document);
        continue;
      }
      builder.add(id(document), document.place);
      last = &document;
    }
    builder.sort();
    builder.set_files(std::move(documents_.files));
    return builder.take();
  }

 private:
  tenon::ResourceIdV1 id(const UnresolvedDocument& document) const {
    tenon::ResourceIdV1 id;
    id.resource = *resources_[document.type];
    id.in_namespace = documents_.spaces[document.space];
    id.name = documents_.name(document);
    return id;
  }

  const std::string& resource(std::uint32_t type) {
    const auto& [api_version, kind] = documents_.types[type];
    if (!resources_[type]) resources_[type] = resource_of_(api_version, kind);
    return *resources_[type];
  }

  /// Returns whether the resource of a document is known and can be stored. Otherwise adds a
  /// problem.
  bool resolve(const UnresolvedDocument& document) {
    if (resource(document.type).empty()) {
      const auto& [api_version, kind] = documents_.types[document.type];
      problems_.push_back(
          tenon::Error({.code = "unknown-resource-kind",
                        .message = "the kind of the document is unknown",
                        .where = documents_.where(document),
                        .found = api_version + ' ' + kind,
                        .needed = "a kind of Kubernetes or of a CustomResourceDefinition",
                        .fix = "add the CustomResourceDefinition of the kind"}));
      return false;
    }
    const auto good = check_id(id(document));
    if (good) return true;
    problems_.push_back(tenon::Error({.code = std::string(good.error().code()),
                                      .message = std::string(good.error().message()),
                                      .where = documents_.where(document),
                                      .found = std::string(good.error().found()),
                                      .needed = std::string(good.error().needed()),
                                      .fix = std::string(good.error().fix())}));
    return false;
  }

  int compare(const UnresolvedDocument& one, const UnresolvedDocument& other) const {
    if (one.type != other.type) {
      const int order = resources_[one.type]->compare(*resources_[other.type]);
      if (order != 0) return order;
    }
    if (one.space != other.space) {
      return documents_.spaces[one.space].compare(documents_.spaces[other.space]);
    }
    return documents_.name(one).compare(documents_.name(other));
  }

  void check_same(const UnresolvedDocument& first, const UnresolvedDocument& second) {
    const auto one = documents_.files.read(first.place);
    const auto other = documents_.files.read(second.place);
    if (!one || !other) {
      problems_.push_back(one ? other.error() : one.error());
      return;
    }
    if (*one == *other || *parse_document(*one) == *parse_document(*other)) return;
    problems_.push_back(
        tenon::Error({.code = "duplicate-resource",
                      .message = "two documents of one resource differ",
                      .where = documents_.where(second),
                      .found = id_text(id(second)) + ", as at " + documents_.where(first),
                      .needed = "each resource once",
                      .fix = "remove one of the documents"}));
  }

  UnresolvedDocuments& documents_;
  const ResourceOf& resource_of_;
  std::vector<tenon::Error>& problems_;
  std::vector<std::optional<std::string>> resources_;  // of each type, after the first request
};

}  // namespace

tenon::Result<Items> read_documents(const fs::path& from, const ResourceOf& resource_of,
                                    std::vector<tenon::Error>& problems,
                                    const OnDefinition& on_definition,
                                    const IsCancelled& is_cancelled) {
  std::error_code failed;
  const fs::file_status status = fs::status(from, failed);
  if (failed) return cannot_read(from, failed.value());
  const bool is_directory = fs::is_directory(status);
  if (!is_directory && !fs::is_regular_file(status)) return not_a_file(from);
  Files files;
  std::vector<tenon::Error> found;
  if (is_directory) {
    list_files(from, files, found);
    if (!found.empty() && found[0].where() == from.string()) return std::move(found[0]);
    std::move(found.begin(), found.end(), std::back_inserter(problems));
    if (!files.yaml.empty()) problems.push_back(not_json(files.yaml));
  } else {
    files.json.push_back(from);
  }
  std::sort(files.json.begin(), files.json.end());
  auto documents = collect(files.json, is_directory, problems, is_cancelled);
  if (!documents) return std::move(documents).error();
  report_definitions(*documents, on_definition, problems);
  return Resolution(*documents, resource_of, problems).run();
}

}  // namespace backup
