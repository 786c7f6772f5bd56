// SPDX-License-Identifier: BSL-1.0
//
// The parameters of the source and of the destination.
#pragma once

#include <tenon/sdk/parameters.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "connection.hpp"
#include "url.hpp"

namespace tenon::postgres {

/// A connection string of libpq.
struct Url {
  std::string text;
};

}  // namespace tenon::postgres

namespace tenon::sdk {

template <>
struct Parameter<postgres::Url> {
  static std::string expected() {
    return "a connection string such as postgresql://user:password@host:5432/database, in which a "
           "password contains %40 for '@', %2F for '/' and %25 for '%'";
  }
  static std::optional<postgres::Url> parse(std::string_view text) {
    postgres::Url url{std::string(text)};
    return postgres::is_url(url.text) ? std::optional(url) : std::nullopt;
  }
};

}  // namespace tenon::sdk

namespace tenon::postgres {

struct DestinationSettings {
  Url url;
  std::string table;
  std::string key;
  Duration timeout{};
};

inline constexpr auto destination_parameters = sdk::parameters(
    sdk::parameter(&DestinationSettings::url, "url", "the connection string of the database")
        .required()
        .sensitive(),
    sdk::parameter(&DestinationSettings::table, "table",
                   "the table, which is created if it is missing; as in SQL: people, sales.people, "
                   "\"My People\"; may depend on the record: sales.{metadata.opencdc.collection}")
        .required(),
    sdk::parameter(
        &DestinationSettings::key, "key",
        "the columns that identify a row, separated by commas; by default the primary key"),
    sdk::parameter(&DestinationSettings::timeout, "timeout",
                   "the maximum time without data from the server")
        .otherwise("60s")
        .greater_than("0s"));

/// The behaviour of the source after the existing rows.
enum class Mode { snapshot, poll, replication };

inline constexpr sdk::Word<Mode> modes[] = {
    {"snapshot", Mode::snapshot}, {"poll", Mode::poll}, {"replication", Mode::replication}};

/// What the source does after a TRUNCATE of its table.
enum class OnTruncate { fail, ignore };

inline constexpr sdk::Word<OnTruncate> truncations[] = {{"fail", OnTruncate::fail},
                                                        {"ignore", OnTruncate::ignore}};

struct SourceSettings {
  Url url;
  std::string table;
  std::string tables;
  std::string key;
  Mode mode = Mode::snapshot;
  std::string column;
  Duration interval{};
  std::string slot;
  std::string publication;
  OnTruncate truncate = OnTruncate::fail;
  Duration timeout{};
};

inline constexpr auto source_parameters = sdk::parameters(
    sdk::parameter(&SourceSettings::url, "url", "the connection string of the database")
        .required()
        .sensitive(),
    sdk::parameter(&SourceSettings::table, "table",
                   "the table; as in SQL: people, sales.people, \"My People\""),
    sdk::parameter(
        &SourceSettings::tables, "tables",
        "several tables to read, separated by commas, in the place of \"table\"; the metadata "
        "opencdc.collection of a record names its table"),
    sdk::parameter(
        &SourceSettings::key, "key",
        "the columns that identify a row of each table, separated by commas; by default the "
        "primary key"),
    sdk::parameter(
        &SourceSettings::mode, "mode",
        "snapshot: end after the last row; poll: continue with new rows; replication: continue "
        "with all changes by logical decoding")
        .otherwise("snapshot")
        .one_of(modes),
    sdk::parameter(
        &SourceSettings::column, "column",
        "with the mode poll, a column whose value grows with each change of a row; by default the "
        "key, which finds only new rows"),
    sdk::parameter(&SourceSettings::interval, "interval",
                   "with the mode poll, the time between two passes")
        .otherwise("1s")
        .greater_than("0s"),
    sdk::parameter(
        &SourceSettings::slot, "slot",
        "with the mode replication, the replication slot; by default tenon_ and the name of the "
        "table, or tenon_tables_ and a hash of \"tables\""),
    sdk::parameter(&SourceSettings::publication, "publication",
                   "with the mode replication, the publication; by default the name of the slot"),
    sdk::parameter(&SourceSettings::truncate, "truncate",
                   "with the mode replication, what happens after a TRUNCATE of a table: fail; "
                   "ignore: only a line in the log")
        .otherwise("fail")
        .one_of(truncations),
    sdk::parameter(&SourceSettings::timeout, "timeout",
                   "the maximum time without data from the server")
        .otherwise("60s")
        .greater_than("0s"));

}  // namespace tenon::postgres
