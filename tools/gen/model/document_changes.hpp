// SPDX-License-Identifier: BSL-1.0
//
// What people are told of document types and their steps.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::gen {

/// eg: "draft", "released"
std::string_view word_of(Life::Stage stage);

/// What a step does, eg: "adds operation", "payload by hand"
std::vector<std::string> changes_of(const DocumentStep& step);

}  // namespace tenon::gen
