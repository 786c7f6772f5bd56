// SPDX-License-Identifier: BSL-1.0
//
// tenon/result.hpp: how everything in tenon says that it failed. `Error` is one failure with
// what a person needs to repair it, `Result<T>` is a value or an Error. The library throws
// nothing but `BadResult`, and that only from `Result::value()`.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>

#include <cassert>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace tenon {

/// The word for the code in a status, flags ignored: "ok", "invalid-argument", "crashed". A number
/// that is no code is "unknown".
constexpr std::string_view status_word(tenon_status status) noexcept {
  constexpr std::string_view words[] = {"ok",
                                        "cancelled",
                                        "unknown",
                                        "invalid-argument",
                                        "deadline-exceeded",
                                        "not-found",
                                        "already-exists",
                                        "permission-denied",
                                        "resource-exhausted",
                                        "failed-precondition",
                                        "aborted",
                                        "out-of-range",
                                        "unimplemented",
                                        "internal",
                                        "unavailable",
                                        "data-loss",
                                        "unauthenticated"};
  if (TENON_CODE(status) == TENON_CRASHED) return "crashed";
  const auto code = static_cast<std::size_t>(TENON_CODE(status));
  return code < std::size(words) ? words[code] : words[TENON_UNKNOWN];
}

/// The word for the code in a status, and the number of one that no plugin may return: "aborted",
/// "unknown (status 17)".
TENON_API std::string status_text(tenon_status status);

/// How bad a finding is.
enum class ErrorGrade {
  error,    // something failed or cannot be used
  warning,  // what can be used is used, but somebody should have a look
  note      // everything is used as it should be
};

/// "error", "warning", "note"
TENON_API std::string_view to_string(ErrorGrade grade) noexcept;

/// The facts of an Error, to be given by name; what does not apply is left out.
struct ErrorDetails {
  std::string code{};      // stable word, eg: "kind-too-new"; left out where status says it
  tenon_status status{0};  // with flags; of a failed call, else 0
  std::string message{};   // one sentence without a full stop
  std::string where{};     // what is wrong: a file, file:line:column, a kind, a name
  std::string found{};     // what is there
  std::string needed{};    // what should be there
  std::string fix{};       // what to do about it
  std::string plugin{};    // of a failed call, eg: "me.example/blur"
  std::string method{};    // of a failed call, eg: "apply"
  std::string behind{};    // of a failed call: those of other plugins that failed in it
  ErrorGrade grade{};      // of a finding
};

/// One failure: a finding about a file, a spec, a package, or a call of a plugin that failed.
///
///   return Error({.code = "no-manifest", .where = path, .needed = "a note", .fix = "..."});
///   return Error({.status = TENON_ABORTED | TENON_RETRYABLE, .message = "the disk is full"});
///
/// Moving costs one pointer; a copy has details of its own. An Error that was moved from
/// answers empty texts and 0. Const functions may be called from any thread.
class [[nodiscard]] Error {
 public:
  /// REQUIRED: a code, or a status that is not TENON_OK.
  TENON_API explicit Error(ErrorDetails details);

  TENON_API Error(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(const Error& other) { return *this = Error(other); }
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  /// The texts below belong to the Error and are valid as long as it is. What does not apply
  /// is empty.

  /// A stable code, to search for and to compare with: "kind-too-new" (abi/errors.md lists them);
  /// for a failed call the word of its status: "invalid-argument".
  std::string_view code() const noexcept { return text(&ErrorDetails::code); }

  /// How bad it is; whatever made a call fail is an error.
  ErrorGrade grade() const noexcept { return details_ ? details_->grade : ErrorGrade::error; }

  /// Returns a copy with another grade.
  Error graded(ErrorGrade grade) const {
    Error copy(*this);
    if (copy.details_) copy.details_->grade = grade;
    return copy;
  }

  /// What went wrong, for people.
  std::string_view message() const noexcept { return text(&ErrorDetails::message); }

  /// What the finding is about: a path, path:line:column, a kind, the name of a plugin.
  std::string_view where() const noexcept { return text(&ErrorDetails::where); }

  /// What is there.
  std::string_view found() const noexcept { return text(&ErrorDetails::found); }

  /// What should be there.
  std::string_view needed() const noexcept { return text(&ErrorDetails::needed); }

  /// What to do about it.
  std::string_view fix() const noexcept { return text(&ErrorDetails::fix); }

  /// The plugin and the method of a call that failed.
  std::string_view plugin() const noexcept { return text(&ErrorDetails::plugin); }
  std::string_view method() const noexcept { return text(&ErrorDetails::method); }

  /// The call of another plugin that failed inside of the one that failed, and what failed inside
  /// of that: the path of plugins to where it began. eg:
  ///   me.example/edges: apply: internal: no kernel; behind it example.io/store: get: not-found
  /// A plugin may have gone on after such a failure and failed for another reason.
  std::string_view behind() const noexcept { return text(&ErrorDetails::behind); }

  /// The status of a call that failed, with its flags; 0 where the error is not about a call.
  tenon_status status() const noexcept { return details_ ? details_->status : 0; }

  /// Whether the same call may succeed later.
  bool retryable() const noexcept { return (status() & TENON_RETRYABLE) != 0; }

  /// Whether the module is broken and asks to be restarted.
  bool fatal() const noexcept { return (status() & TENON_FATAL) != 0; }

  /// Whether the instance was replaced and is back in an earlier state.
  bool restarted() const noexcept { return (status() & TENON_RESTARTED) != 0; }

  /// The whole error for people, without a line end behind it. One line for a call, with what is
  /// behind it:
  ///   me.example/blur: apply: invalid-argument: wrong buffer size
  /// and for a finding one line, which begins with its grade, and up to three more:
  ///   error[kind-too-new] photo.example/filter
  ///      found   version 4
  ///      needed  1 to 3
  ///      fix     a host that offers version 4
  /// It can go to a terminal or a log as it is: what could forge a line of it or move a cursor
  /// (control characters, invalid UTF-8, changes of direction) becomes \xNN.
  TENON_API std::string to_string() const;

 private:
  template <class>
  friend class Result;

  Error() noexcept = default;  // no error: what a good Result<void> holds

  std::string_view text(std::string ErrorDetails::*member) const noexcept {
    return details_ ? std::string_view(*details_.*member) : std::string_view();
  }

  std::string call_text() const;
  std::string finding_text() const;

  // Far away from the place of a call, where nearly every Error is none.
  struct Delete {
    TENON_API TENON_COLD void operator()(ErrorDetails* details) const noexcept;
  };
  std::unique_ptr<ErrorDetails, Delete> details_;
};

/// What Result::value() throws when there is no value; what() is the error's to_string().
class BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& error) : std::logic_error(error.to_string()) {}
};

/// A T or the Error that says why there is none. T may be move-only, and void (below).
template <class T>
class [[nodiscard]] Result {
  static_assert(std::is_object_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>);

 public:
  using value_type = T;

  /// Made from a value, or from whatever a T is made from...
  template <class U = T>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error>) explicit(!std::is_convertible_v<U&&, T>)
      Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  /// ... or from an error.
  Result(Error error) noexcept : state_(std::in_place_index<1>, std::move(error)) {}

  /// Whether there is a value.
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// The value. REQUIRED: has_value().
  T& operator*() & noexcept { return known(); }
  const T& operator*() const& noexcept { return known(); }
  T&& operator*() && noexcept { return std::move(known()); }
  T* operator->() noexcept { return &known(); }
  const T* operator->() const noexcept { return &known(); }

  /// The value; throws BadResult when there is none.
  T& value() & { return checked().known(); }
  const T& value() const& { return checked().known(); }
  T&& value() && { return std::move(checked().known()); }

  /// Why there is no value. REQUIRED: !has_value().
  const Error& error() const& noexcept { return failure(); }
  Error&& error() && noexcept { return std::move(failure()); }

 private:
  T& known() noexcept {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const T& known() const noexcept {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  Error& failure() noexcept {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  const Error& failure() const noexcept {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  Result& checked() {
    if (!has_value()) throw BadResult(failure());
    return *this;
  }
  const Result& checked() const {
    if (!has_value()) throw BadResult(failure());
    return *this;
  }

  std::variant<T, Error> state_;
};

/// Success, or the Error. A good one is a null pointer.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  /// Success...
  Result() noexcept = default;
  /// ... or an error.
  Result(Error error) noexcept : error_(std::move(error)) {}

  /// Whether it went well.
  bool has_value() const noexcept { return error_.details_ == nullptr; }
  explicit operator bool() const noexcept { return has_value(); }

  /// Nothing; throws BadResult when it went wrong.
  void value() const {
    if (!has_value()) throw BadResult(error_);
  }

  /// Why it went wrong. REQUIRED: !has_value().
  const Error& error() const& noexcept {
    assert(!has_value());
    return error_;
  }
  Error&& error() && noexcept {
    assert(!has_value());
    return std::move(error_);
  }

 private:
  Error error_;
};

static_assert(sizeof(Result<void>) == sizeof(void*));

}  // namespace tenon
