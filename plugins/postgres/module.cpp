// SPDX-License-Identifier: BSL-1.0
//
// The module with the source, the destination and their specifier.
#include "destination.hpp"
#include "source.hpp"
#include "specifier.hpp"

#define PLUGINS(P)                                      \
  P(tenon::postgres::Source, "tenon.dev/postgres")      \
  P(tenon::postgres::Destination, "tenon.dev/postgres") \
  P(tenon::postgres::Specifier, "tenon.dev/postgres")
TENON_PLUGINS("tenon.dev/postgres", TENON_POSTGRES_VERSION, PLUGINS, {
  "summary": "Reads and writes tables of PostgreSQL",
  "threads": "joined",
  "properties": {
    "tenon.dev/postgres": {
      "source_parameters": {
        "version": 2,
        "value": {
          "column": {
            "description":
                "with the mode poll, a column whose value grows with each change of a row; by default the key, which finds only new rows",
            "type": "string"
          },
          "interval": {
            "default_value": "1s",
            "description": "with the mode poll, the time between two passes",
            "type": "duration",
            "validations": [{"type": "greater_than", "value": "0s"}]
          },
          "key": {
            "description":
                "the columns that identify a row of each table, separated by commas; by default the primary key",
            "type": "string"
          },
          "mode": {
            "default_value": "snapshot",
            "description":
                "snapshot: end after the last row; poll: continue with new rows; replication: continue with all changes by logical decoding",
            "type": "string",
            "validations":
                [{"type": "inclusion", "value": "[\"snapshot\", \"poll\", \"replication\"]"}]
          },
          "publication": {
            "description":
                "with the mode replication, the publication; by default the name of the slot",
            "type": "string"
          },
          "slot": {
            "description":
                "with the mode replication, the replication slot; by default tenon_ and the name of the table, or tenon_tables_ and a hash of \"tables\"",
            "type": "string"
          },
          "table": {
            "description": "the table; as in SQL: people, sales.people, \"My People\"",
            "type": "string"
          },
          "tables": {
            "description":
                "several tables to read, separated by commas, in the place of \"table\"; the metadata opencdc.collection of a record names its table",
            "type": "string"
          },
          "timeout": {
            "default_value": "60s",
            "description": "the maximum time without data from the server",
            "type": "duration",
            "validations": [{"type": "greater_than", "value": "0s"}]
          },
          "truncate": {
            "default_value": "fail",
            "description":
                "with the mode replication, what happens after a TRUNCATE of a table: fail; ignore: only a line in the log",
            "type": "string",
            "validations": [{"type": "inclusion", "value": "[\"fail\", \"ignore\"]"}]
          },
          "url": {
            "description": "the connection string of the database",
            "type": "string",
            "validations": [{"type": "required"}],
            "sensitive": true
          }
        }
      },
      "destination_parameters": {
        "version": 2,
        "value": {
          "key": {
            "description":
                "the columns that identify a row, separated by commas; by default the primary key",
            "type": "string"
          },
          "table": {
            "description":
                "the table, which is created if it is missing; as in SQL: people, sales.people, \"My People\"; may depend on the record: sales.{metadata.opencdc.collection}",
            "type": "string",
            "validations": [{"type": "required"}]
          },
          "timeout": {
            "default_value": "60s",
            "description": "the maximum time without data from the server",
            "type": "duration",
            "validations": [{"type": "greater_than", "value": "0s"}]
          },
          "url": {
            "description": "the connection string of the database",
            "type": "string",
            "validations": [{"type": "required"}],
            "sensitive": true
          }
        }
      }
    }
  }
});
