// SPDX-License-Identifier: BSL-1.0
//
// The problems of a run: shown as they come, counted, and kept for the record of the run.
#pragma once

#include "common/console.hpp"

#include <tenon/problem.hpp>
#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace backup {

/// Belongs to one thread.
class Report {
 public:
  explicit Report(tenon::tools::Console& console) : console_(console) {}

  /// Something is missing or left behind because of this error.
  void error(const tenon::Error& error) { add(error, {}, false); }
  void error(const tenon::Error& error, const tenon::ResourceIdV1& item);
  /// Somebody should look at it.
  void warning(const tenon::Error& error) { add(error, {}, true); }
  void warning(const tenon::Error& error, const tenon::ResourceIdV1& item);

  std::uint64_t errors() const noexcept { return errors_; }
  std::uint64_t warnings() const noexcept { return warnings_; }
  /// The first 10,000 of all.
  const std::vector<tenon::ProblemV1>& problems() const noexcept { return problems_; }

 private:
  void add(const tenon::Error& error, std::string item, bool warning);

  tenon::tools::Console& console_;
  std::uint64_t errors_ = 0;
  std::uint64_t warnings_ = 0;
  std::vector<tenon::ProblemV1> problems_;
};

/// A problem on one line, for people.
std::string to_text(const tenon::ProblemV1& problem);

}  // namespace backup
