// SPDX-License-Identifier: BSL-1.0
//
// What each of the plugins here says of itself and of its parameters.
#pragma once

#include <tenon/sdk/specifier.hpp>

namespace tenon::builtin {

struct GeneratorSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct FileSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct SqliteSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct FieldSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct LogSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

}  // namespace tenon::builtin
