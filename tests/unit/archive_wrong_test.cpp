// SPDX-License-Identifier: BSL-1.0
//
// Archives that no backup has written, and streams that end too early.
#include <archive.h>
#include <archive_entry.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "backup/archive_path.hpp"
#include "backup/unpack_archive.hpp"
#include "framework/world.hpp"
#include "unit/archives.hpp"

namespace backup { namespace {

using namespace std::chrono_literals;
using tenon::tests::World;

struct Raw {
  std::string path;
  std::string content = "{}";
  mode_t type = AE_IFREG;
  std::string link = {};
};

la_ssize_t append(::archive*, void* to, const void* data, std::size_t size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), size);
  return static_cast<la_ssize_t>(size);
}

/// Returns a tar file with these entries, which may be invalid.
std::string tar_of(const std::vector<Raw>& entries) {
  std::string tar;
  ::archive* out = ::archive_write_new();
  ::archive_write_set_format_gnutar(out);
  ::archive_write_open(out, &tar, nullptr, append, nullptr);
  for (const Raw& raw : entries) {
    ::archive_entry* entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, raw.path.c_str());
    ::archive_entry_set_filetype(entry, raw.type);
    ::archive_entry_set_perm(entry, 0644);
    if (raw.type == AE_IFREG && raw.link.empty()) {
      ::archive_entry_set_size(entry, static_cast<la_int64_t>(raw.content.size()));
    }
    if (raw.type == AE_IFLNK) ::archive_entry_set_symlink(entry, raw.link.c_str());
    if (raw.type == AE_IFREG && !raw.link.empty()) {
      ::archive_entry_set_hardlink(entry, raw.link.c_str());
    }
    ::archive_write_header(out, entry);
    ::archive_write_data(out, raw.content.data(), raw.content.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_free(out);
  return tar;
}

class InvalidArchive : public testing::Test {
 protected:
  tenon::Result<Items> unpack(std::string packed, const ArchiveLimits& limits = {},
                              std::size_t piece = 1 << 20) {
    return unpack_archive(content(std::move(packed), piece), world_.root(), limits, call_);
  }
  std::string failure(std::string packed, const ArchiveLimits& limits = {}) {
    const auto items = unpack(std::move(packed), limits);
    return items ? "" : items.error().to_string();
  }

  World world_;
  tenon::Call call_;
};

const std::string path = "resources/pods/cluster/a.json";

// -- Valid archives of other programs -----------------------------------------

TEST_F(InvalidArchive, AcceptsArchivesOfTar) {
  world_.write("in/resources/pods/namespaces/web/\xc3\xa4.json", "{\"a\":1}");
  world_.write("in/resources/nodes/cluster/" + std::string(200, 'n') + ".json", "{}");
  world_.write("in/metadata/version", "1");
  for (const std::string format : {"gnu", "pax", "ustar"}) {
    for (const std::string filter : {"--gzip", "--zstd", "--sparse"}) {
      for (const std::string what : {".", "resources"}) {
        const auto made = world_.run({"tar", "--create", "--format", format, filter, "--file",
                                      "a.tar", "--directory", "in", what});
        const bool too_long = format == "ustar";
        if (too_long) continue;
        ASSERT_EQ(made.exit, 0) << made.err;
        const auto items = unpack(world_.read("a.tar"), {}, 7);
        ASSERT_TRUE(items) << format << filter << what << items.error().to_string();
        ASSERT_EQ(items->size(), 2u);
        EXPECT_EQ(id_text(items->id(1)), "pods web/\xc3\xa4");
        EXPECT_EQ(items->read(1).value(), "{\"a\":1}");
      }
    }
  }
}

TEST_F(InvalidArchive, IgnoresMetadata) {
  EXPECT_EQ(unpack(tar_of({{"metadata/version"}, {"resources", "", AE_IFDIR}})).value().size(), 0u);
}

// -- Invalid entries ----------------------------------------------------------

TEST_F(InvalidArchive, RefusesEntriesThatAreNotItems) {
  const std::string layout =
      "   needed  resources/RESOURCE/cluster/NAME.json or "
      "resources/RESOURCE/namespaces/NAMESPACE/NAME.json\n"
      "   fix     use an archive that tenon-backup created";
  const std::string kinds =
      "   needed  only files and directories in resources/ and metadata/\n"
      "   fix     use an archive that tenon-backup created";
  const auto bad_path = [&](std::string_view at, std::string_view found) {
    return "error[bad-path] " + std::string(at) +
           ": the entry is not an item of a backup\n   found   " + std::string(found) + "\n" +
           layout;
  };
  const auto bad_entry = [&](std::string_view code, std::string_view at, std::string_view found) {
    return "error[" + std::string(code) + "] " + std::string(at) +
           ": the entry does not belong in a backup\n   found   " + std::string(found) + "\n" +
           kinds;
  };
  const std::string out = "a path that leads out of the archive";
  const std::string longest(longest_name + 1, 'n');
  const std::vector<std::pair<Raw, std::string>> wrongs = {
      {{"/" + path}, bad_entry("bad-path", "/" + path, out)},
      {{"../" + path}, bad_entry("bad-path", "../" + path, out)},
      {{"resources/pods/../pods/cluster/a.json"},
       bad_entry("bad-path", "resources/pods/../pods/cluster/a.json", out)},
      {{"metadata/../../x"}, bad_entry("bad-path", "metadata/../../x", out)},
      {{"/etc", "", AE_IFDIR}, bad_entry("bad-path", "/etc/", out)},
      {{path, "", AE_IFLNK, "/etc/passwd"}, bad_entry("bad-entry", path, "a symbolic link")},
      {{path, "", AE_IFREG, "other"}, bad_entry("bad-entry", path, "a hard link")},
      {{path, "", AE_IFIFO}, bad_entry("bad-entry", path, "a pipe")},
      {{path, "", AE_IFCHR}, bad_entry("bad-entry", path, "a device")},
      {{path, "", AE_IFBLK}, bad_entry("bad-entry", path, "a device")},
      {{"a.json"}, bad_path("a.json", "a different layout")},
      {{"resources/pods/a.json"}, bad_path("resources/pods/a.json", "a different layout")},
      {{"resources/pods/cluster/x/a.json"},
       bad_path("resources/pods/cluster/x/a.json", "a different layout")},
      {{"resources/pods/cluster/a"},
       bad_path("resources/pods/cluster/a", "no name that ends with .json")},
      {{"resources/pods/cluster/.json"},
       bad_path("resources/pods/cluster/.json", "the name cannot be part of a path: it is empty")},
      {{"resources/pods/namespaces//a.json"},
       bad_path("resources/pods/namespaces//a.json", "an empty namespace")},
      {{"resources//cluster/a.json"},
       bad_path("resources//cluster/a.json", "the resource cannot be part of a path: it is empty")},
      {{"resources/pods/namespaces/./a.json"},
       bad_path("resources/pods/namespaces/./a.json",
                "the namespace cannot be part of a path: it names a directory")},
      {{"resources/pods/cluster/" + longest + ".json"},
       bad_path("resources/pods/cluster/" + longest + ".json",
                "the name cannot be part of a path: it is too long")},
      {{"resources/pods/cluster/a\xff.json"},
       bad_path("resources/pods/cluster/a\\xff.json",
                "the name cannot be part of a path: it is not UTF-8")},
      {{"resources/pods/cluster/a\nb.json"},
       bad_path("resources/pods/cluster/a\\x0ab.json",
                "the name cannot be part of a path: it contains a control character")},
  };
  for (const auto& [raw, error] : wrongs) EXPECT_EQ(failure(tar_of({raw})), error);
}

TEST_F(InvalidArchive, RefusesDuplicateItems) {
  EXPECT_EQ(failure(tar_of({{path, "1"}, {"./" + path, "1"}})),
            "error[duplicate-resource] " + path +
                ": the archive contains an item twice\n"
                "   needed  each item once\n"
                "   fix     use an archive that tenon-backup created");
}

TEST_F(InvalidArchive, EnforcesLimits) {
  const std::string two = tar_of({{path, "{\"abc\":1}"}, {"resources/pods/cluster/b.json", "{}"}});
  EXPECT_EQ(failure(two, {.item_bytes = 9, .entries = 2}), "");
  EXPECT_EQ(failure(two, {.item_bytes = 8}), "error[archive-too-large] " + path +
                                                 ": the archive is too large\n"
                                                 "   found   9 bytes\n"
                                                 "   needed  at most 8 bytes in one item\n"
                                                 "   fix     use an archive within the limits");
  EXPECT_EQ(failure(two, {.entries = 1}),
            "error[archive-too-large] resources/pods/cluster/b.json: the archive is too large\n"
            "   found   one more entry\n"
            "   needed  at most 1 entries\n"
            "   fix     use an archive within the limits");
  EXPECT_EQ(failure(two, {.bytes = two.size()}), "");
  EXPECT_EQ(unpack(two, {.bytes = two.size() - 1}).error().code(), "archive-too-large");
}

/// An archive of a few kilobytes would unpack to 8 GB.
TEST_F(InvalidArchive, RefusesALargeSparseFile) {
  ASSERT_EQ(world_.run({"truncate", "--size", "8G", world_.path("in/" + path).string()}).exit, 0);
  ASSERT_EQ(
      world_
          .run({"tar", "--create", "--sparse", "--file", "a.tar", "--directory", "in", "resources"})
          .exit,
      0);
  const ArchiveLimits large{.bytes = 1 << 20, .item_bytes = std::uint64_t{16} << 30, .entries = 9};
  EXPECT_EQ(unpack(world_.read("a.tar"), large).error().code(), "archive-too-large");
  EXPECT_EQ(unpack(world_.read("a.tar")).error().found(), "8589934592 bytes");
}

TEST_F(InvalidArchive, RefusesFilesOtherThanTar) {
  for (const std::string& content : {std::string(), std::string("x"), std::string("\x1f\x8b"),
                                     std::string(2000, 'x'), std::string("PK\x03\x04", 4)}) {
    EXPECT_EQ(unpack(content).error().code(), "broken-archive") << content;
  }
  std::string cut = tar_of({{path}});
  EXPECT_EQ(failure(cut.substr(0, 1024)),
            "error[broken-archive] the archive cannot be read\n"
            "   found   its end is missing\n"
            "   needed  a complete tar file, uncompressed or compressed with gzip or zstd\n"
            "   fix     get another copy of the archive");
}

TEST_F(InvalidArchive, RemovesPartlyUnpackedFiles) {
  const auto items = unpack(tar_of({{path}}));
  ASSERT_TRUE(items);
  for (const auto& entry : std::filesystem::directory_iterator(world_.root())) {
    EXPECT_TRUE(entry.is_directory()) << entry.path();
  }
}

TEST_F(InvalidArchive, ReportsAMissingDirectory) {
  const auto items = unpack_archive(content(tar_of({})), world_.root() / "none", {}, call_);
  EXPECT_EQ(items.error().code(), "cannot-write");
  EXPECT_EQ(items.error().found(),
            "unpacking the archive into a file in it: No such file or directory");
}

TEST_F(InvalidArchive, StopsIfTheCallIsCancelled) {
  call_.cancel();
  EXPECT_EQ(unpack(tar_of({{path}})).error().code(), "cancelled");
}

}}  // namespace backup
