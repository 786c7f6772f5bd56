// SPDX-License-Identifier: BSL-1.0
#include "filesystem_store.hpp"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include "key_walk.hpp"
#include "object_location.hpp"
#include "partial.hpp"
#include "path_parameter.hpp"
#include "relative_path.hpp"
#include "system_files.hpp"

namespace tenon::builtin {
namespace {

constexpr std::size_t piece_size = 65'536;
// Maximum number of keys in a page if the caller sets no limit.
constexpr std::size_t default_page = 10'000;

/// Reads an object. The content does not change if the object is replaced or deleted meanwhile.
class ObjectReader final : public sdk::Reader {
 public:
  ObjectReader(Descriptor file, std::string path)
      : file_(std::move(file)), path_(std::move(path)) {}

  std::size_t read(sdk::Call call, sdk::Buffer into) override {
    call.check();
    const auto got = read_some(file_.get(), into.data, into.size);
    if (!got) throw sdk::system_failure(errno, "cannot read ", path_);
    return *got;
  }

 private:
  Descriptor file_;
  std::string path_;
};

sdk::Failure no_object(std::string_view bucket, std::string_view key) {
  return sdk::Failure(TENON_NOT_FOUND, "there is no object \"", key, "\" in the bucket \"", bucket,
                      "\"");
}

/// Returns a tag that differs after each put, since each put creates another file.
std::string tag_of(const FileState& file) {
  constexpr std::int64_t second = 1'000'000'000;
  return sdk::text(file.inode, '-', file.size, '-', file.modified / second, '.',
                   file.modified % second);
}

}  // namespace

void FilesystemStore::configure(const sdk::Config& config) {
  const auto directory = path_parameter(config, "directory");
  directory_ =
      std::filesystem::absolute(std::filesystem::u8path(directory)).lexically_normal().u8string();
  try {
    static_cast<void>(Directory::open(directory_));
  } catch (const sdk::Failure& failure) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"directory\": ", failure.message());
  }
}

void FilesystemStore::put_object(std::string_view bucket, std::string_view key,
                                 std::unique_ptr<sdk::Reader> body) {
  check_name("bucket", bucket);
  check_path("key", key);
  if (body == nullptr) throw sdk::Failure(TENON_INVALID_ARGUMENT, "the body is missing");
  const Directory top = Directory::open(directory_);
  remove_abandoned(top);
  Partial file = Partial::file(top);
  copy(*body, file.get(), key);
  ObjectLocation::put(top, bucket, key, std::move(file));
}

void FilesystemStore::copy(sdk::Reader& body, int file, std::string_view key) const {
  const auto piece = std::make_unique<std::uint8_t[]>(piece_size);
  while (const std::size_t size = body.read(call(), {piece.get(), piece_size})) {
    if (!write_all(file, piece.get(), size)) {
      throw sdk::system_failure(errno, "cannot write the object \"", key, "\"");
    }
    call().check();
  }
  if (!sync_file(file)) {
    throw sdk::system_failure(errno, "cannot write the object \"", key, "\"");
  }
}

ObjectInfoV1 FilesystemStore::object_info(std::string_view bucket, std::string_view key) {
  const auto location = ObjectLocation::find(Directory::open(directory_), bucket, key);
  std::optional<Descriptor> file;
  if (location) file = location->directory().open_file(location->name());
  if (!file) throw no_object(bucket, key);
  const auto known = state_of(file->get());
  if (!known) {
    throw sdk::system_failure(errno, "cannot read the attributes of ",
                              location->directory().path_of(location->name()));
  }
  ObjectInfoV1 info;
  info.size = known->size;
  info.modified = Timestamp(std::chrono::nanoseconds(known->modified));
  info.etag = tag_of(*known);
  return info;
}

std::unique_ptr<sdk::Reader> FilesystemStore::get_object(std::string_view bucket,
                                                         std::string_view key) {
  const auto location = ObjectLocation::find(Directory::open(directory_), bucket, key);
  std::optional<Descriptor> file;
  if (location) file = location->directory().open_file(location->name());
  if (!file) throw no_object(bucket, key);
  return std::make_unique<ObjectReader>(*std::move(file),
                                        location->directory().path_of(location->name()));
}

std::vector<std::string> FilesystemStore::list_common_prefixes(std::string_view bucket,
                                                               std::string_view prefix,
                                                               std::string_view delimiter) {
  check_name("bucket", bucket);
  if (delimiter.empty()) throw sdk::Failure(TENON_INVALID_ARGUMENT, "the delimiter is empty");
  std::vector<std::string> prefixes;
  const auto directory = Directory::open(directory_).enter(std::string(bucket));
  if (!directory) return prefixes;
  KeyWalk walk(call(), prefix, "");
  walk.run(*directory, [&](std::string_view key) {
    const std::size_t found = key.find(delimiter, prefix.size());
    if (found == std::string_view::npos) return true;
    prefixes.emplace_back(key.substr(0, found + delimiter.size()));
    walk.skip(prefixes.back());
    return true;
  });
  return prefixes;
}

FilesystemStore::ListObjectsResult FilesystemStore::list_objects(std::string_view bucket,
                                                                 std::string_view prefix,
                                                                 std::string_view start_after,
                                                                 std::uint32_t limit) {
  check_name("bucket", bucket);
  ListObjectsResult page;
  const auto directory = Directory::open(directory_).enter(std::string(bucket));
  if (!directory) return page;
  const std::size_t most = limit != 0 ? limit : default_page;
  KeyWalk(call(), prefix, start_after).run(*directory, [&](std::string_view key) {
    page.more = page.keys.size() == most;
    if (!page.more) page.keys.emplace_back(key);
    return !page.more;
  });
  return page;
}

void FilesystemStore::delete_object(std::string_view bucket, std::string_view key) {
  auto location = ObjectLocation::find(Directory::open(directory_), bucket, key);
  if (location) location->remove();
}

}  // namespace tenon::builtin
