// SPDX-License-Identifier: BSL-1.0
//
// tenon/result.hpp: errors. `Error` is one failure with what a person needs to fix it, `Result<T>`
// is a value or an Error. The library throws only `BadResult`, and only from `Result::value()`.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>

#include <cassert>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace tenon { inline namespace v0_1 {

/// Returns the word for the code in a status, ignoring flags: "ok", "invalid-argument", "crashed";
/// "unknown" for a number that is not a code.
TENON_API std::string_view status_word(tenon_status status) noexcept;

/// Returns the word for the code in a status, with the number if it is not a code that a plugin may
/// return: "aborted", "unknown (status 17)".
TENON_API std::string status_text(tenon_status status);

/// How severe a problem is.
enum class Severity {
  error,    // something failed or cannot be used
  warning,  // something should be looked at, but nothing else is affected
  note      // information
};

/// Returns "error", "warning" or "note".
TENON_API std::string_view to_string(Severity severity) noexcept;

/// The facts of an Error, for designated initializers. Facts that do not apply are left out.
struct ErrorDetails {
  std::string code{};      // stable word, eg: "kind-too-new"; not needed with a status
  tenon_status status{0};  // of a failed call, with flags; otherwise 0
  std::string message{};   // one sentence without a full stop
  std::string where{};     // a file, file:line:column, a kind, a name
  std::string found{};     // what was found
  std::string needed{};    // what is needed instead
  std::string fix{};       // what to do, as an imperative
  std::string plugin{};    // of a failed call, eg: "me.example/blur"
  std::string method{};    // of a failed call, eg: "apply"
  std::string cause{};     // of a failed call: calls of other plugins that failed inside it
  Severity severity{};
};

/// One failure: a problem of a file, a spec or a package, or a failed call of a plugin.
///
///   return Error({.code = "no-manifest", .where = path, .needed = "a note", .fix = "..."});
///   return Error({.status = TENON_ABORTED | TENON_RETRYABLE, .message = "the disk is full"});
///
/// Moving copies one pointer; copying copies the details. A moved-from Error has empty texts and
/// the status 0. Const functions may be called from any thread.
class [[nodiscard]] Error {
 public:
  /// REQUIRED: a code, or a status that is not TENON_OK.
  TENON_API explicit Error(ErrorDetails details);

  TENON_API Error(const Error& other);
  Error(Error&&) noexcept = default;
  Error& operator=(const Error& other) { return *this = Error(other); }
  Error& operator=(Error&&) noexcept = default;
  ~Error() = default;

  // The texts below are valid as long as the Error. Facts that do not apply are empty.

  /// Returns a stable code to search for and to compare with: "kind-too-new" (abi/errors.md lists
  /// them); for a failed call the word of its status: "invalid-argument".
  std::string_view code() const noexcept { return text(&ErrorDetails::code); }

  /// Returns how severe it is. A failed call is always an error.
  Severity severity() const noexcept { return details_ ? details_->severity : Severity::error; }

  /// Returns a copy with another severity.
  Error with_severity(Severity severity) const {
    Error copy(*this);
    if (copy.details_) copy.details_->severity = severity;
    return copy;
  }

  // See ErrorDetails.
  std::string_view message() const noexcept { return text(&ErrorDetails::message); }
  std::string_view where() const noexcept { return text(&ErrorDetails::where); }
  std::string_view found() const noexcept { return text(&ErrorDetails::found); }
  std::string_view needed() const noexcept { return text(&ErrorDetails::needed); }
  std::string_view fix() const noexcept { return text(&ErrorDetails::fix); }
  std::string_view plugin() const noexcept { return text(&ErrorDetails::plugin); }
  std::string_view method() const noexcept { return text(&ErrorDetails::method); }

  /// Returns the call of another plugin that failed inside the failed call, and what failed inside
  /// that, down to the first failure, eg:
  ///   me.example/edges: apply: internal: no kernel; behind it example.io/store: get: not-found
  /// The plugin may have continued after such a failure and failed for another reason.
  std::string_view cause() const noexcept { return text(&ErrorDetails::cause); }

  /// Returns the status of a failed call, with its flags; 0 if the error is not about a call.
  tenon_status status() const noexcept { return details_ ? details_->status : 0; }

  /// Returns whether the same call may succeed later.
  bool retryable() const noexcept { return (status() & TENON_RETRYABLE) != 0; }

  /// Returns whether the module is broken and requested a restart.
  bool fatal() const noexcept { return (status() & TENON_FATAL) != 0; }

  /// Returns whether the instance was replaced and is back in an earlier state.
  bool restarted() const noexcept { return (status() & TENON_RESTARTED) != 0; }

  /// Returns the complete error for people, without a final newline. One line for a call, including
  /// `cause`:
  ///   me.example/blur: apply: invalid-argument: wrong buffer size
  /// For other errors one line that begins with the severity, and up to three more:
  ///   error[kind-too-new] photo.example/filter
  ///      found   version 4
  ///      needed  1 to 3
  ///      fix     use a host that offers version 4
  /// The text is safe for terminals and logs: control characters, invalid UTF-8 and changes of
  /// direction are written as `\xNN`.
  TENON_API std::string to_string() const;

 private:
  template <class>
  friend class Result;

  Error() noexcept = default;  // no error, for a successful Result<void>

  std::string_view text(std::string ErrorDetails::*member) const noexcept {
    return details_ ? std::string_view(*details_.*member) : std::string_view();
  }

  std::string call_text() const;
  std::string problem_text() const;

  // Cold: nearly every call returns no error.
  struct Delete {
    TENON_API TENON_COLD void operator()(ErrorDetails* details) const noexcept;
  };
  std::unique_ptr<ErrorDetails, Delete> details_;
};

/// Thrown by Result::value() if there is no value. what() is Error::to_string().
class TENON_API BadResult : public std::logic_error {
 public:
  explicit BadResult(const Error& error) : std::logic_error(error.to_string()) {}
};

namespace detail {

/// Throws BadResult, also for programs that are compiled without exceptions: they terminate.
[[noreturn]] TENON_API TENON_COLD void throw_bad_result(const Error& error);

}  // namespace detail

/// A T, or the Error that says why there is none. T may be move-only or void.
template <class T>
class [[nodiscard]] Result {
  static_assert(std::is_object_v<T> && !std::is_same_v<std::remove_cv_t<T>, Error>);

 public:
  using value_type = T;

  /// Constructs a value from a T, or from anything that a T can be constructed from.
  template <class U = T>
  requires(std::is_constructible_v<T, U&&> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
           !std::is_same_v<std::remove_cvref_t<U>, Error>) explicit(!std::is_convertible_v<U&&, T>)
      Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}

  /// Constructs a failure.
  Result(Error error) noexcept : state_(std::in_place_index<1>, std::move(error)) {}

  /// Returns whether there is a value.
  bool has_value() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return has_value(); }

  /// Return the value. REQUIRED: has_value().
  T& operator*() & noexcept { return known(); }
  const T& operator*() const& noexcept { return known(); }
  T&& operator*() && noexcept { return std::move(known()); }
  T* operator->() noexcept { return &known(); }
  const T* operator->() const noexcept { return &known(); }

  /// Return the value. Throw BadResult if there is none.
  T& value() & { return check(), known(); }
  const T& value() const& { return check(), known(); }
  T&& value() && { return check(), std::move(known()); }

  /// Return why there is no value. REQUIRED: !has_value().
  const Error& error() const& noexcept { return failure(); }
  Error&& error() && noexcept { return std::move(failure()); }

 private:
  const T& known() const noexcept {
    assert(has_value());
    return *std::get_if<0>(&state_);
  }
  const Error& failure() const noexcept {
    assert(!has_value());
    return *std::get_if<1>(&state_);
  }
  T& known() noexcept { return const_cast<T&>(std::as_const(*this).known()); }
  Error& failure() noexcept { return const_cast<Error&>(std::as_const(*this).failure()); }
  void check() const {
    if (!has_value()) detail::throw_bad_result(failure());
  }

  std::variant<T, Error> state_;
};

/// Success or an Error. Success is a null pointer.
template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  /// Constructs success.
  Result() noexcept = default;
  /// Constructs a failure.
  Result(Error error) noexcept : error_(std::move(error)) {}

  /// Returns whether it succeeded.
  bool has_value() const noexcept { return error_.details_ == nullptr; }
  explicit operator bool() const noexcept { return has_value(); }

  /// Throws BadResult if it failed.
  void value() const {
    if (!has_value()) detail::throw_bad_result(error_);
  }

  /// Return why it failed. REQUIRED: !has_value().
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

}}  // namespace tenon::v0_1
