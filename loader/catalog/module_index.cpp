// SPDX-License-Identifier: BSL-1.0
#include "catalog/module_index.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/test_point.hpp"
#include "catalog/scan.hpp"
#include "platform/cache_file.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// More would let the index grow with each directory that a program ever searched.
constexpr std::size_t max_directories = 16;

/// A file that belongs in the index.
struct Indexable {
  const platform::PathText* file;
  const platform::FileIdentity* identity;
  const Manifest* manifest;  // nullptr: it is no module
  bool is_indexed;
};

/// The files of a scan below one entry of the search path.
struct Indexables {
  const ScannedDirectory* directory;
  std::vector<Indexable> files;

  std::string_view path() const noexcept { return directory->canonical; }
};

std::vector<Indexables> indexables_of(const Scan& scan,
                                      std::chrono::system_clock::time_point when) {
  std::vector<Indexables> all;
  auto module = scan.modules.begin();
  auto library = scan.libraries.begin();
  for (const ScannedDirectory& directory : scan.directories) {
    std::vector<Indexable> files;
    files.reserve(directory.modules + directory.libraries);
    for (std::size_t i = 0; i < directory.modules; ++i, ++module) {
      // Plugins in development change often, and count as another version than their file states.
      if (module->manifest->in_development || !is_settled(module->identity, when)) continue;
      files.push_back(
          {&module->file, &module->identity, module->manifest.get(), module->is_indexed});
    }
    for (std::size_t i = 0; i < directory.libraries; ++i, ++library) {
      if (!is_settled(library->identity, when)) continue;
      files.push_back({&library->file, &library->identity, nullptr, library->is_indexed});
    }
    const bool is_again =
        std::ranges::find(all, directory.canonical, &Indexables::path) != all.end();
    if (!is_again) all.push_back({&directory, std::move(files)});
  }
  return all;
}

bool is_same(const Indexables& directory, const IndexFile* index) {
  const IndexFile::Directory* before = index != nullptr ? index->find(directory.path()) : nullptr;
  return directory.files.size() == (before != nullptr ? before->size() : 0) &&
         std::ranges::all_of(directory.files, &Indexable::is_indexed);
}

void write(const Indexables& directory, IndexWriter& writer) {
  writer.begin_directory(directory.path());
  for (const Indexable& file : directory.files) {
    writer.add(name_below(*directory.directory, *file.file), *file.identity, file.manifest);
  }
}

void write(const IndexFile& index, const IndexFile::Directory& directory, IndexWriter& writer) {
  writer.begin_directory(directory.path());
  for (std::size_t i = 0; i < directory.size(); ++i) {
    const IndexFile::Entry entry = directory.entry(i);
    const auto manifest = entry.manifest.empty() ? nullptr : index.decode(entry);
    if (entry.manifest.empty() || manifest != nullptr)
      writer.add(entry.name, entry.identity, manifest.get());
  }
}

std::filesystem::path path_of_index(const std::string& app) {
  const std::filesystem::path directory = platform::cache_directory();
  const bool is_file_name = !app.empty() && std::filesystem::path(app).filename() == app;
  return directory.empty() || !is_file_name ? std::filesystem::path()
                                            : directory / (app + ".index");
}

}  // namespace

bool is_settled(const platform::FileIdentity& identity,
                std::chrono::system_clock::time_point when) noexcept {
  constexpr std::chrono::nanoseconds moment = std::chrono::seconds(3);
  return when.time_since_epoch() - std::chrono::nanoseconds(identity.changed) > moment;
}

ModuleIndex::ModuleIndex(const std::string& app) : app_(app), path_(path_of_index(app)) {
  if (path_.empty()) return;
  auto content = platform::read_cache_file(path_, max_index_size);
  if (content) file_ = IndexFile::read(std::move(*content), app_);
}

void ModuleIndex::update(const Scan& scan, std::chrono::system_clock::time_point when) const {
  if (path_.empty()) return;
  const std::vector<Indexables> scanned = indexables_of(scan, when);
  const auto same = [this](const Indexables& directory) { return is_same(directory, file()); };
  if (std::ranges::all_of(scanned, same)) return;
  IndexWriter writer;
  std::size_t count = 0;
  for (const Indexables& directory : scanned) {
    if (directory.files.empty()) continue;
    write(directory, writer);
    ++count;
  }
  if (file_ != nullptr) {
    for (const IndexFile::Directory& other : file_->directories()) {
      if (count >= max_directories || writer.size() > max_index_size / 4) break;
      if (std::ranges::find(scanned, other.path(), &Indexables::path) != scanned.end()) continue;
      write(*file_, other, writer);
      ++count;
    }
  }
  if (writer.size() > max_index_size) return;
  TENON_TEST_POINT("index: made");
  platform::write_cache_file(path_, writer.finish(app_));
}

}}}  // namespace tenon::v0_1::detail
