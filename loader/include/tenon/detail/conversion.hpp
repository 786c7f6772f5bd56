// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/conversion.hpp: the state of one conversion of a document between versions, for
// generated and hand-written steps.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/bag.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/json.hpp>

#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon { inline namespace v0_1 {

/// Keeps fields that the target cannot name in the bag, or discards them, for documents that are
/// not converted back.
enum class Keep { nothing, everything };

/// One conversion. Its results are allocated in the arena of the call. Functions that can fail
/// return false; the conversion then has the error, and the target is unspecified.
///
/// Belongs to the thread of the call.
class TENON_API Conversion {
 public:
  explicit Conversion(tenon_call* call, Keep keep = Keep::everything) noexcept
      : call_(call), keep_(keep) {}

  tenon_call* call() const noexcept { return call_; }
  bool keeps() const noexcept { return keep_ == Keep::everything; }

  /// If true, texts are copied to the arena. Otherwise they point into the text of the document.
  bool copies = false;
  /// If true, the bag records absent fields that the ABI struct cannot leave out.
  bool notes_absence = false;
  /// If true, a number whose digits a float32 would lose is not one.
  bool exact_floats = false;
  /// If not empty, unknown fields go to the bag, as values of this version.
  std::string_view unknown_of{};

  /// Returns a value in the arena.
  template <class T>
  T* make(const T& value = {}) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return new (tenon_allocate(call_, sizeof(T))) T(value);
  }
  /// Returns `count` values in the arena.
  template <class T>
  T* make_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return new (tenon_allocate(call_, count * sizeof(T))) T[count]{};
  }
  /// Returns a copy of a text in the arena.
  tenon_string copy(std::string_view text) {
    return {static_cast<const char*>(tenon_allocate_copy(call_, text.data(), text.size())),
            text.size()};
  }

  /// Fails the conversion. `where` is the known part of the path in the document. Returns false.
  bool fail(std::string_view where, std::string_view message);
  /// Fails the conversion with the error of a JSON parser. Returns false.
  bool fail(std::string_view where, const Error& error);
  /// Prepend a field, or an element of a list or map, to the path of the error. Return false.
  bool in(std::string_view field);
  bool in(std::size_t element);
  /// Returns why it failed: "bag.size@1.value: expected int32, found text \"x\"".
  std::string error() const;
  /// Return the two parts of the error.
  std::string_view where() const noexcept { return path_; }
  std::string_view message() const noexcept { return message_; }

  /// Returns a status for a method. Fails the call with the error if `good` is false.
  tenon_status status(bool good);

 private:
  tenon_call* call_;
  Keep keep_;
  std::string path_{};
  std::string message_{};
};

}}  // namespace tenon::v0_1
