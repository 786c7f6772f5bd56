// SPDX-License-Identifier: BSL-1.0
//
// The specification of the plugin and its parameters.
#pragma once

#include <tenon/sdk/specifier.hpp>

namespace tenon::postgres {

class Specifier : public sdk::SpecifierV1 {
 public:
  Specification specify() override;
};

}  // namespace tenon::postgres
