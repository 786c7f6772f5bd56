// SPDX-License-Identifier: BSL-1.0
//
// The reason why a record is not delivered.
#pragma once

#include <tenon/destination.hpp>

#include <cstddef>

namespace pipeline {

/// The refusal of a record by a plugin.
struct Refusal {
  enum class By { processor, destination };

  By by;
  std::size_t number;  // index of the plugin among those of its kind in the pipeline file
  tenon::Destination::AckError error;
};

}  // namespace pipeline
