// SPDX-License-Identifier: BSL-1.0
//
// State that is a document: the host converts it between the versions of the builds.
#include <gtest/gtest.h>
#include <test/counter.hpp>
#include <test/progress/v2.h>
#include <test/session_counter.hpp>

#include <string>
#include <utility>

#include "integration/hosting.hpp"

namespace tenon::tests { namespace {

class StateDocument : public Hosting {
 protected:
  static constexpr const char* module = "test.example/ledger";

  StateDocument() { place("ledger-1.so", "ledger.so"); }

  Handle<test::SessionCounter> open(Host& host, const std::string& label = "books") {
    auto ledger = host.create<test::SessionCounter>("ledger", {{"label", label}}).value();
    EXPECT_TRUE(ledger->open());
    return ledger;
  }
};

TEST_F(StateDocument, IsConvertedUpAndDownWithoutLoss) {
  Host host(options());
  auto ledger = open(host);
  ASSERT_EQ(ledger->add(5).value(), 5);

  place("ledger-2.so", "ledger.so");
  ASSERT_TRUE(host.restart(module));
  ASSERT_TRUE(ledger->open());
  EXPECT_EQ(ledger->edition().value(), 2);
  EXPECT_EQ(ledger->life().value(), "books");
  EXPECT_EQ(ledger->total().value().total, 5);
  ASSERT_EQ(ledger->add(7).value(), 12);
  ASSERT_EQ(ledger->add(1).value(), 13);
  EXPECT_EQ(ledger->total().value().adds, 2);

  place("ledger-1.so", "ledger.so");
  ASSERT_TRUE(host.restart(module));
  ASSERT_TRUE(ledger->open());
  EXPECT_EQ(ledger->edition().value(), 1);
  EXPECT_EQ(ledger->add(100).value(), 113);

  place("ledger-2.so", "ledger.so");
  ASSERT_TRUE(host.restart(module));
  ASSERT_TRUE(ledger->open());
  EXPECT_EQ(ledger->total().value().total, 113);
  EXPECT_EQ(ledger->total().value().adds, 2) << "version 1 kept the unknown field in its bag";
  EXPECT_EQ(ledger->life().value(), "books");
}

TEST_F(StateDocument, IsRefusedIfItIsNoDocument) {
  const std::string size = std::to_string(sizeof(test_progress_v2));
  const std::string longer = std::to_string(sizeof(test_progress_v2) + 1);
  for (const auto& [label, found] : {std::pair("books", std::string("11")), {"too long", longer}}) {
    place("ledger-3.so", "ledger.so");
    Host host(options());
    auto ledger = open(host, label);
    ASSERT_TRUE(ledger->add(5));
    place("ledger-2.so", "ledger.so");

    const auto restarted = host.restart(module);

    ASSERT_FALSE(restarted);
    EXPECT_EQ(restarted.error().code(), "state-refused");
    EXPECT_EQ(restarted.error().found(), found + " bytes");
    EXPECT_EQ(restarted.error().needed(),
              "the struct of test.example/progress 2, " + size + " bytes");
    EXPECT_EQ(ledger->edition().value(), 3);
    EXPECT_EQ(ledger->total().value().total, 5);
  }
}

TEST_F(StateDocument, IsRefusedAtAnInvalidAddress) {
  for (const auto& [build, found] : {std::pair("counter-null-document.so", "a null pointer"),
                                     {"counter-unaligned-document.so", "an unaligned pointer"}}) {
    place(build, "counter.so");
    Host host(options());
    auto counter = host.create<test::Counter>("counter").value();
    ASSERT_TRUE(counter->add(5));

    const auto restarted = host.restart("test.example/counters");

    ASSERT_FALSE(restarted);
    EXPECT_EQ(restarted.error().code(), "state-refused");
    EXPECT_EQ(restarted.error().found(), found);
    EXPECT_EQ(restarted.error().needed(), "the struct of test.example/progress 1");
    EXPECT_EQ(counter->total().value().total, 5);
  }
}

TEST_F(StateDocument, IsRefusedByABuildWithoutStateDocument) {
  Host host(options());
  auto ledger = open(host);
  ASSERT_TRUE(ledger->add(5));
  place("ledger-4.so", "ledger.so");

  const auto restarted = host.restart(module);

  ASSERT_FALSE(restarted);
  EXPECT_EQ(restarted.error().code(), "state-refused");
  EXPECT_EQ(restarted.error().found(), "state in form 1 of test.example/progress");
  EXPECT_EQ(ledger->add(1).value(), 6);
}

}}  // namespace tenon::tests
