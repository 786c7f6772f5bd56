// SPDX-License-Identifier: BSL-1.0
//
// From folders of spec files to a checked Model.
#pragma once

#include "gen/model/model.hpp"
#include "gen/read/spec_files.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::gen {

/// What was asked for does not exist.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A standard kind that a program wants, and its latest version there: "source", 2.
struct StandardKind {
  std::string name;
  int version;
};

/// Reads "source@2". Throws UsageError.
StandardKind parse_standard(const std::string& text);

struct LoadOptions {
  std::vector<std::string> folders;
  std::vector<StandardKind> standard{};
  /// Where tenon's own specs lie. Read only where `standard` or a spec names something of them.
  std::string standard_specs{};
  /// Whether released versions must be those that `released.json` lists.
  bool frozen = true;
};

/// Reads and checks everything. The Model may be used only if there is no finding. Of the standard
/// specs it holds the kinds that were asked for, up to the version that was asked for, and the
/// document types that are used, up to the newest version that is. Throws EnvironmentError and
/// UsageError.
Model load_specs(const LoadOptions& options, Findings& findings);

}  // namespace tenon::gen
