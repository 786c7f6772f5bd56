// SPDX-License-Identifier: BSL-1.0
//
// Calls into loaded images that return even if the code of the image crashes. Only a crash in that
// code itself is contained: other code may hold locks or have changed data only partly.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// Returns whether crashes can be contained on this system.
bool can_contain() noexcept;

/// The minimum size in bytes of a thread's alternate signal stack, including the frame of the
/// system and a reserve. If a thread has none or a smaller one at its first contained call, it uses
/// a stack of the loader until it ends. Crashes are not contained if the program gives the thread a
/// smaller stack afterwards.
inline constexpr std::size_t min_alternate_stack = 32'768;

/// Installs the signal handlers while at least one object lives. All other crashes go to the
/// previous handlers of the program, which are restored with the last object. Handlers that the
/// program installs meanwhile run first, and may call these. REQUIRED: can_contain().
class CrashHandlers {
 public:
  CrashHandlers();
  ~CrashHandlers();
  CrashHandlers(const CrashHandlers&) = delete;
  CrashHandlers& operator=(const CrashHandlers&) = delete;
};

/// A call for `call_contained`. The names are written to standard error if a crash ends the
/// process.
struct ContainedCall {
  std::string_view plugin;
  std::string_view function;
  /// The image whose crashes are contained; nullptr: none are.
  const ImageMap* image;
};

/// A contained crash.
struct Crash {
  /// eg: "SIGSEGV"
  std::string_view signal;
  /// The instruction of the image that failed, or that called the function that failed.
  const void* code = nullptr;
  /// True if the stack of the thread overflowed.
  bool stack_overflow = false;
};

/// Gives the calling thread its alternate signal stack, and unblocks the signals of faults, as its
/// first contained call does. REQUIRED: a CrashHandlers lives.
void prepare_contained_calls() noexcept;

/// Calls `function(argument)`, which must call directly into the image. Sets `crash` if a crash
/// ended the call; exceptions pass through. Resources that the call held at a crash are leaked. The
/// thread keeps the signal mask that it had at the crash: restoring an earlier one would take a
/// system call per call. A crash in a child that the call forked is not contained.
/// REQUIRED: a CrashHandlers lives.
void call_contained(const ContainedCall& called, void (*function)(void*), void* argument,
                    std::optional<Crash>& crash);

/// The `function` of `call_contained` for an argument that points to a callable object.
template <class Body>
void call_body(void* body) {
  (*static_cast<Body*>(body))();
}

}}}  // namespace tenon::v0_1::platform
