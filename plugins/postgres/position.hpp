// SPDX-License-Identifier: BSL-1.0
//
// The positions of the source, one of
//
//   {"table":"public.people","snapshot":{"id":1}}       after a row, in the order of the columns
//   {"table":"public.people","poll":{"id":1}}           after a row in a later pass
//   {"slot":"people","snapshot":{"id":1}}               after a row; the slot has the changes
//   {"slot":"s","table":"public.a","snapshot":{"id":1}} the same; the tables before it were read
//   {"slot":"people","lsn":"0/16B3748","record":3}      after a record of a transaction
//
// or, of several tables without a slot, a list of the first or second form: [{...},{...}]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgoutput.hpp"

namespace tenon::postgres {

/// The records that are read: rows of the first pass, rows of later passes, or changes.
enum class Phase { snapshot, poll, stream };

struct Position {
  Phase phase = Phase::snapshot;
  std::string slot;          // empty without logical decoding
  std::string table;         // its quoted name; empty with the slot of one table
  std::string row;           // the columns of the last row as JSON
  Lsn lsn = 0;               // begin of the commit of the transaction
  std::uint64_t record = 0;  // number in the transaction, from 1
};

std::string to_text(const Position& position);
/// Parses the result of to_text. Returns nothing for other texts. Does not check `row`.
std::optional<Position> parse_position(std::string_view text);
/// The same for a position or a list of positions. Returns an empty list for other texts.
std::vector<Position> parse_positions(std::string_view text);

/// Returns a position in the log in the server's format, for example 0/16B3748.
std::string to_text(Lsn lsn);
std::optional<Lsn> parse_lsn(std::string_view text);

}  // namespace tenon::postgres
