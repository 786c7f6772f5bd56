// SPDX-License-Identifier: BSL-1.0
//
// Unpacks archives and reads documents while each system call fails in turn. The result must be
// complete, or there must be an error, and no file may be left. Restores into a directory of a file
// system that supports few requests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "backup/archive_path.hpp"
#include "backup/documents.hpp"
#include "backup/item_writers.hpp"
#include "backup/restored_directory.hpp"
#include "backup/unpack_archive.hpp"
#include "framework/faulty.h"
#include "framework/faulty_inside.hpp"
#include "framework/path_texts.hpp"
#include "framework/world.hpp"
#include "unit/archives.hpp"

namespace backup { namespace {

using tenon::tests::Failure;
using tenon::tests::Fault;
using tenon::tests::for_each_fault;
using tenon::tests::Request;
using tenon::tests::unwritable_text;
using tenon::tests::World;

class BackupFaults : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(directory_); }

  World world_;
  const std::filesystem::path directory_ = world_.root() / "faulty";
};

bool has(const std::vector<Request>& requests, std::string_view name) {
  return std::any_of(requests.begin(), requests.end(),
                     [&](const Request& request) { return request.name == name; });
}

TEST_F(BackupFaults, AreReportedByUnpacking) {
  Entries entries;
  for (std::size_t i = 0; i < 300; ++i) entries.emplace_back(nth_id(i), std::string(2'000, 'x'));
  const std::string packed = pack(entries, Compression::zstd);
  std::optional<tenon::Result<Items>> items;
  const auto requests = for_each_fault(
      directory_,
      {.prepare = [&] { items.reset(); },
       .run =
           [&] {
             tenon::Call call;
             items.emplace(unpack_archive(content(packed), directory_, {}, call));
           },
       .check =
           [&](const Fault* fault) {
             const bool whole = items && items->has_value();
             EXPECT_TRUE(whole || fault != nullptr);
             if (whole) {
               ASSERT_EQ((*items)->size(), 300u);
               for (std::size_t i = 0; i < 300; ++i)
                 EXPECT_EQ((*items)->read(i).value().size(), 2'000u);
             } else if (items && fault->failure == Failure::no_room) {
               EXPECT_EQ(items->error().to_string() + "\n",
                         unwritable_text(directory_.string(),
                                         "unpacking the archive into a file in it: No space left "
                                         "on device",
                                         "set TMPDIR to another directory"));
             }
             items.reset();
           }});
  EXPECT_TRUE(has(requests, "write"));
}

TEST_F(BackupFaults, AreReportedByReadingDocuments) {
  // A file, not a directory: libstdc++ aborts if it cannot allocate a path in a directory.
  const auto from = world_.write("faulty/in.json",
                                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}
{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"b"}}]})");
  std::optional<tenon::Result<Items>> items;
  std::vector<tenon::Error> problems;
  const auto requests = for_each_fault(
      directory_,
      {.prepare =
           [&] {
             items.reset();
             problems.clear();
           },
       .run =
           [&] {
             items.emplace(read_documents(
                 from, [](std::string_view, std::string_view) { return "pods"; }, problems));
           },
       .check =
           [&](const Fault* fault) {
             const bool whole = items && items->has_value() && (*items)->size() == 2;
             EXPECT_TRUE(whole || fault != nullptr);
             // A thrown std::bad_alloc leaves no result; any other failure adds a problem.
             EXPECT_TRUE(whole || !items || !items->has_value() || !problems.empty());
             if (whole) {
               EXPECT_EQ((*items)->read(0).value().size(), 56u);
             }
             items.reset();
             problems.clear();
           }});
  EXPECT_TRUE(has(requests, "read"));
}

TEST(ItemWriters, WriteBackWhileTheyAreUsed) {
  const World world;
  RestoredDirectory directory(world.root() / "restored");
  ASSERT_TRUE(directory.lock());
  const std::string log = world.path("log");
  faulty_begin((world.root() / "restored").c_str(), "", log.c_str(), 0, 0);
  {
    ItemWriters writers(directory, [](const ItemWrite&) {});
    for (std::size_t i = 0; i < 4096; ++i) {
      writers.add({.index = i,
                   .id = nth_id(i),
                   .text = "{}",
                   .existing = RestoredDirectory::Existing::keep,
                   .source = {}});
    }
    writers.finish();
    while (tenon::tests::read_file(log).find("sync ") == std::string::npos) {
      std::this_thread::yield();
    }
  }
  faulty_end();
}

TEST(RestoredDirectory, ReportsADirectoryInPlaceOfAFile) {
  const World world;
  const auto path = world.root() / "restored";
  RestoredDirectory directory(path);
  ASSERT_TRUE(directory.lock());
  std::filesystem::create_directories(path / archive_path(nth_id(1)));
  RestoredDirectory::Place place;
  const auto written =
      directory.write(nth_id(1), "{}", RestoredDirectory::Existing::replace, place);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code(), "cannot-write");
  EXPECT_NE(written.error().found().find("Is a directory"), std::string::npos)
      << written.error().to_string();
  const auto entries = std::filesystem::directory_iterator(path);
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "without a partial file";
}

TEST(RestoredDirectory, KeepsFilesOnSimpleFileSystems) {
  const World world;
  RestoredDirectory directory(world.root() / "restored");
  ASSERT_TRUE(directory.lock());
  const std::filesystem::path no_file = world.path("none/file");
  // NFS has neither files without a name nor flags of a renaming.
  faulty_begin(no_file.parent_path().c_str(), ",renameat2,tmpfile,", nullptr, -1, EINVAL);
  RestoredDirectory::Place place;
  const auto write = [&](const char* json) {
    return directory.write(nth_id(1), json, RestoredDirectory::Existing::keep, place).value();
  };
  EXPECT_EQ(write("{}"), RestoredDirectory::Written::written);
  EXPECT_EQ(write("{}"), RestoredDirectory::Written::unchanged);
  EXPECT_EQ(write("[]"), RestoredDirectory::Written::differs);
  faulty_end();
  EXPECT_EQ(directory.read(nth_id(1)), "{}\n");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.root() / "restored"))
    files += entry.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1u) << "without partial files";
}

// The last test: the process links no descriptors after it.
TEST(RestoredDirectory, WritesFilesWithoutThePrivilegeToLinkThem) {
  const World world;
  RestoredDirectory directory(world.root() / "restored");
  ASSERT_TRUE(directory.lock());
  const std::filesystem::path no_file = world.path("none/file");
  const std::string log = world.path("log");
  faulty_begin(no_file.parent_path().c_str(), ",linkdescriptor,renameat2,", log.c_str(), -1,
               ENOENT);
  RestoredDirectory::Place place;
  for (const std::size_t number : {1, 2}) {
    const auto written =
        directory.write(nth_id(number), "{}", RestoredDirectory::Existing::keep, place);
    EXPECT_EQ(written.value(), RestoredDirectory::Written::written);
  }
  faulty_end();
  EXPECT_EQ(directory.read(nth_id(1)), "{}\n");
  EXPECT_EQ(directory.read(nth_id(2)), "{}\n");
  EXPECT_EQ(tenon::tests::read_file(log), "linkdescriptor \n") << "once";
}

}}  // namespace backup
