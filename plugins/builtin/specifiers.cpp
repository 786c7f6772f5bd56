// SPDX-License-Identifier: BSL-1.0
#include "specifiers.hpp"

#include <string>
#include <utility>

#include "decode_processor.hpp"
#include "log_destination.hpp"
#include "split_processor.hpp"

namespace tenon::builtin {
namespace {

using Type = ParameterV2::Type;
using Rule = ParameterV2::Rule;

Specification new_specification(std::string name, std::string summary, std::string description) {
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
  return with(parameter(Type::String, "the format of the file; by default chosen by its extension"),
              Rule::Inclusion, R"(["json-lines", "csv"])");
}

}  // namespace

Specification GeneratorSpecifier::specify() {
  Specification all =
      new_specification("tenon.dev/generator", "Generates records",
                        "Each record is a JSON object of a given size. Position and key count "
                        "from 1.");
  all.source_parameters = {
      {"count", with(parameter(Type::Int, "the number of records; 0 means unlimited", "0"),
                     Rule::GreaterThan, "-1")},
      {"size", with(parameter(Type::Int, "the size of a payload in bytes", "100"),
                    Rule::GreaterThan, "10")},
      {"rate",
       with(parameter(Type::Float, "the number of records per second; 0 means unlimited", "0"),
            Rule::GreaterThan, "-1")},
  };
  return all;
}

Specification FileSpecifier::specify() {
  Specification all =
      new_specification("tenon.dev/file", "Reads and writes JSON lines and CSV",
                        "A record is a line of JSON or a row of CSV below a header; the "
                        "destination may also write raw payloads or a template. The "
                        "destination appends payloads, and acknowledges them when they are on "
                        "the disk. If the file ends inside a line, it moves that line to a file "
                        "with the extension .incomplete.");
  all.source_parameters = {
      {"path", required(Type::String, "the path of the file")},
      {"format", file_format()},
      {"key", parameter(Type::String,
                        "the field with the key of a record; by default its line number. The "
                        "number 1 and the string \"1\" are the same key")},
  };
  all.destination_parameters = {
      {"path", required(Type::String, "the path of the file, which is created if it is missing")},
      {"format",
       with(parameter(Type::String,
                      "the format of the file; by default json-lines or csv, chosen by its "
                      "extension; raw: each payload as it is, and a newline; template: the text of "
                      "the parameter template, and a newline"),
            Rule::Inclusion, R"(["json-lines", "csv", "raw", "template"])")},
      {"template", parameter(Type::String, template_description)},
  };
  return all;
}

Specification SqliteSpecifier::specify() {
  Specification all =
      new_specification("tenon.dev/sqlite", "Reads and writes tables of SQLite",
                        "The source reads a table in the order of rowid, and resumes after the "
                        "last rowid that it read. Rows that get a smaller or the same rowid "
                        "later are not read: without an INTEGER PRIMARY KEY, VACUUM may renumber "
                        "rows, and without AUTOINCREMENT, SQLite may use the rowid of a deleted "
                        "row again. The destination keeps one row for each key, and commits each "
                        "batch. Each field has a column of its own. SQLite ignores the case of "
                        "names: after \"Name\", the field \"name\" is the column \"name (2)\".");
  all.source_parameters = {
      {"path", required(Type::String, "the path of the database")},
      {"table", parameter(Type::String, "the table to read")},
      {"tables",
       parameter(Type::String,
                 "several tables to read, separated by commas, in the place of \"table\"; "
                 "the metadata opencdc.collection of a record names its table")},
      {"key", parameter(Type::String, "the column with the key of a record; by default rowid")},
  };
  all.destination_parameters = {
      {"path", required(Type::String, "the path of the database, which is created if missing")},
      {"table", required(Type::String,
                         "the table to write, which is created if missing, or a template: "
                         "{metadata.opencdc.collection}")},
      {"key", parameter(Type::String, "the column for the key of the record", "key")},
      {"columns", parameter(Type::String,
                            "the fields to write, separated by commas; by default all, and columns "
                            "are added when new fields arrive")},
  };
  return all;
}

Specification FieldSpecifier::specify() {
  Specification all =
      new_specification("tenon.dev/field", "Removes, renames and sets fields",
                        "The payloads before and after a change must be JSON objects; other "
                        "payloads are refused as wrong-json. Fields are removed and renamed by "
                        "their names in the record, and then set. A record in which a renamed "
                        "field gets the name of another one is refused as field-exists. All "
                        "other fields keep their order and their text, and records their key "
                        "and metadata. A name that begins with a slash is the path of a field "
                        "inside others, a JSON Pointer (RFC 6901): /address/city, /items/0/price. "
                        "A set adds the objects on its path; if something on it is not an object, "
                        "the record is refused as wrong-type. The names of fields that are "
                        "renamed or set have no dots.");
  all.processor_parameters = {
      {"drop", parameter(Type::String,
                         "the fields to remove, separated by commas; a warning names "
                         "those that no payload had")},
      {"rename.*", parameter(Type::String, "the new name of the field *")},
      {"set.*", parameter(Type::String,
                          "the value of the field *, which is added if absent: a JSON value, or "
                          "any other text, which becomes a JSON string")},
  };
  return all;
}

Specification DecodeSpecifier::specify() {
  Specification all = new_specification(
      "tenon.dev/decode", "Decodes JSON and base64",
      "The payloads before and after a change, or one field of them, are replaced by what they "
      "encode. Records without the field are passed on unchanged. Other types are refused as "
      "wrong-type, and texts that cannot be decoded as wrong-json or wrong-base64.");
  all.processor_parameters = decode_parameters.specification();
  return all;
}

Specification SplitSpecifier::specify() {
  Specification all = new_specification(
      "tenon.dev/split", "Makes a record of each element of a list",
      "Each part has the payload of the record with one element in place of the list. Its key is "
      "the key of the record with a slash and the index of the element. A record without the field "
      "is passed on unchanged, one with an empty list is removed, and one with another type is "
      "refused as wrong-type. The payload before a change is only split if there is none after "
      "it.");
  all.processor_parameters = split_parameters.specification();
  return all;
}

Specification FilterSpecifier::specify() {
  return new_specification("tenon.dev/filter", "Removes records",
                           "Removes all records that it gets. In a pipeline, its condition selects "
                           "them.");
}

Specification LogSpecifier::specify() {
  Specification all =
      new_specification("tenon.dev/log", "Writes records to the log",
                        "Each record is a line with its operation, key and payload.");
  all.destination_parameters = log_parameters.specification();
  return all;
}

}  // namespace tenon::builtin
