// SPDX-License-Identifier: BSL-1.0
//
// The module with the source, the destination and their description.
#include "destination.hpp"
#include "source.hpp"
#include "specifier.hpp"

#define PLUGINS(P)                                      \
  P(tenon::postgres::Source, "tenon.dev/postgres")      \
  P(tenon::postgres::Destination, "tenon.dev/postgres") \
  P(tenon::postgres::Specifier, "tenon.dev/postgres")
TENON_PLUGINS("tenon.dev/postgres", TENON_POSTGRES_VERSION, PLUGINS,
              {"summary": "Reads and writes tables of PostgreSQL", "threads": "joined"});
