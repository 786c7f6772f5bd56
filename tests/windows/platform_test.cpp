// SPDX-License-Identifier: BSL-1.0
//
// loader/platform/windows/.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "call/thread_records.hpp"
#include "platform/cache_file.hpp"
#include "platform/event.hpp"
#include "platform/exposure.hpp"
#include "platform/file.hpp"
#include "platform/file_status.hpp"
#include "platform/image_map.hpp"
#include "platform/private_directory.hpp"
#include "platform/process.hpp"
#include "platform/replace_file.hpp"
#include "platform/windows/system.hpp"
#include "trust/sha256.hpp"
#include "windows/folder.hpp"
#include "windows/rights.hpp"

namespace tenon::tests { namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write(const fs::path& file, std::string_view content) {
  std::ofstream(file, std::ios::binary) << content;
}

// -- Threads --------------------------------------------------------------------

detail::ThreadRecord* record_on_a_thread() {
  detail::ThreadRecord* record = nullptr;
  std::thread([&] {
    detail::attach_thread();
    record = detail::this_thread_record();
  }).join();
  return record;
}

TEST(WindowsThreadRecord, IsReusedAfterItsThread) {
  detail::ThreadRecord* first = record_on_a_thread();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(record_on_a_thread(), first);
}

TEST(WindowsThreadRecord, IsReusedAfterAThreadOfTheSystem) {
  detail::ThreadRecord* first = record_on_a_thread();
  detail::ThreadRecord* record = nullptr;
  const auto body = [](void* into) -> DWORD {
    *static_cast<detail::ThreadRecord**>(into) = detail::attach_thread();
    return 0;
  };
  const HANDLE thread = CreateThread(nullptr, 0, body, &record, 0, nullptr);
  ASSERT_NE(thread, nullptr);
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
  EXPECT_EQ(record, first);
  EXPECT_EQ(record_on_a_thread(), first);
}

TEST(WindowsThreadRecord, DoesNotAccumulate) {
  record_on_a_thread();
  const std::size_t before = detail::count_thread_records();
  for (int i = 0; i < 2'000; ++i) record_on_a_thread();
  EXPECT_EQ(detail::count_thread_records(), before);
}

TEST(WindowsThreadRecord, IsAbsentBeforeTheFirstCall) {
  std::thread([] {
    EXPECT_EQ(detail::this_thread_record(), nullptr);
    EXPECT_FALSE(detail::ThreadRecord::is_slot(detail::next_free_slot()));
    EXPECT_EQ(detail::call_depth(), 0u);
  }).join();
}

// A number over 63 has no place in the block of a thread.
TEST(WindowsThreadRecord, IsFoundOutsideTheBlockOfItsThread) {
  std::thread([] {
    detail::ThreadRecord* record = detail::attach_thread();
    const auto offset = detail::thread_record_offset.exchange(0);
    EXPECT_NE(offset, 0u);
    EXPECT_EQ(detail::this_thread_record(), record);
    detail::thread_record_offset.store(offset);
    EXPECT_EQ(detail::this_thread_record(), record);
  }).join();
}

// -- Hashes ---------------------------------------------------------------------

TEST(WindowsSha256, HasTheHashesOfTheStandard) {
  EXPECT_EQ(detail::sha256({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(detail::sha256(std::as_bytes(std::span("abc", 3))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

// -- Files ----------------------------------------------------------------------

TEST(WindowsFile, IsReadAtAnyOffset) {
  const Folder folder;
  const fs::path path = folder.path() / u8"ж.txt";
  write(path, "0123456789");
  const auto file = platform::File::open(path);
  ASSERT_TRUE(file) << file.error().to_string();
  EXPECT_EQ(file->path(), path.string());
  std::array<std::byte, 4> bytes;
  EXPECT_EQ(file->read_at(8, bytes).value(), 2u);
  EXPECT_EQ(bytes[0], std::byte('8'));
  EXPECT_EQ(file->read_at(10, bytes).value(), 0u);
  EXPECT_EQ(file->read_all(10)->size(), 10u);
  EXPECT_EQ(file->read_all(9).error().code(), "cannot-read");
}

TEST(WindowsFile, HasTheIdentityOfItsContent) {
  const Folder folder;
  const fs::path path = folder.path() / "a";
  write(path, "one");
  fs::create_hard_link(path, folder.path() / "b");
  const auto first = platform::identity_of(path).value();
  EXPECT_EQ(platform::identity_of(folder.path() / "b").value().inode, first.inode);
  write(folder.path() / "c", "one");
  EXPECT_NE(platform::identity_of(folder.path() / "c").value().inode, first.inode);
  EXPECT_EQ(first.size, 3u);
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto age = now - std::chrono::nanoseconds(first.modified);
  EXPECT_LT(std::chrono::abs(age), std::chrono::hours(24));
}

TEST(WindowsFile, NoticesThatItWasWrittenTo) {
  const Folder folder;
  const fs::path path = folder.path() / "a";
  write(path, "one");
  const auto file = platform::File::open(path);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->is_unchanged());
  write(path, "longer");
  EXPECT_FALSE(file->is_unchanged());
}

TEST(WindowsFile, MustExistAndBeRegular) {
  const Folder folder;
  EXPECT_EQ(platform::File::open(folder.path() / "none").error().code(), "not-found");
  EXPECT_EQ(platform::File::open(folder.path()).error().found(), "a directory");
}

TEST(WindowsDirectory, IsListed) {
  const Folder folder;
  fs::create_directory(folder.path() / "d");
  write(folder.path() / u8"ж", "1");
  std::vector<platform::DirectoryEntry> entries;
  ASSERT_FALSE(platform::read_directory(folder.path(), entries));
  ASSERT_EQ(entries.size(), 2u);
  std::ranges::sort(entries, {}, &platform::DirectoryEntry::name);
  EXPECT_EQ(entries[0].name, "d");
  EXPECT_TRUE(entries[0].is_directory);
  EXPECT_EQ(entries[1].name, "ж");
  EXPECT_TRUE(entries[1].is_regular);
  platform::OpenDirectory directory(folder.path().c_str());
  ASSERT_TRUE(directory.status_of(entries[1]));
  EXPECT_EQ(directory.status_of(entries[1])->identity.size, 1u);
  entries.clear();
  EXPECT_EQ(platform::read_directory(folder.path() / "none", entries),
            std::errc::no_such_file_or_directory);
}

TEST(WindowsReplacement, FailsWhileTheFileIsOpen) {
  const Folder folder;
  const fs::path path = folder.path() / "a";
  write(path, "old");
  {
    const auto reader = platform::File::open(path);
    ASSERT_TRUE(reader);
    EXPECT_EQ(platform::replace_content(path, "new").failed, std::errc::permission_denied);
    EXPECT_EQ(content_of(path), "old");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1);
  }
  const auto replaced = platform::replace_content(path, "new");
  EXPECT_FALSE(replaced.failed) << replaced.failed.message();
  EXPECT_EQ(content_of(path), "new");
}

TEST(WindowsReplacement, LeavesNothingWithoutACommit) {
  const Folder folder;
  { platform::Replacement(folder.path() / "a").append("never"); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(WindowsReplacement, RemovesFilesOfKilledProcesses) {
  const Folder folder;
  platform::Replacement open(folder.path() / "other");
  const fs::path abandoned = folder.path() / ".tenon-0123456789abcdef";
  const Folder second;
  write(second.path() / ".tenon-0123456789abcdef", "of a killed process");
  EXPECT_FALSE(platform::replace_content(second.path() / "a", "1").failed);
  EXPECT_EQ(std::distance(fs::directory_iterator(second.path()), {}), 1);
  open.append("kept");
  EXPECT_FALSE(open.commit().failed);
}

TEST(WindowsReplacement, RefusesADirectory) {
  const Folder folder;
  EXPECT_EQ(platform::replace_content(folder.path(), "1").failed, std::errc::is_a_directory);
}

TEST(WindowsPrivateDirectory, IsRemovedWithItsOwner) {
  const Folder folder;
  fs::path path;
  {
    const auto made = platform::PrivateDirectory::create(folder.path());
    ASSERT_TRUE(made) << made.error().to_string();
    path = (*made)->path();
    EXPECT_TRUE((*made)->is_usable());
    EXPECT_TRUE((*made)->create_file("a", std::as_bytes(std::span("x", 1))));
    EXPECT_FALSE((*made)->create_file("a", {}));
    EXPECT_TRUE((*made)->link_file("a", "b"));
    EXPECT_EQ(content_of(path / "b"), "x");
    EXPECT_EQ(platform::remove_abandoned_directories(folder.path()), 0u);
    EXPECT_TRUE(fs::exists(path / "a"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(WindowsPrivateDirectory, IsRemovedAfterAKilledOwner) {
  const Folder folder;
  const fs::path abandoned = folder.path() / "tenon-0123456789abcdef";
  fs::create_directory(abandoned);
  write(abandoned / "lock", "files of one process of tenon\n");
  write(abandoned / "a", "x");
  const fs::path other = folder.path() / "tenon-fedcba9876543210";
  fs::create_directory(other);
  write(other / "lock", "of another program");
  EXPECT_EQ(platform::remove_abandoned_directories(folder.path()), 1u);
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(other));
}

TEST(WindowsPrivateDirectory, NeedsItsParent) {
  const Folder folder;
  const auto made = platform::PrivateDirectory::create(folder.path() / "none");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), "not-found");
}

TEST(WindowsCacheFile, IsReadAsItWasWritten) {
  const Folder folder;
  const fs::path file = folder.path() / "cache" / "index";
  EXPECT_TRUE(platform::write_cache_file(file, "123"));
  EXPECT_EQ(platform::read_cache_file(file, 3)->size(), 3u);
  EXPECT_FALSE(platform::read_cache_file(file, 2));
}

// -- The process ----------------------------------------------------------------

TEST(WindowsEvent, WakesAWaitUntilItIsCleared) {
  const std::intptr_t event = platform::create_event();
  ASSERT_NE(event, platform::no_event);
  platform::wait_event(event, 1);  // returns
  platform::signal_event(event);
  platform::wait_event(event, -1);
  platform::wait_event(event, -1);
  platform::clear_event(event);
  std::thread waker([&] { platform::signal_event(event); });
  platform::wait_event(event, -1);
  waker.join();
  platform::close_event(event);
}

TEST(WindowsImageMap, FindsTheProgramAndItsLibraries) {
  static const int data = 1;
  const auto code = reinterpret_cast<const void*>(&content_of);
  const fs::path program = platform::image_at(&data);
  EXPECT_EQ(program.extension(), ".exe");
  const auto map = platform::ImageMap::of(program);
  EXPECT_TRUE(map.contains_code(code));
  EXPECT_FALSE(map.contains_code(&data));
  EXPECT_TRUE(map.contains(&data, sizeof data));
  int on_stack = 0;
  EXPECT_FALSE(map.contains(&on_stack, 1));
  EXPECT_EQ(platform::image_at(&on_stack), "");
  EXPECT_TRUE(platform::is_loaded("KERNEL32.dll"));
  EXPECT_FALSE(platform::is_loaded("no-such-library.dll"));
  EXPECT_TRUE(platform::ImageMap::of("no-such-library.dll").empty());
  const auto importers = platform::importers_of("KERNEL32.dll");
  EXPECT_NE(std::ranges::find(importers, program.string()), importers.end());
}

TEST(WindowsProcess, SplitsListsAtSemicolons) {
  const std::vector<fs::path> expected{"C:\\a", "b c"};
  EXPECT_EQ(platform::split_path_list("C:\\a;;b c;"), expected);
}

TEST(WindowsProcess, ReadsTheEnvironmentInUtf8) {
  SetEnvironmentVariableW(L"TENON_TEST", L"\u0436");
  EXPECT_EQ(platform::trusted_environment("TENON_TEST"), "ж");
  SetEnvironmentVariableW(L"TENON_TEST", std::wstring(1000, L'x').c_str());
  EXPECT_EQ(platform::trusted_environment("TENON_TEST").size(), 1000u);
  SetEnvironmentVariableW(L"TENON_TEST", nullptr);
  EXPECT_EQ(platform::trusted_environment("TENON_TEST"), "");
}

TEST(WindowsProcess, HasFoldersForFiles) {
  const auto directories = platform::module_directories("photo");
  ASSERT_EQ(directories.size(), 3u);
  for (const fs::path& directory : directories) {
    EXPECT_TRUE(directory.is_absolute()) << directory;
    EXPECT_EQ(directory.filename(), "plugins");
  }
  EXPECT_TRUE(platform::state_directory("photo").is_absolute());
  EXPECT_TRUE(platform::state_directory("../photo").empty());
  EXPECT_EQ(platform::settings_files("photo").user.filename(), "photo.json");
  EXPECT_TRUE(platform::cache_directory().is_absolute());
}

// -- Owners and rights ------------------------------------------------------------

TEST(WindowsExposure, IsNotThatOfAFileOfTheUser) {
  const Folder folder;
  const fs::path file = folder.path() / "file";
  write(file, "x");
  EXPECT_FALSE(platform::exposure_at(file));
  EXPECT_FALSE(platform::exposure_at(folder.path()));
  EXPECT_FALSE(platform::exposure_at(folder.path() / "missing"));
}

TEST(WindowsExposure, IsThatOfAFileThatEveryoneMayWrite) {
  const Folder folder;
  const fs::path file = folder.path() / "file";
  write(file, "x");
  let_everyone_write(file);
  const auto exposed = platform::exposure_at(file);
  ASSERT_TRUE(exposed);
  EXPECT_EQ(exposed->path, file);
  EXPECT_EQ(exposed->found, "a file with an access control list by which Everyone may write");
  EXPECT_EQ(exposed->fix, "icacls \"" + file.string() + "\" /remove:g \"Everyone\"");
  EXPECT_FALSE(exposed->by_owner);
  EXPECT_FALSE(exposed->unread);
  EXPECT_FALSE(platform::exposure_at(folder.path())) << "its directory is not";
}

TEST(WindowsExposure, IsThatOfDirectoriesAboveAFile) {
  const Folder folder;
  const fs::path file = folder.path() / "a" / "b" / "file";
  fs::create_directories(file.parent_path());
  write(file, "x");
  EXPECT_FALSE(platform::exposure_at(file));
  let_everyone_write(folder.path() / "a");
  const auto exposed = platform::exposure_at(file);
  ASSERT_TRUE(exposed);
  EXPECT_EQ(exposed->path, folder.path() / "a");
  EXPECT_EQ(exposed->found, "a directory with an access control list by which Everyone may write");
}

}}  // namespace tenon::tests
