// SPDX-License-Identifier: BSL-1.0
#include "specifier.hpp"

#include "settings.hpp"

namespace tenon::postgres {

Specification Specifier::specify() {
  Specification all;
  all.name = "tenon.dev/postgres";
  all.summary = "Reads and writes tables of PostgreSQL";
  all.description =
      "The source reads the rows of tables in the order of their keys, and then follows their changes "
      "by logical decoding or by polling. The destination keeps one row for each key, with a "
      "column for each field, and writes each batch in one transaction.";
  all.version = TENON_POSTGRES_VERSION;
  all.author = "the tenon project";
  all.source_parameters = source_parameters.specification();
  all.destination_parameters = destination_parameters.specification();
  return all;
}

}  // namespace tenon::postgres
