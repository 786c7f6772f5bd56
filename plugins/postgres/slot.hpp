// SPDX-License-Identifier: BSL-1.0
//
// The replication slot and the publication of a source. The server keeps the changes of its tables
// until they are confirmed for the slot.
#pragma once

#include <string>
#include <string_view>

#include "pgoutput.hpp"
#include "table.hpp"

namespace tenon::postgres {

struct Slot {
  std::string name;
  std::string publication;
};

/// Returns a name for the slot and the publication of a table, for example tenon_public_people.
std::string slot_name(const Table& table);
/// The same for several tables, by their names in the configuration: tenon_tables_1a2b3c4d.
std::string slot_name(const Names& tables);

/// Creates the publication and then the slot, unless they exist. Creates nothing and throws
/// sdk::Failure if the server has no logical decoding, if changes of rows would not contain their
/// keys, or if an existing slot or publication cannot be used.
void create_slot(Connection& connection, const WaitLimits& limits, const Slot& slot,
                 const KeyedTables& tables);

/// Returns the confirmed position of a slot. Throws sdk::Failure if the slot has lost changes, or
/// if it or the publication cannot be used.
Lsn check_slot(Connection& connection, const WaitLimits& limits, const Slot& slot,
               const KeyedTables& tables);

/// Removes the slot if it exists, and the publication if `create_slot` created it.
void remove_slot(Connection& connection, const WaitLimits& limits, const Slot& slot);

}  // namespace tenon::postgres
