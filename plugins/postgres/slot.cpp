// SPDX-License-Identifier: BSL-1.0
#include "slot.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>

#include "position.hpp"

namespace tenon::postgres {
namespace {

// The limit of PostgreSQL in bytes.
constexpr std::size_t max_name_size = 63;
constexpr std::size_t hash_size = 9;
constexpr std::string_view read_again =
    "; fix: delete the pipeline, and run it again to read all rows";

/// Returns "_" and a hash of the text in 8 digits.
std::string hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261;  // FNV-1a
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 16777619;
  char digits[hash_size + 1];
  std::snprintf(digits, sizeof digits, "_%08x", static_cast<unsigned>(hash));
  return digits;
}

bool is_slot_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool has_row(Connection& connection, const WaitLimits& limits, const std::string& sql,
             const Connection::Parameters& parameters) {
  return connection.run(limits, "cannot look for logical decoding", sql, parameters).size() > 0;
}

/// Returns the comment of a publication that was created for a slot. Others are never removed.
std::string comment_of(const Slot& slot) {
  return "created by tenon for " + slot.name;
}

void check_level(Connection& connection, const WaitLimits& limits) {
  const Rows rows = connection.run(limits, "cannot look for logical decoding", "SHOW wal_level");
  if (rows.text(0, 0) == "logical") return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION,
                     "the server has no logical decoding; found: wal_level = ", rows.text(0, 0),
                     "; needed: logical; fix: set wal_level in postgresql.conf and restart the "
                     "server, or set \"mode\" to \"poll\"");
}

void check_identity(Connection& connection, const WaitLimits& limits, const KeyedTable& keyed) {
  const auto& [table, key] = keyed;
  std::string names;
  for (const std::string& name : key) {
    names += sdk::text(names.empty() ? "" : ", ", quoted_text(name));
  }
  const Rows rows = connection.run(
      limits, sdk::text("cannot find the replica identity of ", table.name),
      sdk::text("SELECT c.relreplident = 'f' OR NOT EXISTS (SELECT FROM unnest(ARRAY[", names,
                "]) AS k WHERE k NOT IN (SELECT a.attname FROM pg_catalog.pg_index i "
                "JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND "
                "a.attnum = ANY((i.indkey::int2[])[0:i.indnkeyatts - 1]) "
                "WHERE i.indrelid = c.oid AND CASE c.relreplident WHEN 'd' THEN i.indisprimary "
                "WHEN 'i' THEN i.indisreplident ELSE false END)) "
                "FROM pg_catalog.pg_class c WHERE c.oid = to_regclass($1)"),
      {table.name});
  if (rows.size() == 0) {
    throw sdk::Failure(TENON_NOT_FOUND, "table ", table.name,
                       " no longer exists; fix: create it or read another one");
  }
  if (rows.is_true(0, 0)) return;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, "the replica identity of table ", table.name,
                     " lacks columns of the key (", joined(key),
                     "), so updates and deletes would not contain them; fix: ALTER TABLE ",
                     table.name, " REPLICA IDENTITY FULL");
}

void create_publication(Connection& connection, const WaitLimits& limits, const Slot& slot,
                        const KeyedTables& tables) {
  std::string names;
  for (const KeyedTable& one : tables) names += (names.empty() ? "" : ", ") + one.table.name;
  const std::string action = "cannot create publication " + slot.publication;
  const Rows version =
      connection.run(limits, action, "SELECT current_setting('server_version_num')::int >= 130000");
  const char* const partitions =
      version.is_true(0, 0) ? " WITH (publish_via_partition_root = true)" : "";
  connection.run(limits, action,
                 sdk::text("CREATE PUBLICATION ", quoted_name(slot.publication), " FOR TABLE ",
                           names, partitions, "; COMMENT ON PUBLICATION ",
                           quoted_name(slot.publication), " IS ", quoted_text(comment_of(slot))));
}

/// Returns whether the publication of a slot was created for the slot.
bool is_own_publication(Connection& connection, const WaitLimits& limits, const Slot& slot) {
  return has_row(connection, limits,
                 "SELECT FROM pg_catalog.pg_publication WHERE pubname = $1 AND "
                 "obj_description(oid, 'pg_publication') = $2",
                 {slot.publication, comment_of(slot)});
}

void remove_publication(Connection& connection, const WaitLimits& limits, const Slot& slot) {
  if (!is_own_publication(connection, limits, slot)) return;
  connection.run(limits, "cannot remove publication " + slot.publication,
                 "DROP PUBLICATION IF EXISTS " + quoted_name(slot.publication));
}

/// Returns the confirmed position of a slot, or nothing if there is no slot. Throws sdk::Failure if
/// it has lost changes or cannot be used.
std::optional<Lsn> find_slot(Connection& connection, const WaitLimits& limits, const Slot& slot) {
  const Rows rows = connection.run(
      limits, "cannot find replication slot " + slot.name,
      "SELECT s.confirmed_flush_lsn, s.plugin = 'pgoutput' AND s.database = current_database(), "
      "to_jsonb(s)->>'wal_status' = 'lost' FROM pg_catalog.pg_replication_slots s "
      "WHERE s.slot_name = $1",
      {slot.name});
  if (rows.size() == 0) return std::nullopt;
  if (rows.is_true(0, 2)) {
    throw sdk::Failure(TENON_DATA_LOSS, "replication slot ", slot.name,
                       " has lost changes, because the server limits the size of its log "
                       "(max_slot_wal_keep_size)",
                       read_again);
  }
  const std::optional<Lsn> confirmed = parse_lsn(rows.text(0, 0));
  if (!rows.is_true(0, 1) || !confirmed) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "replication slot ", slot.name,
                       " does not use pgoutput in this database; fix: name another slot in "
                       "\"slot\"");
  }
  return confirmed;
}

/// Returns the first table that the publication of a slot does not have, or nullptr. It has none if
/// it does not exist.
const Table* find_unpublished(Connection& connection, const WaitLimits& limits, const Slot& slot,
                              const KeyedTables& tables) {
  const auto found = std::find_if(tables.begin(), tables.end(), [&](const KeyedTable& one) {
    return !has_row(connection, limits,
                    "SELECT FROM pg_catalog.pg_publication_tables AS p WHERE p.pubname = $1 AND "
                    "format('%I.%I', p.schemaname, p.tablename) = $2",
                    {slot.publication, one.table.name});
  });
  return found == tables.end() ? nullptr : &found->table;
}

}  // namespace

std::string slot_name(const Table& table) {
  std::string plain;  // without quotes
  std::copy_if(table.name.begin(), table.name.end(), std::back_inserter(plain),
               [](char c) { return c != '"'; });
  std::string name = "tenon_" + plain;
  std::replace(name.begin(), name.end(), '.', '_');
  // If schemas had underscores, a.b_c and a_b.c would have the same name.
  const bool is_plain = name.size() <= max_name_size &&
                        std::all_of(name.begin(), name.end(), is_slot_character) &&
                        table.name == plain && plain.find('_') > plain.find('.');
  if (is_plain) return name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !is_slot_character(c); }, '_');
  return name.substr(0, max_name_size - hash_size) + hash_of(table.name);
}

std::string slot_name(const Names& tables) {
  std::string all;
  for (const std::string& name : tables) all += name + '\n';
  return "tenon_tables" + hash_of(all);
}

void create_slot(Connection& connection, const WaitLimits& limits, const Slot& slot,
                 const KeyedTables& tables) {
  check_level(connection, limits);
  for (const KeyedTable& one : tables) check_identity(connection, limits, one);
  const bool has_slot = find_slot(connection, limits, slot).has_value();
  const bool has_publication =
      has_row(connection, limits, "SELECT FROM pg_catalog.pg_publication WHERE pubname = $1",
              {slot.publication});
  const Table* const unpublished =
      has_publication ? find_unpublished(connection, limits, slot, tables) : nullptr;
  if (unpublished != nullptr) {
    // Each of two pipelines with one slot would confirm changes of the other, which are then lost.
    if (is_own_publication(connection, limits, slot)) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, "publication ", slot.publication,
                         " was created for another table and has no table ", unpublished->name,
                         "; fix: name another slot in \"slot\"");
    }
    throw sdk::Failure(TENON_FAILED_PRECONDITION, "publication ", slot.publication,
                       " has no table ", unpublished->name, "; fix: ALTER PUBLICATION ",
                       quoted_name(slot.publication), " ADD TABLE ", unpublished->name);
  }
  try {
    // A slot only supports publications that existed when it was created.
    if (!has_publication) create_publication(connection, limits, slot, tables);
    if (has_slot) return;
    connection.run(limits, "cannot create replication slot " + slot.name,
                   "SELECT pg_create_logical_replication_slot($1, 'pgoutput')", {slot.name});
  } catch (const ServerError& error) {
    // No one would remove it, because the pipeline was not created.
    if (!has_publication && !error.state().empty()) remove_publication(connection, limits, slot);
    if (error.state() == "42501") {
      throw sdk::Failure(error.status(), error.message(),
                         ", REPLICATION and the ownership of each table, or set \"mode\" to "
                         "\"poll\"");
    }
    if (error.state() == "53400") {
      throw sdk::Failure(error.status(), error.message(), "; or set \"mode\" to \"poll\"");
    }
    throw;
  }
}

Lsn check_slot(Connection& connection, const WaitLimits& limits, const Slot& slot,
               const KeyedTables& tables) {
  check_level(connection, limits);
  const std::optional<Lsn> confirmed = find_slot(connection, limits, slot);
  if (!confirmed) {
    throw sdk::Failure(TENON_DATA_LOSS, "replication slot ", slot.name,
                       " no longer exists, and the changes since then are lost", read_again);
  }
  const Table* const unpublished = find_unpublished(connection, limits, slot, tables);
  if (unpublished == nullptr) return *confirmed;
  throw sdk::Failure(TENON_FAILED_PRECONDITION, "publication ", slot.publication,
                     " no longer exists or no longer has table ", unpublished->name,
                     ", and the changes since then are lost", read_again);
}

void remove_slot(Connection& connection, const WaitLimits& limits, const Slot& slot) {
  connection.run(limits, "cannot remove replication slot " + slot.name,
                 "SELECT pg_drop_replication_slot(slot_name) FROM pg_catalog.pg_replication_slots "
                 "WHERE slot_name = $1 AND database = current_database() AND plugin = 'pgoutput'",
                 {slot.name});
  remove_publication(connection, limits, slot);
}

}  // namespace tenon::postgres
