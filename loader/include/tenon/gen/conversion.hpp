// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/conversion.hpp: the conversion of a document from one version to another, as generated
// and hand-written steps see it.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/gen/bag.hpp>
#include <tenon/gen/json.hpp>

#include <cstddef>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tenon {

/// Whether what the target cannot name goes to the bag. Where the document does not come back,
/// nothing needs to.
enum class Keep { nothing, everything };

/// One conversion. All that it makes lives in the arena of the call. Functions that can fail answer
/// false; then the conversion knows why, and the target holds nothing that means anything.
///
/// Belongs to the thread of the call.
class TENON_API Conversion {
 public:
  explicit Conversion(tenon_call* call, Keep keep = Keep::everything) noexcept
      : call_(call), keep_(keep) {}

  tenon_call* call() const noexcept { return call_; }
  bool keeps() const noexcept { return keep_ == Keep::everything; }

  /// Texts that are read are copied to the arena; else they stay where the text of the document is.
  bool copies = false;
  /// A field that the ABI cannot leave out, and the document does, is noted in the bag.
  bool notes_absence = false;
  /// Not empty: what a reader does not know goes to the bag, as a value of this version.
  std::string_view unknown_of{};

  /// A value in the arena.
  template <class T>
  T* make(const T& value = {}) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return new (tenon_allocate(call_, sizeof(T))) T(value);
  }
  /// `count` values in the arena.
  template <class T>
  T* make_array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= 16);
    return new (tenon_allocate(call_, count * sizeof(T))) T[count]{};
  }
  /// A copy of a text in the arena.
  tenon_string copy(std::string_view text) {
    return {static_cast<const char*>(tenon_allocate_copy(call_, text.data(), text.size())),
            text.size()};
  }

  /// Ends the conversion: `where` is the path in the document, as far as it is known here. Answers
  /// false.
  bool fail(std::string_view where, std::string_view message);
  /// The same with the error of a JSON parser.
  bool fail(std::string_view where, const Error& error);
  /// Says that what failed stands in the field, or in the element of a list or map. Answers false.
  bool in(std::string_view field);
  bool in(std::size_t element);
  /// Why it failed: "bag.size@1.value: expected int32, found text \"x\"".
  std::string error() const;
  /// The two parts of that.
  std::string_view where() const noexcept { return path_; }
  std::string_view message() const noexcept { return message_; }

  /// The same as the answer of a method: fails the call when `good` is false.
  tenon_status status(bool good);

 private:
  tenon_call* call_;
  Keep keep_;
  std::string path_{};
  std::string message_{};
};

}  // namespace tenon
