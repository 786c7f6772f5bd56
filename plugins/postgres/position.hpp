// SPDX-License-Identifier: BSL-1.0
//
// The positions of the source, one of
//
//   {"snapshot":{"id":1}}                               after a row, in the order of the columns
//   {"poll":{"id":1}}                                   the same in a later pass
//   {"slot":"people","snapshot":{"id":1}}               after a row; the slot holds the changes
//   {"slot":"people","lsn":"0/16B3748","record":3}      after a record of a transaction
#pragma once

#include "pgoutput.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::postgres {

/// Which records are read: the rows of the first pass, rows that came later, or changes.
enum class Phase { snapshot, poll, stream };

struct Position {
  Phase phase = Phase::snapshot;
  std::string slot;          // empty without logical decoding
  std::string row;           // the columns of the last row as JSON
  Lsn lsn = 0;               // where the commit of the transaction begins
  std::uint64_t record = 0;  // counted from 1 in the transaction
};

std::string to_text(const Position& position);
/// Returns nothing if the text is not one that to_text returns. `row` is not looked at.
std::optional<Position> parse_position(std::string_view text);

/// Returns a place in the log as the server writes it, eg: 0/16B3748.
std::string to_text(Lsn lsn);
std::optional<Lsn> parse_lsn(std::string_view text);

}  // namespace tenon::postgres
