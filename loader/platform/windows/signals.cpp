// SPDX-License-Identifier: BSL-1.0
//
// Windows has no signals: threads have no mask, and the system calls no handlers of an image.
#include "platform/signals.hpp"

namespace tenon { inline namespace v0_1 { namespace platform {

SignalState::SignalState() noexcept : mask_(), stack_() {}

SignalState::Changed SignalState::restore_changed() const noexcept {
  return {};
}

SignalSet ignored_signals() noexcept {
  return 0;
}

std::string signal_name(int signal) {
  return "signal " + std::to_string(signal);
}

struct ImageHandlers::State {};

ImageHandlers::ImageHandlers() = default;
ImageHandlers::~ImageHandlers() = default;

void ImageHandlers::watch(std::vector<ImageMap>) noexcept {}

ImageHandlers::Replaced ImageHandlers::replace() noexcept {
  return {};
}

ImageHandlers::Replaced ImageHandlers::replace_unmapped() noexcept {
  return {};
}

}}}  // namespace tenon::v0_1::platform
