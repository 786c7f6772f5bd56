// SPDX-License-Identifier: BSL-1.0
//
// The problems of a run. They are shown as they occur, counted, and kept for the record of the run.
#pragma once

#include <tenon/host.hpp>
#include <tenon/problem.hpp>
#include <tenon/resource_id.hpp>
#include <tenon/result.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "common/console.hpp"

namespace backup {

/// Belongs to one thread.
class Report {
 public:
  explicit Report(tenon::tools::Console& console) : console_(console) {}
  /// Reports errors to the host, too.
  Report(tenon::tools::Console& console, tenon::Host& host)
      : console_(console),
        host_(&host),
        failed_(host.figure({.name = "failed", .unit = "items"})) {}

  /// Adds an error: something is missing or was not removed.
  void error(const tenon::Error& error) { add(error, {}, false); }
  void error(const tenon::Error& error, const tenon::ResourceIdV1& item);
  /// Adds a warning: nothing is missing, but it needs attention.
  void warning(const tenon::Error& error) { add(error, {}, true); }
  void warning(const tenon::Error& error, const tenon::ResourceIdV1& item);

  std::uint64_t errors() const noexcept { return errors_; }
  std::uint64_t warnings() const noexcept { return warnings_; }
  /// Returns the first 10,000 problems.
  const std::vector<tenon::ProblemV1>& problems() const noexcept { return problems_; }

 private:
  void add(const tenon::Error& error, const std::string& item, bool warning);

  tenon::tools::Console& console_;
  tenon::Host* const host_ = nullptr;
  tenon::Figure failed_;
  std::uint64_t errors_ = 0;
  std::uint64_t warnings_ = 0;
  std::vector<tenon::ProblemV1> problems_;
};

/// Returns an error that ends a run as text for people, with its fix.
std::string to_text(const tenon::Error& error);

/// Returns a problem as one line for people.
std::string to_text(const tenon::ProblemV1& problem);

}  // namespace backup
