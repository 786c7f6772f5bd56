// SPDX-License-Identifier: BSL-1.0
//
// Images of real modules: what stays in the process after they are unloaded, and what two images
// share. FAULTS is the directory of tests/faults.
#include "image/image.hpp"

#include <tenon/call.hpp>
#include <tenon/kept_libraries.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <test/echo/v1.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "binary/byte_source.hpp"
#include "binary/elf.hpp"
#include "framework/world.hpp"
#include "manifest/module_file.hpp"
#include "platform/file.hpp"
#include "unit/faults.hpp"

// Of the leak checker; nullptr without it.
extern "C" void __lsan_disable() __attribute__((weak));
extern "C" void __lsan_enable() __attribute__((weak));

namespace tenon::tests { namespace {

using detail::ElfFile;
using detail::Image;
using detail::ImageDirectory;
using detail::ImageOptions;
using detail::MemorySource;
using detail::read_bundle;
using detail::read_module_image;
namespace fs = std::filesystem;

/// Returns whether a file whose path contains both texts is mapped.
bool is_mapped(std::string_view text, std::string_view also = {}) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(text) != std::string::npos && line.find(also) != std::string::npos) return true;
  }
  return false;
}

/// An instance of the module's only plugin, whose kind is test.example/echo.
class Echo {
 public:
  explicit Echo(const Image& image)
      : table_(*static_cast<const test_echo_v1*>(
            TENON_AT(tenon_registration, image.module().registrations, 0).table)) {
    if (table_.base == nullptr || table_.base->create == nullptr) return;
    Call call;
    const tenon_create_request in{sizeof in, nullptr, {nullptr, 0}};
    EXPECT_EQ(table_.base->create(call.raw(), &in, &self_), TENON_OK);
  }
  ~Echo() {
    if (table_.base != nullptr && table_.base->destroy != nullptr) table_.base->destroy(self_);
  }
  Echo(const Echo&) = delete;
  Echo& operator=(const Echo&) = delete;

  std::string say(std::string_view text) {
    Call call;
    const test_echo_v1_say_request in{sizeof in, {text.data(), text.size()}};
    const test_echo_v1_say_response* out = nullptr;
    EXPECT_EQ(table_.say(call.raw(), self_, &in, &out), TENON_OK);
    return {out->text.data, out->text.size};
  }
  std::int64_t count() {
    Call call;
    const test_echo_v1_count_request in{sizeof in};
    const test_echo_v1_count_response* out = nullptr;
    EXPECT_EQ(table_.count(call.raw(), self_, &in, &out), TENON_OK);
    return out->calls;
  }
  /// Calls `say` once, and returns the count of the plugin.
  std::int64_t count_of_one() {
    say("once");
    return count();
  }

 private:
  const test_echo_v1& table_;
  void* self_ = nullptr;
};

class Images : public testing::Test {
 protected:
  Images() { setenv("TMPDIR", world_.path("tmp/x").parent_path().c_str(), 1); }
  ~Images() override {
    before_.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", before_.c_str(), 1);
  }

  Result<Image> load(const fs::path& file) const {
    auto content = bytes_of(file);
    const bool joins = read_module_image(content, file).value().manifest->unload.joins_threads;
    auto bundle = read_bundle(std::move(content), file);
    return bundle ? Image::load(directory_, std::move(*bundle), {joins})
                  : std::move(bundle).error();
  }
  Result<Image> load_fault(std::string_view name) const {
    return load(fs::path(FAULTS) / (std::string(name) + ".so"));
  }
  /// Copies a module to the directory `in` of the world, and its libraries to the directory beside
  /// it.
  fs::path place(std::string_view module, std::string_view in, std::string_view sibling) const {
    const fs::path directory = world_.root() / in;
    const auto copy = [&](std::string_view from, const fs::path& to) {
      fs::create_directories(to.parent_path());
      fs::copy_file(fs::path(FAULTS) / from, directory / "new",
                    fs::copy_options::overwrite_existing);
      fs::rename(directory / "new", to);
    };
    fs::create_directories(directory);
    copy(std::string(module) + ".so", directory / "plugins/user.so");
    copy(std::string(sibling) + ".so", directory / "lib/libtests-sibling.so.1");
    copy("deep.so", directory / "lib/libtests-deep.so.1");
    return directory / "plugins/user.so";
  }

  /// Copies a module and its library to two directories. The name of the library has the number of
  /// the test. `run_path` leads to it; by default it is absolute.
  fs::path place_kept(std::string_view module, std::string_view library, int number,
                      std::string run_path = {}) const {
    const fs::path directory = world_.root() / (run_path.empty() ? "run-path" : "beside");
    fs::create_directories(directory);
    if (run_path.empty()) run_path = directory.string();
    const auto copy = [&](std::string_view from, const fs::path& to) {
      std::string content = read_file(fault(std::string(from)));
      const std::string name = "libtests-kept-" + std::to_string(number) + ".so";
      content.replace(content.find("libtests-kept-0.so"), name.size(), name);
      if (const auto begin = content.find("/run-path-of"); begin != std::string::npos) {
        const auto size = content.find('\0', begin) - begin;
        run_path.resize(size, '/');
        content.replace(begin, size, run_path);
      }
      const fs::path fresh = to.string() + ".new";
      std::ofstream(fresh, std::ios::binary) << content;
      fs::rename(fresh, to);
    };
    copy(library, directory / ("libtests-kept-" + std::to_string(number) + ".so"));
    fs::path file = directory / (std::string(module) + ".so");
    copy(module, file);
    return file;
  }

  /// Returns whether a private copy of this test is mapped, eg: "good.g1.so".
  bool is_loaded(std::string_view copy) const {
    return is_mapped((world_.root() / "tmp").string(), "/" + std::string(copy));
  }
  /// Returns the names of the private copies.
  std::vector<std::string> copies() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(world_.root() / "tmp")) {
      const std::string name = entry.path().filename();
      if (entry.is_regular_file() && name != "lock") names.push_back(name);
    }
    return names;
  }

 private:
  const std::string before_ = std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "";

 protected:
  World world_;
  std::shared_ptr<ImageDirectory> directory_ = std::make_shared<ImageDirectory>();
};

TEST_F(Images, AreUnloadedWhenDestroyed) {
  {
    const auto image = load_fault("good");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::safe);
    EXPECT_TRUE(image->reloadable());
    EXPECT_TRUE(is_loaded("good.g1.so"));
  }
  EXPECT_FALSE(is_loaded("good.g1.so"));
  EXPECT_EQ(directory_->lingering(), 0u);
  EXPECT_EQ(directory_->retired(), 0u);
  EXPECT_TRUE(copies().empty());
}

TEST_F(Images, WithUniqueSymbolsAreUnloadedAndStartFresh) {
  for (int generation = 1; generation <= 3; ++generation) {
    const auto image = load_fault("unique-symbols");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::patched);
    EXPECT_TRUE(image->reloadable());
    EXPECT_EQ(Echo(*image).count_of_one(), 1) << "the counter of another generation";
    EXPECT_FALSE(is_loaded("unique-symbols.g" + std::to_string(generation - 1)));
  }
  EXPECT_FALSE(is_loaded("unique-symbols.g"));
  EXPECT_EQ(directory_->lingering(), 0u);
}

TEST_F(Images, WithUniqueSymbolsAreIsolatedSideBySide) {
  const auto first = load_fault("unique-symbols");
  Echo(*first).say("hello");
  const auto second = load_fault("unique-symbols");
  EXPECT_EQ(Echo(*second).count_of_one(), 1);
  EXPECT_EQ(Echo(*first).count_of_one(), 2);
}

TEST_F(Images, StayMappedWhileAThreadHoldsAThreadLocal) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ended = false, over = false;
  std::thread thread([&] {
    {
      const auto image = load_fault("thread-local");
      EXPECT_EQ(image->reload().grade, ReloadGrade::unverified);
      EXPECT_EQ(image->reload().symbol, "__cxa_thread_atexit");
      EXPECT_TRUE(image->reloadable());
      EXPECT_EQ(Echo(*image).count_of_one(), 1);
    }
    std::unique_lock lock(mutex);
    ended = true;
    changed.notify_all();
    changed.wait(lock, [&] { return over; });
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ended; });
  }
  EXPECT_EQ(directory_->lingering(), 1u);
  EXPECT_EQ(directory_->sweep(), 0u);
  EXPECT_EQ(directory_->lingering(), 1u);
  EXPECT_TRUE(is_loaded("thread-local.g1.so"));
  {
    std::lock_guard lock(mutex);
    over = true;
    changed.notify_all();
  }
  thread.join();
  EXPECT_EQ(directory_->sweep(), 1u);
  EXPECT_EQ(directory_->lingering(), 0u);
  EXPECT_FALSE(is_loaded("thread-local.g1.so"));
  EXPECT_TRUE(copies().empty());
}

TEST_F(Images, StayMappedWithAThreadLocalOfTheMainThread) {
  { Echo(*load_fault("thread-local")).say("hello"); }
  EXPECT_EQ(directory_->lingering(), 1u);
  EXPECT_EQ(directory_->sweep(), 0u);
  directory_.reset();
  EXPECT_TRUE(is_loaded("thread-local.g1.so")) << "the destructor has not run yet";
}

TEST_F(Images, WithAnUnusedThreadLocalAreUnloaded) {
  { const auto image = load_fault("thread-local"); }
  EXPECT_EQ(directory_->lingering(), 0u);
  EXPECT_FALSE(is_loaded("thread-local.g1.so"));
}

TEST_F(Images, WithNodeleteStayMapped) {
  {
    const auto image = load_fault("nodelete");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::unsafe);
    EXPECT_EQ(image->reload().symbol, "DF_1_NODELETE");
    EXPECT_FALSE(image->reloadable());
    EXPECT_EQ(Echo(*image).say("hello"), "1: hello") << "it may be used nevertheless";
  }
  EXPECT_TRUE(is_loaded("nodelete.g1.so"));
  EXPECT_EQ(directory_->retired(), 1u);
  EXPECT_EQ(directory_->lingering(), 0u);
}

TEST_F(Images, AreUnloadedWithoutTheirNodeleteLibrary) {
  {
    const auto image = load_fault("needs-nodelete");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::safe);
    EXPECT_GT(Echo(*image).count_of_one(), 1000);
  }
  EXPECT_FALSE(is_loaded("needs-nodelete.g1.so"));
  EXPECT_TRUE(is_mapped("/nodelete-library.so"));
  EXPECT_EQ(directory_->lingering(), 0u);
}

TEST_F(Images, KeepTheLibrariesThatTheyBring) {
  const fs::path file = place_kept("kept-user", "kept-1", 1);
  for (const int calls : {1, 2}) {
    const auto image = load(file);
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::safe);
    EXPECT_EQ(Echo(*image).count_of_one(), 1 + 1000 + calls) << "it does not use the module";
  }
  EXPECT_FALSE(is_loaded("kept-user.g"));
  EXPECT_TRUE(is_mapped("/libtests-kept-1.so"));
  const auto kept = tenon::kept_libraries();
  const fs::path library = fs::canonical(world_.root() / "run-path/libtests-kept-1.so");
  const auto listed = std::ranges::find(kept, library, &KeptLibrary::file);
  ASSERT_NE(listed, kept.end());
  EXPECT_FALSE(listed->replaced);
}

TEST_F(Images, WithALibraryThatUsesThemAreUnverified) {
  const fs::path file = place_kept("kept-user", "kept-bound", 2);
  {
    const auto image = load(file);
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::unverified);
    EXPECT_EQ(image->reload().symbol, "libtests-kept-2.so");
    EXPECT_EQ(image->reload().file, file);
    EXPECT_EQ(Echo(*image).count_of_one(), 1 + 1001 + 500);
  }
  EXPECT_FALSE(is_loaded("kept-user.g"));
  EXPECT_FALSE(is_mapped("/libtests-kept-2.so"));
}

TEST_F(Images, ThatNeedTheNewEditionOfAKeptLibraryAreRefused) {
  const fs::path file = place_kept("kept-user", "kept-1", 3);
  ASSERT_TRUE(load(file));
  const fs::path fresh = place_kept("kept-user-edition-2", "kept-2", 3);
  const auto refused = load(fresh);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), "library-replaced");
  EXPECT_NE(refused.error().message().find("tests_kept_2"), std::string::npos)
      << refused.error().to_string();
  for (const auto text : {refused.error().found(), refused.error().needed()}) {
    EXPECT_NE(text.find("/libtests-kept-3.so, written 20"), std::string::npos) << text;
  }
  const auto before = load(file);
  ASSERT_TRUE(before) << before.error().to_string();
  EXPECT_EQ(Echo(*before).count_of_one(), 1 + 1001);
  EXPECT_TRUE(tenon::kept_libraries().back().replaced);
}

TEST_F(Images, CopyALibraryBesideThemThatAnotherModuleBrought) {
  const auto with_system = load(place_kept("kept-user", "kept-1", 4));
  ASSERT_TRUE(with_system) << with_system.error().to_string();
  const auto with_own = load(place_kept("kept-user-edition-2", "kept-2", 4, "$ORIGIN/"));
  ASSERT_TRUE(with_own) << with_own.error().to_string();
  EXPECT_EQ(Echo(*with_own).count_of_one(), 1 + 2001 + 500);
}

TEST_F(Images, KeepALibraryWithThreads) {
  const auto threads = [] {
    return std::distance(fs::directory_iterator("/proc/self/task"), fs::directory_iterator());
  };
  std::ptrdiff_t first = 0;
  for (int loads = 0; loads < 5; ++loads) {
    const auto image = load_fault("openmp");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(Echo(*image).count_of_one(), 4);
    if (loads == 0) first = threads();
  }
  EXPECT_EQ(threads(), first) << "the next module uses the same threads";
  EXPECT_FALSE(is_loaded("openmp.g"));
}

TEST_F(Images, AreUnloadedWithALibraryThatKnowsThem) {
  // gflags never frees what it knows of its flags.
  if (__lsan_disable != nullptr) __lsan_disable();
  for (int loads = 0; loads < 3; ++loads) {
    const auto image = load_fault("gflags");  // ends the process if the flag is known already
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_TRUE(is_mapped("/libgflags"));
  }
  if (__lsan_enable != nullptr) __lsan_enable();
  EXPECT_FALSE(is_mapped("/libgflags"));
}

TEST_F(Images, WithUnjoinedThreadsStayMapped) {
  {
    const auto image = load_fault("thread-stays");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().symbol, "pthread_create");
    EXPECT_TRUE(image->reload().stays_mapped);
    EXPECT_TRUE(image->reloadable()) << "its threads are escaped_for_display";
    Call call;
    ASSERT_EQ(image->module().start(call.raw(), nullptr), TENON_OK);
    image->module().stop();
  }
  EXPECT_TRUE(is_loaded("thread-stays.g1.so")) << "the thread runs in it";
  EXPECT_EQ(directory_->retired(), 1u);
  EXPECT_EQ(directory_->sweep(), 0u);
  EXPECT_TRUE(is_loaded("thread-stays.g1.so"));
}

TEST_F(Images, WithJoinedThreadsAreUnloaded) {
  {
    const auto image = load_fault("thread-joined");
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::safe);
    Call call;
    ASSERT_EQ(image->module().start(call.raw(), nullptr), TENON_OK);
    image->module().stop();
  }
  EXPECT_FALSE(is_loaded("thread-joined.g1.so"));
  EXPECT_EQ(directory_->retired(), 0u);
}

TEST_F(Images, WithTheSameNameAreSeparate) {
  const auto one = load_fault("named");
  const auto other = load_fault("named-edition-2");
  EXPECT_EQ(Echo(*one).say("hello"), "1: hello");
  EXPECT_EQ(Echo(*other).say("hello"), "2: hello");
  EXPECT_EQ(dlopen("libtests-named.so", RTLD_NOW | RTLD_NOLOAD), nullptr)
      << "a library that needs one of this name would get the module";
}

// -- Libraries beside the module ----------------------------------------------

TEST_F(Images, LoadTheLibrariesBesideThem) {
  const fs::path file = place("sibling-user", "app", "sibling-1");
  {
    const auto image = load(file);
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(image->reload().grade, ReloadGrade::safe);
    EXPECT_EQ(Echo(*image).count_of_one(), 2003) << "1, 1001 of the sibling, 1001 of the deep one";
    EXPECT_EQ(copies().size(), 3u);
    EXPECT_FALSE(is_mapped("/app/lib/")) << "the original files are not mapped";
  }
  EXPECT_TRUE(copies().empty());
  EXPECT_FALSE(is_loaded(""));
  EXPECT_EQ(directory_->lingering(), 0u);
}

TEST_F(Images, WithRpathFindTheirLibraries) {
  const auto image = load(place("sibling-user-rpath", "app", "sibling-1"));
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(Echo(*image).count_of_one(), 2003);
}

TEST_F(Images, WithSeveralRunPathDirectoriesFindTheirLibraries) {
  for (const auto* name : {"sibling-user-directories", "sibling-user-rpath-directories"}) {
    const auto image = load(place(name, "app", "sibling-1"));
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(Echo(*image).count_of_one(), 2003) << name;
    EXPECT_FALSE(is_mapped("/app/lib/"));
  }
}

TEST_F(Images, FindLibrariesNeededByPath) {
  const fs::path file = place("deep-user-by-path", "app", "sibling-1");
  const auto first = load(file);
  ASSERT_TRUE(first) << first.error().to_string();
  EXPECT_EQ(Echo(*first).count_of_one(), 1002) << "1, 1001 of the deep one";
  const auto second = load(file);
  ASSERT_TRUE(second) << second.error().to_string();
  EXPECT_EQ(Echo(*second).count_of_one(), 1002) << "a count of its own";
  EXPECT_FALSE(is_mapped("/app/lib/"));
}

TEST_F(Images, ExtendTheirRpathButNotRunpathToLibraries) {
  const auto lent = load(place("sibling-user-rpath", "app", "sibling-lost"));
  ASSERT_TRUE(lent) << lent.error().to_string();
  EXPECT_EQ(Echo(*lent).count_of_one(), 2003);
  const auto kept = load(place("sibling-user", "app", "sibling-lost"));
  ASSERT_FALSE(kept);
  EXPECT_NE(kept.error().found().find("libtests-deep.so.1"), std::string::npos)
      << kept.error().to_string();
}

TEST_F(Images, ShareNoLibraryWithTheNextGeneration) {
  const auto before = load(place("sibling-user", "app", "sibling-1"));
  Echo(*before).say("hello");
  const auto same = load(place("sibling-user", "app", "sibling-1"));
  EXPECT_EQ(Echo(*same).count_of_one(), 2003) << "a count of its own";
  const auto changed = load(place("sibling-user-edition-2", "app", "sibling-2"));
  ASSERT_TRUE(changed) << changed.error().to_string();
  EXPECT_EQ(Echo(*changed).count_of_one(), 3003) << "both are of another edition";
  EXPECT_EQ(Echo(*changed).say("hello"), "2: hello");
}

TEST_F(Images, ShareNoLibraryOfTheSameNameWithOtherModules) {
  const auto one = load(place("sibling-user", "one", "sibling-1"));
  const auto other = load(place("sibling-user", "other", "sibling-2"));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(Echo(*one).count_of_one(), 2003);
  EXPECT_EQ(Echo(*other).count_of_one(), 3003);
}

TEST_F(Images, LoadALibraryWithTwoNamesOnce) {
  const fs::path file = place("two-names-user", "app", "sibling-1");
  fs::remove(world_.root() / "app/lib/libtests-sibling.so.1");
  fs::create_symlink("libtests-deep.so.1", world_.root() / "app/lib/libtests-sibling.so.1");
  {
    const auto image = load(file);
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(Echo(*image).count_of_one(), 1002);
    EXPECT_EQ(copies().size(), 3u);
  }
  EXPECT_FALSE(is_loaded(""));
  EXPECT_TRUE(copies().empty());
}

TEST_F(Images, ShareALibraryThatTheProgramHasLoaded) {
  const fs::path file = place("sibling-user", "app", "sibling-1");
  // Once the same file, once another file of the same name.
  for (const char* loaded : {"app", "other"}) {
    place("sibling-user", "other", "sibling-2");
    const fs::path path = world_.root() / loaded / "lib/libtests-sibling.so.1";
    void* library = dlopen(path.c_str(), RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    const auto image = load(file);
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(copies().size(), 1u);
    const std::int64_t first = Echo(*image).count_of_one();
    const auto again = load(file);
    EXPECT_EQ(Echo(*again).count_of_one(), first + 2) << "both count on";
    dlclose(library);
  }
}

TEST_F(Images, SearchNothingAboveTheDirectoryOfTheirCopy) {
  // From the private directory, ../lib leads to a directory that is writable by anyone.
  const fs::path file = place("sibling-user", "app", "sibling-1");
  fs::rename(world_.root() / "app/lib", world_.root() / "tmp/lib");
  const auto image = load(file);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "load-failed");
  EXPECT_NE(image.error().found().find("libtests-sibling.so.1"), std::string::npos)
      << image.error().to_string();
}

TEST_F(Images, LoadFilesWhoseNamesTheDynamicLoaderWouldExpand) {
  const fs::path directory = world_.root() / "app$LIB";
  fs::create_directory(directory);
  const fs::path file = directory / "echo$ORIGIN.so";
  fs::copy_file(FAULTS "/good.so", file);
  const auto image = load(file);
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
}

TEST_F(Images, RefuseADirectoryForCopiesThatTheDynamicLoaderWouldExpand) {
  const fs::path directory = world_.root() / "tmp$LIB";
  fs::create_directory(directory);
  setenv("TMPDIR", directory.c_str(), 1);
  const auto image = load_fault("good");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "load-failed");
  EXPECT_EQ(image.error().where(), directory.string());
  EXPECT_TRUE(fs::is_empty(directory));
}

TEST_F(Images, ReportWhichLibraryIsBroken) {
  const fs::path file = place("sibling-user", "app", "sibling-1");
  const fs::path library = world_.root() / "app/lib/libtests-sibling.so.1";
  fs::resize_file(library, 5000);
  const auto image = load(file);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "truncated-file");
  EXPECT_TRUE(fs::equivalent(image.error().where(), library)) << image.error().where();
}

// -- Errors -------------------------------------------------------------------

TEST_F(Images, AreRefusedIfNoThreadLocalMemoryIsLeft) {
  const auto image = load(fault("static-tls-too-large"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "no-static-tls");
  EXPECT_NE(image.error().fix().find("-ftls-model=initial-exec"), std::string::npos);
}

TEST_F(Images, GiveARemedyForTheReasonOfTheDynamicLoader) {
  const auto error_of = [this](const std::string& name) {
    const auto image = load(fault(name));
    EXPECT_EQ(image.error().code(), "load-failed") << image.error().to_string();
    return image ? "" : std::string(image.error().found()).append("; ").append(image.error().fix());
  };
  const std::string no_dlopen = error_of("no-dlopen");
  EXPECT_NE(no_dlopen.find("cannot be dlopen()ed; link the plugin without -z nodlopen"),
            std::string::npos)
      << no_dlopen;
  // libz is in a default directory, and no library that this process loads needs it.
  const std::string no_directories = error_of("no-default-directories");
  EXPECT_NE(no_directories.find("libz.so.1: cannot open shared object file"), std::string::npos)
      << no_directories;
  EXPECT_NE(no_directories.find("; link the plugin without -z nodefaultlib"), std::string::npos)
      << no_directories;
}

TEST_F(Images, NameTheOriginalFileInLoadErrors) {
  const fs::path file = world_.place(FAULTS "/undefined-symbol.so", "broken.so");
  const auto image = load(file);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "load-failed");
  const std::string text = image.error().to_string();
  EXPECT_NE(text.find(file.string() + ": undefined symbol"), std::string::npos) << text;
  EXPECT_NE(image.error().fix().find("that defines the symbol"), std::string::npos) << text;
  EXPECT_EQ(text.find((world_.root() / "tmp").string()), std::string::npos) << text;
}

TEST_F(Images, NameTheOriginalLibraryInLoadErrors) {
  const fs::path file = place("sibling-user", "app", "sibling-1");
  const fs::path library = world_.root() / "app/lib/libtests-deep.so.1";
  fs::remove(library);
  fs::copy_file(FAULTS "/undefined-symbol.so", library);
  const auto image = load(file);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "load-failed");
  const std::string text = image.error().to_string();
  EXPECT_NE(text.find("/lib/libtests-deep.so.1: undefined symbol"), std::string::npos) << text;
  EXPECT_EQ(text.find((world_.root() / "tmp").string()), std::string::npos) << text;
}

// -- Sanitizers ---------------------------------------------------------------

bool has_runtime(const char* entry) {
  return dlsym(RTLD_DEFAULT, entry) != nullptr;
}

TEST_F(Images, BuiltWithASanitizerRequireItsRuntime) {
  const struct {
    const char* build;
    const char* entry;
    const char* name;
  } builds[] = {{"sanitized-address", "__asan_init", "AddressSanitizer"},
                {"sanitized-address-without-library", "__asan_init", "AddressSanitizer"},
                {"sanitized-thread", "__tsan_init", "ThreadSanitizer"}};
  for (const auto& [build, entry, name] : builds) {
    SCOPED_TRACE(build);
    const bool has = has_runtime(entry);
#if !SANITIZED
    ASSERT_FALSE(has);
#endif
    const auto image = load_fault(build);
    EXPECT_EQ(image.has_value(), has);
    if (image) continue;
    EXPECT_EQ(image.error().code(), "sanitizer-mismatch");
    EXPECT_EQ(image.error().where(), fs::path(FAULTS) / (std::string(build) + ".so"));
    EXPECT_NE(image.error().found().find(name), std::string::npos);
    EXPECT_TRUE(copies().empty()) << "refused before anything is loaded";
  }
}

TEST_F(Images, WithALibraryBuiltWithASanitizerRequireItsRuntime) {
  if (has_runtime("__asan_init")) GTEST_SKIP() << "the runtime is there";
  const fs::path file = place("sibling-user", "app", "sibling-1");
  fs::remove(world_.root() / "app/lib/libtests-deep.so.1");
  fs::copy_file(FAULTS "/sanitized-address.so", world_.root() / "app/lib/libtests-deep.so.1");
  const auto image = load(file);
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "sanitizer-mismatch");
  EXPECT_NE(image.error().where().find("libtests-deep.so.1"), std::string::npos);
}

TEST_F(Images, BuiltWithUndefinedBehaviorSanitizerAreLoaded) {
  const auto image = load_fault("sanitized-undefined");
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
}

// -- Debug information --------------------------------------------------------

class ImageDebugLinks : public Images {
 protected:
  /// Copies a stripped module to a directory of the world, and its debug information to another
  /// directory, unless that is empty.
  fs::path place_stripped(const std::string& directory, const std::string& debug_directory) const {
    fs::path file = world_.path(directory + "/blur.so");
    const fs::path debug = world_.path(directory + "/made/blur.so.debug");
    const std::string good = FAULTS "/good.so";
    run({OBJCOPY, "--only-keep-debug", good, debug.string()});
    run({OBJCOPY, "--strip-debug", "--add-gnu-debuglink=" + debug.string(), good, file.string()});
    if (debug_directory.empty()) {
      fs::remove(debug);
    } else {
      fs::rename(debug, world_.path(debug_directory + "/blur.so.debug"));
    }
    return file;
  }
  /// Returns the links in the directories of the copies: name to target.
  std::map<std::string, fs::path> links() const {
    std::map<std::string, fs::path> links;
    for (const auto& entry : fs::recursive_directory_iterator(world_.root() / "tmp")) {
      if (entry.is_symlink()) links[entry.path().filename()] = fs::read_symlink(entry.path());
    }
    return links;
  }
  /// Returns the debug link of the loaded copy, which debuggers look for beside it.
  std::string debug_link_of(const Image& image) const {
    for (const auto& entry : fs::recursive_directory_iterator(world_.root() / "tmp")) {
      if (entry.path().filename() != image.name()) continue;
      const auto content = bytes_of(entry.path());
      MemorySource source("copy", content);
      const auto link = ElfFile::open(source).value().debug_link();
      return link ? link->text : "";
    }
    return "no copy";
  }

 private:
  void run(const std::vector<std::string>& command) const {
    const Outcome outcome = world_.run(command);
    ASSERT_EQ(outcome.exit, 0) << outcome.err;
  }
};

TEST_F(ImageDebugLinks, LeadToDebugInformationOfTheOriginal) {
  for (const char* directory : {"beside", "hidden/.debug"}) {
    SCOPED_TRACE(directory);
    const fs::path debug = world_.root() / directory / "blur.so.debug";
    const auto image = load(place_stripped(fs::path(directory).begin()->string(), directory));
    ASSERT_TRUE(image) << image.error().to_string();
    ASSERT_EQ(links().size(), 1u);
    EXPECT_EQ(links().begin()->first, debug_link_of(*image));
    EXPECT_TRUE(fs::equivalent(links().begin()->second, debug));
  }
  EXPECT_TRUE(links().empty()) << "they are removed with the image";
}

TEST_F(ImageDebugLinks, OfFilesWithTheSameNameAreSeparate) {
  const auto one = load(place_stripped("one", "one"));
  const auto other = load(place_stripped("other", "other"));
  ASSERT_TRUE(one && other);
  EXPECT_EQ(links()[debug_link_of(*one)], world_.root() / "one/blur.so.debug");
  EXPECT_EQ(links()[debug_link_of(*other)], world_.root() / "other/blur.so.debug");
}

TEST_F(ImageDebugLinks, RequireDebugInformation) {
  const auto image = load(place_stripped("one", ""));
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(debug_link_of(*image), "blur.so.debug");
  EXPECT_TRUE(links().empty());
  const auto whole = load_fault("good");
  EXPECT_EQ(debug_link_of(*whole), "");
}

// -- Without a copy -----------------------------------------------------------

class OriginalImages : public Images {
 protected:
  OriginalImages() {
    directory_ = std::make_shared<ImageDirectory>(ImageOptions{.load_in_place = true});
  }

  /// Returns whether the original file is mapped.
  bool is_mapped(const fs::path& file) const { return tests::is_mapped(file.string()); }
};

TEST_F(OriginalImages, AreLoadedFromTheirFile) {
  const fs::path file = world_.place(FAULTS "/good.so", "blur.so");
  for (int i = 0; i < 2; ++i) {
    {
      const auto image = load(file);
      ASSERT_TRUE(image) << image.error().to_string();
      EXPECT_TRUE(is_mapped(file));
      EXPECT_EQ(Echo(*image).count_of_one(), 1);
      EXPECT_TRUE(copies().empty());
    }
    EXPECT_FALSE(is_mapped(file));
    EXPECT_TRUE(fs::exists(file));
  }
  EXPECT_EQ(directory_->lingering(), 0u);
}

TEST_F(OriginalImages, AreCopiedIfTheFileIsLoadedAlready) {
  const fs::path file = world_.place(FAULTS "/good.so", "blur.so");
  const auto first = load(file);
  Echo(*first).say("hello");
  const auto same = load(file);
  EXPECT_EQ(Echo(*same).count_of_one(), 1) << "an image of its own";
  EXPECT_EQ(copies().size(), 1u);

  // The path is the same, and the system's loader compares nothing else.
  world_.place(FAULTS "/good-edition-2.so", "blur.so");
  const auto changed = load(file);
  EXPECT_EQ(Echo(*changed).say("hello"), "2: hello");

  const fs::path link = world_.root() / "link.so";
  fs::rename(file, world_.root() / "plugins/moved.so");
  fs::create_symlink(world_.root() / "plugins/moved.so", link);
  const auto behind_link = load(link);
  EXPECT_EQ(copies().size(), 2u) << "nothing is loaded from the second file yet";
  EXPECT_EQ(Echo(*behind_link).say("hello"), "2: hello");
  const auto moved = load(world_.root() / "plugins/moved.so");
  EXPECT_EQ(copies().size(), 3u) << "it is loaded through the link";
  EXPECT_EQ(Echo(*moved).count_of_one(), 1);
}

TEST_F(OriginalImages, LoadedByTwoThreadsAreSeparate) {
  const fs::path file = world_.place(FAULTS "/good.so", "blur.so");
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const auto image = load(file);
        ASSERT_TRUE(image) << image.error().to_string();
        EXPECT_EQ(Echo(*image).count_of_one(), 1) << "a count of its own";
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(is_mapped(file));
  EXPECT_TRUE(copies().empty());
}

TEST_F(OriginalImages, AreCopiedIfTheFileHasChanged) {
  const fs::path file = world_.place(FAULTS "/good.so", "blur.so");
  auto bundle = read_bundle(bytes_of(file), file).value();
  world_.place(FAULTS "/good-edition-2.so", "blur.so");
  const auto image = Image::load(directory_, std::move(bundle), {.joins_threads = true});
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
  EXPECT_FALSE(is_mapped(file));
}

TEST_F(OriginalImages, AreCopiedIfTheyMustBePatched) {
  const fs::path unique = world_.place(FAULTS "/unique-symbols.so", "unique.so");
  const auto patched = load(unique);
  ASSERT_TRUE(patched) << patched.error().to_string();
  EXPECT_FALSE(is_mapped(unique));
  const fs::path file = place("sibling-user", "app", "sibling-1");
  const auto user = load(file);
  ASSERT_TRUE(user) << user.error().to_string();
  EXPECT_FALSE(is_mapped(file));
}

// -- The directory ---------------------------------------------------------------

TEST_F(Images, LeaveNoFilesAfterTheirHost) {
  { const auto stays = load_fault("nodelete"); }
  EXPECT_FALSE(copies().empty()) << "for debuggers";
  directory_.reset();
  EXPECT_TRUE(fs::is_empty(world_.root() / "tmp"));
}

TEST_F(Images, OutliveTheirDirectory) {
  auto image = load_fault("good");
  directory_.reset();
  EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
}

TEST_F(Images, KeepTheirFilesWhenAForkedChildDestroysThem) {
  std::optional<Image> image(load_fault("good").value());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    image.reset();
    const bool unloaded = !is_loaded("good.g1.so");
    directory_.reset();
    _exit(unloaded ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(copies(), std::vector<std::string>{"good.g1.so"});
  EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
}

TEST_F(Images, OfAForkedChildHaveASeparateDirectory) {
  const auto image = load_fault("good");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool good = false;
    {
      const auto other = load_fault("good-edition-2");
      good = other && Echo(*other).say("hello") == "2: hello" && copies().size() == 2;
    }
    directory_.reset();
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(copies(), std::vector<std::string>{"good.g1.so"});
}

TEST_F(Images, MayHaveTheLongestName) {
  const fs::path file = world_.path("app/" + std::string(252, 'x') + ".so");
  fs::copy_file(fs::path(FAULTS) / "good.so", file);
  for (const auto storage : {ImageOptions::Storage::directory, ImageOptions::Storage::memory}) {
    directory_ = std::make_shared<ImageDirectory>(ImageOptions{.storage = storage});
    const auto image = load(file);
    ASSERT_TRUE(image) << image.error().to_string();
    EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
  }
}

const ImageOptions in_memory{.storage = ImageOptions::Storage::memory};

/// The directory of copies if neither the host nor the environment sets it.
class ImageDirectories : public Images {
 protected:
  ImageDirectories() {
    for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) unsetenv(variable);
    temporary_ = fs::temp_directory_path();
    // Empty on systems without a memory directory.
    small_ = platform::memory_directory().empty() ? temporary_ : "/dev/shm";
  }
  /// Copies a module, removes the copy, and returns the parent of its directory.
  static fs::path parent_of_copy(ImageDirectory& directory, std::size_t least_size = 0) {
    const fs::path file = fs::path(FAULTS) / "good.so";
    auto content = bytes_of(file);
    content.resize(std::max(content.size(), least_size));
    auto copy = directory.copy(read_bundle(std::move(content), file).value()).value();
    fs::path parent = copy.path().parent_path().parent_path();
    copy.remove();
    return parent;
  }

  fs::path temporary_;
  fs::path small_;
};

TEST_F(ImageDirectories, AreInMemoryForSmallCopies) {
  constexpr std::size_t most = 1 << 20;
  EXPECT_EQ(parent_of_copy(*directory_), small_);
  EXPECT_EQ(parent_of_copy(*directory_, most), small_);
  EXPECT_EQ(parent_of_copy(*directory_, most + 1), temporary_);
}

TEST_F(ImageDirectories, FollowOptionsAndEnvironment) {
  ImageDirectory told({.parent = world_.root()});
  EXPECT_EQ(parent_of_copy(told), world_.root());
  setenv("TMPDIR", world_.root().c_str(), 1);
  EXPECT_EQ(parent_of_copy(*directory_), world_.root());
}

TEST_F(ImageDirectories, IgnoreEmptyVariables) {
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) setenv(variable, "", 1);
  EXPECT_EQ(parent_of_copy(*directory_), small_);
  EXPECT_EQ(parent_of_copy(*directory_, (1 << 20) + 1), temporary_);
  for (const char* variable : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) unsetenv(variable);
}

TEST_F(ImageDirectories, AreNeverInTheWorkingDirectory) {
  setenv("TMPDIR", (world_.root() / "none").c_str(), 1);
  const fs::path file = fs::path(FAULTS) / "good.so";
  const auto copy = directory_->copy(read_bundle(bytes_of(file), file).value());
  ASSERT_FALSE(copy) << copy->path();
  EXPECT_EQ(copy.error().to_string(),
            "error[not-found] the directory for temporary files\n"
            "   found   No such file or directory\n"
            "   needed  a directory where the host's user may write\n"
            "   fix     set TMPDIR to such a directory");
}

TEST_F(ImageDirectories, FallBackIfMemoryIsFull) {
  if (small_ == temporary_) GTEST_SKIP() << "the system has no such directory";
  const fs::path file = fs::path(FAULTS) / "good.so";
  const auto copy = directory_->copy(read_bundle(bytes_of(file), file).value()).value();
  ASSERT_EQ(copy.name, "good.g1.so");
  // Occupies the name of the next copy.
  std::ofstream(copy.path().parent_path() / "good.g2.so") << "in the way";
  const auto image = load_fault("good");
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(image->name(), "good.g2.so");
  EXPECT_EQ(Echo(*image).say("hello"), "1: hello");
  EXPECT_TRUE(is_mapped(temporary_.string() + "/tenon-", "/good.g2.so"));
}

class ImagesInMemory : public Images {
 protected:
  ImagesInMemory() { directory_ = std::make_shared<ImageDirectory>(in_memory); }
};

TEST_F(ImagesInMemory, AreSeparateAndUnloaded) {
  {
    const auto one = load_fault("good");
    ASSERT_TRUE(one) << one.error().to_string();
    const auto other = load_fault("good-edition-2");
    const auto same = load_fault("good");
    EXPECT_EQ(Echo(*other).say("hello"), "2: hello");
    EXPECT_EQ(Echo(*one).count_of_one(), 1);
    EXPECT_EQ(Echo(*same).count_of_one(), 1);
    EXPECT_TRUE(is_mapped("/memfd:good.g1.so"));
  }
  EXPECT_FALSE(is_mapped("/memfd:good"));
  EXPECT_TRUE(copies().empty());
}

TEST_F(ImagesInMemory, KeepTheirPathIfTheyStayMapped) {
  { const auto stays = load_fault("nodelete"); }
  EXPECT_EQ(directory_->retired(), 1u);
  directory_ = std::make_shared<ImageDirectory>(in_memory);
  // If the descriptor of an image that stays mapped were reused, the system's loader would return
  // the old image for its path.
  const auto image = load_fault("good-edition-2");
  ASSERT_TRUE(image) << image.error().to_string();
  EXPECT_EQ(Echo(*image).say("hello"), "2: hello");
}

TEST_F(ImagesInMemory, CannotLoadLibrariesBesideThem) {
  const auto image = load(place("sibling-user", "app", "sibling-1"));
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code(), "load-failed");
  EXPECT_NE(image.error().fix().find("noexec"), std::string::npos);
}

TEST(MayExecute, DetectsNoexecMounts) {
  EXPECT_TRUE(platform::may_execute(FAULTS));
  // Most systems mount at least one of these noexec.
  std::map<std::string, std::string> options_of;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string device, directory, type;
    words >> device >> directory >> type;
    words >> options_of[directory];
  }
  for (const char* directory : {"/proc", "/sys", "/dev/shm"}) {
    if (!options_of.contains(directory)) continue;
    const bool forbidden =
        ("," + options_of[directory] + ",").find(",noexec,") != std::string::npos;
    EXPECT_EQ(platform::may_execute(directory), !forbidden) << directory;
  }
}

}}  // namespace tenon::tests
