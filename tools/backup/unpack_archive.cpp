// SPDX-License-Identifier: BSL-1.0
#include "unpack_archive.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "archive_path.hpp"
#include "spool.hpp"
#include "tar_reader.hpp"

namespace backup {
namespace {

tenon::Error bad_entry(std::string_view path, std::string code, std::string found) {
  return tenon::Error({.code = std::move(code),
                       .message = "the entry does not belong in a backup",
                       .where = std::string(path),
                       .found = std::move(found),
                       .needed = "only files and directories in resources/ and metadata/",
                       .fix = "use an archive that tenon-backup created"});
}

tenon::Error too_large(std::string_view where, std::string found, std::string needed) {
  return tenon::Error({.code = "archive-too-large",
                       .message = "the archive is too large",
                       .where = std::string(where),
                       .found = std::move(found),
                       .needed = std::move(needed),
                       .fix = "use an archive within the limits"});
}

tenon::Error twice(const tenon::ResourceIdV1& id) {
  return tenon::Error({.code = "duplicate-resource",
                       .message = "the archive contains an item twice",
                       .where = archive_path(id),
                       .needed = "each item once",
                       .fix = "use an archive that tenon-backup created"});
}

bool escapes_archive(std::string_view path) {
  return path.starts_with('/') || path == ".." || path.starts_with("../") ||
         path.ends_with("/..") || path.find("/../") != path.npos;
}

std::string_view type_of(::archive_entry* entry) {
  if (::archive_entry_hardlink(entry) != nullptr) return "a hard link";
  switch (::archive_entry_filetype(entry)) {
    case AE_IFREG:
      return "a file";
    case AE_IFDIR:
      return "a directory";
    case AE_IFLNK:
      return "a symbolic link";
    case AE_IFIFO:
      return "a pipe";
    default:
      return "a device";
  }
}

class Unpacking {
 public:
  Unpacking(TarReader& tar, Spool& spool, const ArchiveLimits& limits)
      : tar_(tar), spool_(spool), limits_(limits) {}

  tenon::Result<void> run() {
    while (true) {
      auto entry = tar_.next();
      if (!entry) return std::move(entry).error();
      if (*entry == nullptr) return tar_.finish();
      if (auto done = take(*entry); !done) return done;
    }
  }

  tenon::Result<Items> items() && {
    auto file = spool_.release();
    if (!file) return std::move(file).error();
    ItemFiles files;
    files.add(*std::move(file));
    builder_.set_files(std::move(files));
    if (const auto id = builder_.sort()) return twice(*id);
    return builder_.take();
  }

 private:
  tenon::Result<void> take(::archive_entry* entry) {
    const char* name = ::archive_entry_pathname(entry);
    std::string_view path = name != nullptr ? name : "";
    if (++entries_ > limits_.entries) {
      return too_large(path, "one more entry",
                       "at most " + std::to_string(limits_.entries) + " entries");
    }
    if (escapes_archive(path))
      return bad_entry(path, "bad-path", "a path that leads out of the archive");
    const auto type = type_of(entry);
    if (type == "a directory") return {};
    if (type != "a file") return bad_entry(path, "bad-entry", std::string(type));
    if (path.starts_with("./")) path.remove_prefix(2);
    const auto size = static_cast<std::uint64_t>(::archive_entry_size(entry));
    if (path == definitions_path) return take_definitions(path, size);
    if (path.starts_with("metadata/")) return {};
    auto id = parse_archive_path(path);
    if (!id) return std::move(id).error();
    return take_item(*id, path, size);
  }

  tenon::Result<void> take_definitions(std::string_view path, std::uint64_t size) {
    if (size > limits_.item_bytes) {
      return too_large(path, std::to_string(size) + " bytes",
                       "at most " + std::to_string(limits_.item_bytes) + " bytes");
    }
    std::string text;
    while (true) {
      auto piece = tar_.content();
      if (!piece) return located(std::move(piece).error(), path);
      if (piece->empty()) break;
      text.append(*piece);
    }
    builder_.set_definitions(std::move(text));
    return {};
  }

  tenon::Result<void> take_item(const tenon::ResourceIdV1& id, std::string_view path,
                                std::uint64_t size) {
    if (size > limits_.item_bytes) {
      return too_large(path, std::to_string(size) + " bytes",
                       "at most " + std::to_string(limits_.item_bytes) + " bytes in one item");
    }
    // Sparse files unpack to more than the stream contains.
    if (size > limits_.bytes - std::min(limits_.bytes, spool_.size())) {
      return too_large(path, "more than the limit",
                       "at most " + std::to_string(limits_.bytes) + " bytes unpacked");
    }
    const std::uint64_t offset = spool_.size();
    if (auto copied = copy(path); !copied) return copied;
    builder_.add(id, {.file = 0, .head = 0, .offset = offset, .size = spool_.size() - offset});
    return {};
  }

  tenon::Result<void> copy(std::string_view path) {
    while (true) {
      auto piece = tar_.content();
      if (!piece) return located(std::move(piece).error(), path);
      if (piece->empty()) return {};
      if (auto appended = spool_.append(*piece); !appended) return appended;
    }
  }

  /// Adds the path of the entry to the error of a corrupt archive.
  static tenon::Error located(tenon::Error error, std::string_view path) {
    if (error.code() != "broken-archive") return error;
    return tenon::Error({.code = std::string(error.code()),
                         .message = std::string(error.message()),
                         .where = std::string(path),
                         .found = std::string(error.found()),
                         .needed = std::string(error.needed()),
                         .fix = std::string(error.fix())});
  }

  TarReader& tar_;
  Spool& spool_;
  const ArchiveLimits& limits_;
  std::size_t entries_ = 0;
  ItemsBuilder builder_;
};

}  // namespace

tenon::Result<Items> unpack_archive(tenon::Reader archive, const std::filesystem::path& directory,
                                    const ArchiveLimits& limits, tenon::Call& call) {
  auto spool = Spool::create(directory);
  if (!spool) return std::move(spool).error();
  UnpackedStream stream(std::move(archive), limits.bytes, call);
  TarReader tar(stream);
  Unpacking unpacking(tar, *spool, limits);
  if (auto done = unpacking.run(); !done) return std::move(done).error();
  return std::move(unpacking).items();
}

}  // namespace backup
