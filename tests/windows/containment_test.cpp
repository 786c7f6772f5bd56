// SPDX-License-Identifier: BSL-1.0
//
// Crashes in plugins: contained ones, and others, which end a separate process.
#include <gtest/gtest.h>
#include <malloc.h>
#include <test/echo.hpp>

#include <cfenv>
#include <csignal>
#include <string>
#include <thread>

#include "integration/contained_crash.hpp"

namespace tenon::tests { namespace {

constexpr const char* no_access = "EXCEPTION_ACCESS_VIOLATION at ";
constexpr Crashing contained[] = {
    {"write to nowhere", no_access},
    {"call nowhere", no_access},
    {"divide by zero", "EXCEPTION_INT_DIVIDE_BY_ZERO at "},
    {"run no instruction", "EXCEPTION_ILLEGAL_INSTRUCTION at "},
    {"crash in a catch clause", no_access},
    {"crash while unwinding", no_access},
    {"catch a crashing end", no_access},
    {"copy to nowhere", no_access},
    {"measure nothing", no_access},
    {"abort", "SIGABRT at "},
    {"fail an assertion", "SIGABRT at "},
};

INSTANTIATE_TEST_SUITE_P(Each, ContainedCrash, testing::ValuesIn(contained), name_of);

TEST_F(Containment, ContainsStackOverflowsAgainAndAgain) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  std::thread([&] {
    _resetstkoflw();  // without it, wine 8 leaves no stack for handlers, and ends the thread
    for (int i = 0; i < 3; ++i) {
      const auto failed = unruly->say("recurse for ever");
      ASSERT_FALSE(failed);
      EXPECT_EQ(failed.error().code(), "crashed");
      EXPECT_EQ(failed.error().message().find("ran out of stack: EXCEPTION_STACK_OVERFLOW at "), 0u)
          << failed.error().message();
      ASSERT_TRUE(serves_again(unruly));
    }
  }).join();
}

TEST_F(Containment, RestoresTheFloatingPointModesOfAThread) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  EXPECT_FALSE(unruly->say("write to nowhere"));
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

TEST_F(Containment, PassesExceptionsThrough) {
  Host host(containing());
  auto unruly = host.create<test::Echo>("unruly").value();
  const auto failed = unruly->say("throw an exception");
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().code(), "crashed");
}

TEST_F(Containment, RestoresTheHandlerOfAbort) {
  const auto own = [](int) {};
  const auto before = std::signal(SIGABRT, own);
  { const Host host(containing()); }
  EXPECT_EQ(std::signal(SIGABRT, before), static_cast<void (*)(int)>(own));
}

class UncontainedCrash : public Containment, public testing::WithParamInterface<Crashing> {};

TEST_P(UncontainedCrash, EndsTheProcessAndNamesThePlugin) {
  const Outcome outcome = world_.run({UNRULY_HOST, world_.plugins().string(), GetParam().text});
  EXPECT_EQ(outcome.exit, 7) << outcome.out;
  EXPECT_NE(outcome.err.find(std::string("tenon: test.example/unruly: say: ") + GetParam().message +
                             ", not contained"),
            std::string::npos)
      << outcome.err;
}

constexpr Crashing uncontained[] = {{"print nothing", "EXCEPTION_ACCESS_VIOLATION"},
                                    {"sort", "EXCEPTION_ACCESS_VIOLATION"}};

INSTANTIATE_TEST_SUITE_P(Each, UncontainedCrash, testing::ValuesIn(uncontained), name_of);

}}  // namespace tenon::tests
