// SPDX-License-Identifier: BSL-1.0
//
// Arguments that name a kind, a version of it, or a method.
#pragma once

#include <tenon/result.hpp>

#include <string>

#include "gen/model/model.hpp"

namespace tenon::command {

/// What an argument names.
struct KindSubject {
  const gen::Kind* kind;
  const gen::KindVersion* version;
  const gen::Method* method = nullptr;  // of the version; nullptr: all methods
};

/// Finds KIND[@VERSION][.METHOD]. Without a version it is the newest one, or the newest one with
/// the method. Error: not-found, with the nearest name.
Result<KindSubject> find_subject(const gen::Model& model, const std::string& text);

}  // namespace tenon::command
