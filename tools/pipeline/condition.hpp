// SPDX-License-Identifier: BSL-1.0
//
// The conditions of processors:
//
//   /address/city == "Berlin" and operation != delete or not /checked
//
//   condition    alternative or ...
//   alternative  comparison and ...
//   comparison   OPERAND == VALUE, also with != < <= > >=; OPERAND: it is there; not OPERAND
//   operand      a field of the payload as a JSON Pointer (RFC 6901), `operation`, `key`, or
//                `metadata.NAME`
//   value        a string, a number, true, false or null as JSON, or a word without quotes
//
// The payload is the one after the change, or the one before it if there is no other. A payload
// that is not JSON has no fields. Values of different types are unequal, and none of them is less
// than the other. An absent operand is unequal to every value.
#pragma once

#include <tenon/record.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/diagnostics.hpp"

namespace pipeline {

/// Immutable and thread-safe.
class Condition {
 public:
  /// Reads a condition. If it is wrong, adds a problem to the diagnostics and returns nothing.
  static std::optional<Condition> read(std::string_view text,
                                       const tenon::tools::SourceLocation& location,
                                       tenon::tools::Diagnostics& diagnostics);

  /// Returns whether a record meets the condition.
  bool holds(const tenon::RecordView& record) const;

 private:
  friend class ConditionReader;
  class Operands;

  enum class Operator : std::uint8_t {
    exists,
    is_absent,
    equal,
    unequal,
    less,
    less_or_equal,
    greater,
    greater_or_equal
  };
  struct Comparison {
    std::string operand;
    Operator comparator = Operator::exists;
    boost::json::value value;
  };
  using Alternative = std::vector<Comparison>;  // all must hold

  static bool holds(const Comparison& comparison, Operands& operands);

  std::vector<Alternative> alternatives_;
};

}  // namespace pipeline
