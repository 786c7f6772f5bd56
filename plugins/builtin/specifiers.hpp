// SPDX-License-Identifier: BSL-1.0
//
// Specifications of the builtin plugins and their parameters.
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

struct DecodeSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct SplitSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct FilterSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

struct LogSpecifier : sdk::SpecifierV1 {
  Specification specify() override;
};

}  // namespace tenon::builtin
