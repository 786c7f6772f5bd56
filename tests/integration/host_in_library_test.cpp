// SPDX-License-Identifier: BSL-1.0
//
// Libraries with a host and kinds of their own, which the program unloads.
#include <tenon/document.hpp>
#include <tenon/inspect.hpp>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/echo.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

using LibraryWithHost = Hosting;

TEST_F(LibraryWithHost, IsUnloadedWithTheLoader) {
  place("counter-1.so", "counter.so");
  const Outcome outcome = world_.run({UNLOADING_HOST, LIBRARY_HOST, world_.plugins().string()});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "used by the main thread: unmapped\n"
            "used by another thread: unmapped\n"
            "used repeatedly: freed\n");
}

TEST_F(LibraryWithHost, LeavesTheLoaderMappedWhileAThreadHangs) {
  place("counter-asks-1.so", "counter.so");
  const Outcome outcome =
      world_.run({UNLOADING_HOST, LIBRARY_HOST, world_.plugins().string(), "1:stop"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "used by the main thread: mapped\n");
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
  const char* failed = use(world_.plugins().c_str(), "");
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

TEST_F(LibraryWithHost, IsUnloadedBeforeItsCallsAreRead) {
  place("counter-1.so", "counter.so");
  HostOptions counting = options();
  counting.count_calls = true;
  Host host(counting);
  void* library = dlopen(LIBRARY_HOST, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  const auto use_of = reinterpret_cast<const char* (*)(Host*)>(dlsym(library, "use_counter_of"));
  const char* failed = use_of(&host);
  EXPECT_EQ(failed, nullptr) << failed;
  dlclose(library);
  EXPECT_FALSE(is_mapped("library-host.so"));

  const auto methods = module(host, "test.example/counters").methods;
  ASSERT_EQ(methods.size(), 1u);
  EXPECT_EQ(methods[0].method, "add");
  EXPECT_EQ(methods[0].calls, 1u);
}

TEST_F(LibraryWithHost, RegistersKindsAndTypesUntilItIsUnloaded) {
  constexpr std::string_view id = "test.example/inside";
  place("registers.so", "echo.so");
  Host host(options());
  for (int generation = 1; generation <= 3; generation += 2) {
    auto echo = host.create<test::Echo>("standalone:echo").value();
    ASSERT_NE(find_kind(id), nullptr);
    EXPECT_EQ(find_kind(id)->id, id);
    ASSERT_NE(find_document_type(id), nullptr);
    EXPECT_EQ(find_document_type(id)->id, id);
    ASSERT_TRUE(host.restart("test.example/echo"));
    ASSERT_NE(find_kind(id), nullptr) << "the new code has registered its own";
    EXPECT_EQ(find_document_type(id)->id, id);
  }
  EXPECT_FALSE(is_mapped("echo.g"));
  EXPECT_EQ(find_kind(id), nullptr);
  EXPECT_EQ(find_document_type(id), nullptr);
  EXPECT_TRUE(std::ranges::none_of(document_types(),
                                   [&](const DocumentType* type) { return type->id == id; }));
}

}}  // namespace tenon::tests
