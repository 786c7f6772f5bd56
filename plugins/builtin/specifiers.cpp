// SPDX-License-Identifier: BSL-1.0
#include "specifiers.hpp"

#include "log_destination.hpp"

#include <string>
#include <utility>

namespace tenon::builtin {
namespace {

using Type = ParameterV2::Type;
using Rule = ParameterV2::Rule;

Specification about(std::string name, std::string summary, std::string description) {
  Specification specification;
  specification.name = std::move(name);
  specification.summary = std::move(summary);
  specification.description = std::move(description);
  specification.version = TENON_BUILTINS_VERSION;
  specification.author = "the tenon project";
  return specification;
}

ParameterV2 parameter(Type type, std::string description, std::string otherwise = {}) {
  ParameterV2 parameter;
  parameter.type = type;
  parameter.description = std::move(description);
  parameter.default_value = std::move(otherwise);
  return parameter;
}

ParameterV2 with(ParameterV2 parameter, Rule rule, std::string value = {}) {
  parameter.validations.push_back({rule, std::move(value)});
  return parameter;
}

ParameterV2 required(Type type, std::string description) {
  return with(parameter(type, std::move(description)), Rule::Required);
}

ParameterV2 file_format() {
  return with(parameter(Type::String, "what the file holds; without it the extension tells"),
              Rule::Inclusion, R"(["json-lines", "csv"])");
}

}  // namespace

Specification GeneratorSpecifier::specify() {
  Specification all = about("tenon.dev/generator", "Makes up records",
                            "Each record is a JSON object of a given size. Position and key count "
                            "from 1.");
  all.source_parameters = {
      {"count", with(parameter(Type::Int, "how many records there are; 0 is without end", "0"),
                     Rule::GreaterThan, "-1")},
      {"size",
       with(parameter(Type::Int, "of a payload, in bytes", "100"), Rule::GreaterThan, "10")},
      {"rate", with(parameter(Type::Float, "records a second; 0 is as fast as they are read", "0"),
                    Rule::GreaterThan, "-1")},
  };
  return all;
}

Specification FileSpecifier::specify() {
  Specification all = about("tenon.dev/file", "Reads and writes JSON lines and CSV",
                            "A record is a line of JSON or a row below a header. The destination "
                            "appends payloads, and acknowledges what is on the disk.");
  all.source_parameters = {
      {"path", required(Type::String, "of the file")},
      {"format", file_format()},
      {"key",
       parameter(Type::String, "the field that names a record; else the number of its line")},
  };
  all.destination_parameters = {
      {"path", required(Type::String, "of the file, which is made when it is missing")},
      {"format", file_format()},
  };
  return all;
}

Specification SqliteSpecifier::specify() {
  Specification all = about("tenon.dev/sqlite", "Reads and writes tables of SQLite",
                            "The source reads a table in the order of rowid. The destination keeps "
                            "one row for each key, and commits batch by batch. Each field has a "
                            "column of its own. SQLite does not tell names apart by case: after "
                            "\"Name\", the field \"name\" is the column \"name (2)\".");
  all.source_parameters = {
      {"path", required(Type::String, "of the database")},
      {"table", required(Type::String, "that is read")},
      {"key", parameter(Type::String, "the column that names a record; else its rowid")},
  };
  all.destination_parameters = {
      {"path", required(Type::String, "of the database, which is made when it is missing")},
      {"table", required(Type::String, "that is written, and made when it is missing")},
      {"key", parameter(Type::String, "the column for the key of the record", "key")},
      {"columns", parameter(Type::String,
                            "the fields that are kept, with commas between them; without it all, "
                            "and the table gets columns as they come")},
  };
  return all;
}

Specification FieldSpecifier::specify() {
  Specification all = about("tenon.dev/field", "Removes, renames and sets fields",
                            "Payloads are JSON objects, before and after a change alike; other "
                            "payloads are refused as wrong-json. Fields are removed and renamed by "
                            "the names that they have in the record, and then set. A record in "
                            "which a renamed field gets the name of another one is refused as "
                            "field-exists. All other fields keep their order and their text, and "
                            "records their key and metadata. Only fields of the object itself are "
                            "changed; the names of those that are renamed or set have no dots.");
  all.processor_parameters = {
      {"drop", parameter(Type::String, "the fields to remove, with commas between them")},
      {"rename.*", parameter(Type::String, "the new name of the field *")},
      {"set.*", parameter(Type::String,
                          "the value of the field *, which is added if it is absent: a JSON "
                          "value, or any other text, which becomes a JSON string")},
  };
  return all;
}

Specification LogSpecifier::specify() {
  Specification all = about("tenon.dev/log", "Writes records to the log",
                            "Each record is a line: what happened, key and payload.");
  all.destination_parameters = log_parameters.specification();
  return all;
}

}  // namespace tenon::builtin
