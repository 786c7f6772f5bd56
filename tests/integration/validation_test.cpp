// SPDX-License-Identifier: BSL-1.0
//
// Modules with one fault each: the error code that reports it, and no effect on other modules.
// FAULTS is the directory of the builds of tests/faults/module.c.
#include <gtest/gtest.h>
#include <test/echo.hpp>
#include <test/probe.hpp>

#include "integration/hosting.hpp"

extern "C" {

/// slot-interposed.so has the same symbol: the dynamic linker binds its vtable slot to this one.
__attribute__((visibility("default"))) int tests_interposed_say(void) {
  return TENON_INTERNAL;
}

}  // extern "C"

namespace tenon::tests { namespace {

struct Fault {
  const char* build;
  const char* code;
};

void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.build;
}

class BadModule : public Hosting, public testing::WithParamInterface<Fault> {
 protected:
  BadModule() {
    place_fault(GetParam().build, "a-bad-one.so");
    place("probe-1.so");
  }

  void expect_all_facts(const Error& error) const {
    EXPECT_EQ(error.code(), GetParam().code) << error.to_string();
    const std::string text = error.to_string();
    EXPECT_NE(text.find(module_file("a-bad-one.so")), std::string::npos) << "no path: " << text;
    EXPECT_NE(text.find(error.code()), std::string::npos) << text;
    if (error.status() != TENON_OK) return;
    EXPECT_NE(error.found(), "") << text;
    EXPECT_NE(error.needed(), "") << text;
    EXPECT_NE(error.fix(), "") << text;
  }
  static void expect_rest_to_work(Host& host) {
    EXPECT_EQ(host.create<test::Probe>("probe").value()->edition().value(), 1);
  }
};

std::string name_of(const testing::TestParamInfo<Fault>& info) {
  std::string name = info.param.build;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Modules that the scan refuses. Nothing is loaded.
using SkippedModule = BadModule;

TEST_P(SkippedModule, IsReportedAndLeavesOthersUsable) {
  Host host(options());
  const auto skipped = host.problems();
  ASSERT_EQ(skipped.size(), 1u);
  expect_all_facts(skipped[0]);
  EXPECT_FALSE(host.create<test::Echo>("echo"));
  EXPECT_FALSE(is_mapped("a-bad-one"));
  expect_rest_to_work(host);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, SkippedModule,
    testing::Values(Fault{"no-manifest", "manifest-removed"},
                    Fault{"broken-manifest", "broken-manifest"},
                    Fault{"two-manifests", "two-manifests"},
                    Fault{"no-module-object", "no-module-object"},
                    Fault{"wrong-magic", "wrong-magic"}, Fault{"size-too-small", "size-too-small"},
                    Fault{"size-cut", "size-too-small"}, Fault{"size-too-large", "size-too-large"},
                    Fault{"size-past-image", "size-too-large"}, Fault{"abi-too-new", "abi-too-new"},
                    Fault{"manifest-too-new", "abi-too-new"}, Fault{"abi-unknown", "abi-unknown"},
                    Fault{"differs-manifest-size", "manifest-differs"},
                    Fault{"kind-too-new", "kind-too-new"}, Fault{"unknown-kind", "unknown-kind"},
                    Fault{"kind-differs", "kind-differs"}, Fault{"some-library", "no-manifest"}),
    name_of);

/// Modules that are refused after loading, before any of their functions runs.
using RefusedModule = BadModule;

TEST_P(RefusedModule, IsUnloadedAndLeavesOthersUsable) {
  Host host(options());
  EXPECT_EQ(codes(host.problems()), Texts());
  const auto refused = host.create<test::Echo>("echo");
  ASSERT_FALSE(refused);
  expect_all_facts(refused.error());
  EXPECT_FALSE(is_mapped("a-bad-one"));
  EXPECT_EQ(copies(), Texts());
  expect_rest_to_work(host);
  EXPECT_FALSE(host.create<test::Echo>("echo")) << "the second time as well";
}

INSTANTIATE_TEST_SUITE_P(Faults, RefusedModule,
                         testing::Values(Fault{"stride-too-small", "size-too-small"},
                                         Fault{"table-too-small", "size-too-small"},
                                         Fault{"table-cut", "size-too-small"},
                                         Fault{"table-of-another-version", "manifest-differs"},
                                         Fault{"differs-name", "manifest-differs"},
                                         Fault{"differs-kind", "manifest-differs"},
                                         Fault{"differs-version", "manifest-differs"},
                                         Fault{"differs-fingerprint", "manifest-differs"},
                                         Fault{"differs-count", "manifest-differs"},
                                         Fault{"missing-method", "missing-method"},
                                         Fault{"slot-interposed", "slot-interposed"},
                                         Fault{"start-failed", "start-failed"},
                                         Fault{"undefined-symbol", "load-failed"}),
                         name_of);

using GoodModule = Hosting;

TEST_F(GoodModule, LoadsWithMacrosOrDeclaredByHand) {
  for (const char* build : {"good", "good-by-hand"}) {
    SCOPED_TRACE(build);
    place_fault(build, "echo.so");
    Host host(options());
    EXPECT_EQ(host.create<test::Echo>("echo").value()->say("hello").value(), "1: hello");
  }
}

TEST_F(GoodModule, LoadsAFreshImageAfterUnloading) {
  place_fault("good", "echo.so");
  Host host(options());
  {
    auto echo = host.create<test::Echo>("echo").value();
    ASSERT_TRUE(echo->say("one"));
    EXPECT_EQ(echo->count().value(), 1);
  }
  auto again = host.create<test::Echo>("echo").value();
  EXPECT_EQ(again->count().value(), 0) << "the image is new";
}

TEST_F(GoodModule, IsUsedOnceIfInstalledTwice) {
  place_fault("good", "a.so");
  place_fault("good", "b.so");
  Host host(options());
  const auto skipped = host.problems();
  ASSERT_EQ(codes(skipped), Texts{"duplicate-file"});
  EXPECT_NE(skipped[0].where().find(module_file("b.so")), std::string_view::npos);
  EXPECT_EQ(skipped[0].needed().find("one file; the same is in "), 0u) << skipped[0].needed();
  EXPECT_EQ(host.create<test::Echo>("echo").value()->say("hello").value(), "1: hello");
}

TEST_F(GoodModule, ExcludesOtherContentOfItsVersion) {
  place_fault("good", "a.so");
  place_fault("good-by-hand", "b.so");
  Host host(options());
  const auto skipped = host.problems();
  ASSERT_EQ(codes(skipped), Texts{"package-differs"});
  EXPECT_EQ(skipped[0].severity(), Severity::error);
  EXPECT_NE(skipped[0].found().find(", with other content than "), std::string_view::npos);
  EXPECT_NE(skipped[0].found().find(module_file("a.so") + ", which is used"),
            std::string_view::npos);
}

TEST_F(GoodModule, ExcludesOtherPackagesFromItsPluginNames) {
  place("probe-1.so", "a.so");
  place("probe-other-package.so", "b.so");
  Host host(options());
  EXPECT_EQ(codes(host.problems()), Texts{"name-taken"});
  EXPECT_EQ(host.create<test::Probe>("probe").value()->edition().value(), 1);
}

}}  // namespace tenon::tests
