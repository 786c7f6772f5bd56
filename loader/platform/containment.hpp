// SPDX-License-Identifier: BSL-1.0
//
// Calls into loaded images that come back although the code of the image crashed. Only a crash of
// that code itself is contained: elsewhere somebody else's locks and data may be half changed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "platform/image_map.hpp"

namespace tenon::platform {

/// Whether crashes can be contained on this system.
bool can_contain() noexcept;

/// The handlers need this much of a thread's alternate signal stack, in bytes, with what the system
/// puts there and a reserve. A thread that has none, or a smaller one, when it makes its first
/// contained call gets one of the loader's until it ends; then it has its own again. Crashes are
/// not contained on a smaller one that the program gives the thread later.
inline constexpr std::size_t smallest_alternate_stack = 32'768;

/// While one lives, crashes in contained calls come back. All others go to the handlers that the
/// program had before, which are its handlers again when the last one has ended. Handlers that the
/// program installs meanwhile come first. REQUIRED: can_contain().
class CrashHandlers {
 public:
  CrashHandlers();
  ~CrashHandlers();
  CrashHandlers(const CrashHandlers&) = delete;
  CrashHandlers& operator=(const CrashHandlers&) = delete;
};

/// What is called. A crash that ends the process is told under its name.
struct Called {
  std::string_view plugin;
  std::string_view function;
  /// Whose crashes are contained; nullptr: nobody's.
  const ImageMap* image;
};

/// How the code of an image crashed.
struct Crash {
  /// eg: "SIGSEGV"
  std::string_view signal;
  /// The instruction of the image: the one that failed, or the call of what failed.
  const void* code = nullptr;
  /// Whether the thread had no stack left.
  bool stack_overflow = false;
};

/// Calls `function(argument)`, which calls straight into the image. Sets `crash` where one ended
/// it; exceptions pass. After a crash nothing that the call held is given back. REQUIRED: a
/// CrashHandlers lives.
void call_contained(const Called& called, void (*function)(void*), void* argument,
                    std::optional<Crash>& crash);

/// The `function` of `call_contained` if the argument points to a callable object.
template <class Body>
void call_body(void* body) {
  (*static_cast<Body*>(body))();
}

}  // namespace tenon::platform
