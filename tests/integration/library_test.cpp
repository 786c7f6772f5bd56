// SPDX-License-Identifier: BSL-1.0
//
// Libraries with a host and kinds of their own, which the program unloads.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <test/counter.hpp>

#include "integration/hosting.hpp"

namespace tenon::tests {
namespace {

class LibraryWithHost : public Hosting {
 protected:
  /// Runs a program that uses the library twice. `hanging`: see unloading_host.cpp.
  Outcome use_and_unload(const std::string& hanging) {
    place("counter-asks-1.so", "counter.so");
    return world_.run({UNLOADING_HOST, LIBRARY_HOST, world_.plugins().string(), hanging});
  }
};

TEST_F(LibraryWithHost, IsUnloadedWithTheLoader) {
  const Outcome outcome = use_and_unload("none");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "used by the main thread: unmapped\nused by another thread: unmapped\n");
}

TEST_F(LibraryWithHost, LeavesTheLoaderMappedWhileAThreadHangs) {
  const Outcome outcome = use_and_unload("1:stop");
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "used by the main thread: mapped\nused by another thread: mapped\n");
}

TEST_F(LibraryWithHost, UsesTheSamePluginsAsTheProgram) {
  place("counter-1.so", "counter.so");
  Host host(options());
  auto counter = host.create<test::Counter>("counter").value();
  EXPECT_TRUE(counter->add(1));

  void* library = dlopen(LIBRARY_HOST, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto use =
      reinterpret_cast<const char* (*)(const char*, const char*)>(dlsym(library, "use_counter"));
  const char* failed = use(world_.plugins().c_str(), "none");
  EXPECT_EQ(failed, nullptr) << failed;
  const auto use_of = reinterpret_cast<const char* (*)(Host*)>(dlsym(library, "use_counter_of"));
  failed = use_of(&host);
  EXPECT_EQ(failed, nullptr) << "the module was loaded before the library: " << failed;
  ASSERT_TRUE(host.restart("test.example/counters"));
  failed = use_of(&host);
  EXPECT_EQ(failed, nullptr) << failed;
  dlclose(library);

  EXPECT_TRUE(counter->add(1)) << "no kind of the library is used any more";
  EXPECT_TRUE(host.create<test::Counter>("counter"));
  host.rescan();
  EXPECT_TRUE(host.restart("test.example/counters"));
  EXPECT_TRUE(host.create<test::Counter>("counter"));
}

}  // namespace
}  // namespace tenon::tests
