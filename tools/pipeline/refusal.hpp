// SPDX-License-Identifier: BSL-1.0
//
// Why a record goes no further.
#pragma once

#include <tenon/destination.hpp>

#include <cstddef>

namespace pipeline {

/// A plugin does not take a record.
struct Refusal {
  enum class By { processor, destination };

  By by;
  std::size_t number;  // of the plugin, among those of its kind in the pipeline file
  tenon::Destination::AckError error;
};

}  // namespace pipeline
