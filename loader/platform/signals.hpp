// SPDX-License-Identifier: BSL-1.0
//
// The signal state of a thread, and the signal handlers of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

/// The signal mask and the alternate signal stack of the current thread when this was created.
class SignalState {
 public:
  /// The parts that functions can change.
  struct Changed {
    bool mask = false;
    bool alternate_stack = false;
  };

  SignalState() noexcept;
  /// Restores the parts that have changed, and returns them. The alternate stack is left alone
  /// while the thread runs on it.
  Changed restore_changed() const noexcept;

 private:
  // A mask and a stack of the system, whose headers are not included here.
  static constexpr std::size_t mask_size = 128;
  static constexpr std::size_t stack_size = 32;
  alignas(std::max_align_t) std::byte mask_[mask_size];
  alignas(std::max_align_t) std::byte stack_[stack_size];
};

/// A set of signals: bit n - 1 is signal n.
using SignalSet = std::uint64_t;

/// Returns the signals that the process ignores.
SignalSet ignored_signals() noexcept;

/// Returns the name of a signal, eg: "SIGTERM".
std::string signal_name(int signal);

/// Keeps the process from using signal handlers in the code of one image after it was unloaded.
class ImageHandlers {
 public:
  /// The signals whose handlers were replaced by the previous action, and by the default one.
  struct Replaced {
    SignalSet by_previous = 0;
    SignalSet by_default = 0;
  };

  /// Records the handlers of all signals before the image is loaded.
  ImageHandlers();
  ~ImageHandlers();
  ImageHandlers(const ImageHandlers&) = delete;
  ImageHandlers& operator=(const ImageHandlers&) = delete;

  /// Sets the files of the image, once they are loaded.
  void watch(std::vector<ImageMap> images) noexcept;

  /// Replaces the handlers in the image by those before it, or by the default action if they are
  /// not in mapped code; also where they are the previous handlers of another image. Called
  /// before the
  /// image is unloaded.
  Replaced replace() noexcept;
  /// Replaces the handlers that are in no mapped code any more: in the image, or in libraries that
  /// were unloaded with it. Called after the image was unmapped. REQUIRED: `replace` was called.
  Replaced replace_unmapped() noexcept;

 private:
  struct State;
  template <class IsGone>
  Replaced replace_if(IsGone is_gone) noexcept;

  const std::unique_ptr<State> state_;
};

}}}  // namespace tenon::v0_1::platform
