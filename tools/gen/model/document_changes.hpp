// SPDX-License-Identifier: BSL-1.0
//
// Describes document types and their steps in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the name of a stage, eg: "draft", "released".
std::string_view word_of(Life::Stage stage);

/// Returns the changes of a step, eg: "adds operation", "payload by hand".
std::vector<std::string> changes_of(const DocumentStep& step);

}  // namespace tenon::gen
