// SPDX-License-Identifier: BSL-1.0
#include <tenon/result.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace tenon { namespace {

Error finding() {
  return Error({.code = "kind-too-new",
                .where = "photo.example/filter",
                .found = "version 4",
                .needed = "1 to 3",
                .fix = "a newer host"});
}

Error failed_call() {
  return Error({.status = TENON_INVALID_ARGUMENT,
                .message = "wrong buffer size",
                .plugin = "me.example/blur",
                .method = "apply"});
}

TEST(Error, PrintsProblemsWithDetails) {
  EXPECT_EQ(finding().to_string(),
            "error[kind-too-new] photo.example/filter\n"
            "   found   version 4\n"
            "   needed  1 to 3\n"
            "   fix     a newer host");
}

TEST(Error, PrintsProblemsWithOnlyAMessage) {
  EXPECT_EQ(Error({.code = "cannot-read", .message = "no disk"}).to_string(),
            "error[cannot-read] no disk");
  EXPECT_EQ(Error({.code = "cannot-read", .message = "no disk", .where = "/x"}).to_string(),
            "error[cannot-read] /x: no disk");
}

TEST(Error, HasAGrade) {
  EXPECT_EQ(finding().severity(), Severity::error);
  const Error warning = finding().with_severity(Severity::warning);
  EXPECT_EQ(warning.severity(), Severity::warning);
  EXPECT_EQ(warning.to_string().substr(0, 22), "warning[kind-too-new] ");
  const Error note({.code = "in-development", .severity = Severity::note});
  EXPECT_EQ(note.to_string(), "note[in-development]");
}

TEST(Error, PrintsTheNumberOfAnUnknownStatus) {
  const auto printed = [](tenon_status status) {
    return Error({.status = status, .plugin = "me.example/blur", .method = "apply"}).to_string();
  };
  EXPECT_EQ(printed(17), "me.example/blur: apply: unknown (status 17)");
  EXPECT_EQ(printed(-1 & ~TENON_RETRYABLE & ~TENON_FATAL & ~TENON_RESTARTED),
            "me.example/blur: apply: unknown (status -1793)");
  EXPECT_EQ(printed(0x1000 | TENON_ABORTED), "me.example/blur: apply: aborted (status 4106)");
  EXPECT_EQ(printed(TENON_RETRYABLE), "me.example/blur: apply: ok (status 256) (retryable)");
  EXPECT_EQ(printed(TENON_CRASHED | TENON_RESTARTED),
            "me.example/blur: apply: crashed (restarted)");
  EXPECT_EQ(printed(TENON_UNAUTHENTICATED), "me.example/blur: apply: unauthenticated");
  EXPECT_EQ(Error({.code = "start-failed", .status = 99}).to_string(), "start-failed (status 99)");
  EXPECT_EQ(status_text(TENON_ABORTED | TENON_FATAL), "aborted");
}

TEST(Error, PrintsACallInOneLine) {
  EXPECT_EQ(failed_call().to_string(),
            "me.example/blur: apply: invalid-argument: wrong buffer size");
}

TEST(Error, PrintsTheFlagsOfACall) {
  const Error error({.status = TENON_ABORTED | TENON_RETRYABLE | TENON_RESTARTED,
                     .message = "restarted",
                     .plugin = "me.example/blur"});
  EXPECT_EQ(error.to_string(), "me.example/blur: aborted: restarted (retryable) (restarted)");
  EXPECT_TRUE(error.retryable());
  EXPECT_TRUE(error.restarted());
  EXPECT_FALSE(error.fatal());
}

TEST(Error, TakesItsCodeFromTheStatus) {
  EXPECT_EQ(failed_call().code(), "invalid-argument");
  EXPECT_EQ(Error({.status = TENON_DATA_LOSS | TENON_FATAL}).code(), "data-loss");
  EXPECT_EQ(Error({.code = "start-failed", .status = TENON_INTERNAL}).code(), "start-failed");
  EXPECT_EQ(finding().status(), 0);
}

TEST(Error, NamesEachStatus) {
  EXPECT_EQ(status_word(TENON_OK), "ok");
  EXPECT_EQ(status_word(TENON_UNAUTHENTICATED), "unauthenticated");
  EXPECT_EQ(status_word(TENON_UNAVAILABLE | TENON_RETRYABLE), "unavailable");
  EXPECT_EQ(status_word(TENON_CRASHED | TENON_RESTARTED), "crashed");
  EXPECT_EQ(status_word(17), "unknown");
  EXPECT_EQ(status_word(129), "unknown");
  EXPECT_EQ(status_word(-1), "unknown");
}

TEST(Error, CopiesAreIndependent) {
  Error original = finding();
  const Error copy = original;
  original = failed_call();
  EXPECT_EQ(copy.code(), "kind-too-new");
  EXPECT_EQ(original.code(), "invalid-argument");
}

TEST(Error, IsEmptyAfterAMove) {
  Error original = finding();
  const Error moved = std::move(original);
  EXPECT_EQ(moved.found(), "version 4");
  EXPECT_EQ(original.found(), "");  // NOLINT(bugprone-use-after-move): tests the moved-from object
  EXPECT_EQ(original.status(), 0);
}

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> good = 7;
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 7);
  EXPECT_EQ(good.value(), 7);

  const Result<int> bad = finding();
  ASSERT_FALSE(bad.has_value());
  EXPECT_EQ(bad.error().code(), "kind-too-new");
}

TEST(Result, ThrowsTheErrorFromValue) {
  const Result<std::string> bad = failed_call();
  try {
    (void)bad.value();
    FAIL() << "value() of an error did not throw";
  } catch (const BadResult& thrown) {
    EXPECT_EQ(thrown.what(), failed_call().to_string());
  }
}

TEST(Result, HoldsMoveOnlyValues) {
  struct Base {
    virtual ~Base() = default;
  };
  struct Derived : Base {};
  const auto make = []() -> Result<std::unique_ptr<Base>> {
    auto derived = std::make_unique<Derived>();
    return derived;
  };
  auto made = make();
  ASSERT_TRUE(made);
  const std::unique_ptr<Base> taken = *std::move(made);
  EXPECT_NE(taken, nullptr);
}

TEST(Result, DereferencesTheValue) {
  Result<std::vector<int>> list = std::vector<int>{1, 2};
  list->push_back(3);
  EXPECT_EQ(list->size(), 3U);
}

TEST(Result, RespectsExplicitConstructors) {
  struct Picky {
    explicit Picky(int) {}
  };
  static_assert(!std::is_convertible_v<int, Result<Picky>>);
  static_assert(std::is_constructible_v<Result<Picky>, int>);
  static_assert(!std::is_convertible_v<Result<int>, bool>);
}

TEST(Result, OfVoidSucceedsWithoutAnError) {
  const Result<void> good;
  EXPECT_TRUE(good);
  EXPECT_NO_THROW(good.value());

  const Result<void> bad = failed_call();
  EXPECT_FALSE(bad);
  EXPECT_THROW(bad.value(), BadResult);
  EXPECT_EQ(bad.error().method(), "apply");
}

}}  // namespace tenon
