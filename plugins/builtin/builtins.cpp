// SPDX-License-Identifier: BSL-1.0
#include <tenon/builtins.hpp>
#include <tenon/sdk/module.hpp>

#include "change_namespace.hpp"
#include "decode_processor.hpp"
#include "field_processor.hpp"
#include "file_destination.hpp"
#include "file_source.hpp"
#include "filter_processor.hpp"
#include "generator.hpp"
#include "log_destination.hpp"
#include "pod_volumes.hpp"
#include "remap_labels.hpp"
#include "service_account.hpp"
#include "specifiers.hpp"
#include "split_processor.hpp"
#include "sqlite_destination.hpp"
#include "sqlite_source.hpp"
#include "system_plugins.hpp"

namespace tenon {
namespace {

// The parameters are those of the specifiers; `tenon verify` compares them.
constexpr const char* begin_of_details = R"(
{
  "summary": "Plugins that come with the program",
  "properties": {)";
constexpr const char* details_of_all_systems = R"(
    "tenon.dev/generator": {
      "source_parameters": {
        "version": 2,
        "value": {
          "count": {
            "default_value": "0",
            "description": "the number of records; 0 means unlimited",
            "type": "int",
            "validations": [{"type": "greater_than", "value": "-1"}]
          },
          "rate": {
            "default_value": "0",
            "description": "the number of records per second; 0 means unlimited",
            "type": "float",
            "validations": [{"type": "greater_than", "value": "-1"}]
          },
          "size": {
            "default_value": "100",
            "description": "the size of a payload in bytes",
            "type": "int",
            "validations": [{"type": "greater_than", "value": "10"}]
          }
        }
      }
    },
    "tenon.dev/file": {
      "source_parameters": {
        "version": 2,
        "value": {
          "format": {
            "description": "the format of the file; by default chosen by its extension",
            "type": "string",
            "validations": [{"type": "inclusion", "value": "[\"json-lines\", \"csv\"]"}]
          },
          "key": {
            "description":
                "the field with the key of a record; by default its line number. The number 1 and the string \"1\" are the same key",
            "type": "string"
          },
          "path": {
            "description": "the path of the file",
            "type": "string",
            "validations": [{"type": "required"}]
          }
        }
      },
      "destination_parameters": {
        "version": 2,
        "value": {
          "format": {
            "description":
                "the format of the file; by default json-lines or csv, chosen by its extension; raw: each payload as it is, and a newline; template: the text of the parameter template, and a newline",
            "type": "string",
            "validations": [{"type": "inclusion", "value": "[\"json-lines\", \"csv\", \"raw\", \"template\"]"}]
          },
          "path": {
            "description": "the path of the file, which is created if it is missing",
            "type": "string",
            "validations": [{"type": "required"}]
          },
          "template": {
            "description":
                "the text of a record for the format template: {/user/name} is a field of the payload, and {payload}, {operation}, {key} and {metadata.NAME} are other parts; {{ is a bracket",
            "type": "string"
          }
        }
      }
    },
    "tenon.dev/sqlite": {
      "source_parameters": {
        "version": 2,
        "value": {
          "key": {
            "description": "the column with the key of a record; by default rowid",
            "type": "string"
          },
          "path": {
            "description": "the path of the database",
            "type": "string",
            "validations": [{"type": "required"}]
          },
          "table": {
            "description": "the table to read",
            "type": "string"
          },
          "tables": {
            "description":
                "several tables to read, separated by commas, in the place of \"table\"; the metadata opencdc.collection of a record names its table",
            "type": "string"
          }
        }
      },
      "destination_parameters": {
        "version": 2,
        "value": {
          "columns": {
            "description":
                "the fields to write, separated by commas; by default all, and columns are added when new fields arrive",
            "type": "string"
          },
          "key": {
            "default_value": "key",
            "description": "the column for the key of the record",
            "type": "string"
          },
          "path": {
            "description": "the path of the database, which is created if missing",
            "type": "string",
            "validations": [{"type": "required"}]
          },
          "table": {
            "description":
                "the table to write, which is created if missing, or a template: {metadata.opencdc.collection}",
            "type": "string",
            "validations": [{"type": "required"}]
          }
        }
      }
    },
    "tenon.dev/field": {
      "processor_parameters": {
        "version": 2,
        "value": {
          "drop": {
            "description":
                "the fields to remove, separated by commas; a warning names those that no payload had",
            "type": "string"
          },
          "rename.*": {
            "description": "the new name of the field *",
            "type": "string"
          },
          "set.*": {
            "description":
                "the value of the field *, which is added if absent: a JSON value, or any other text, which becomes a JSON string",
            "type": "string"
          }
        }
      }
    },
    "tenon.dev/decode": {
      "processor_parameters": {
        "version": 2,
        "value": {
          "field": {
            "description":
                "the field to decode, by its name or its JSON Pointer such as /data/body; by default the payload",
            "type": "string"
          },
          "format": {
            "description":
                "json: a JSON string is replaced by the JSON that it contains; base64: a text is replaced by what it encodes",
            "type": "string",
            "validations": [
              {"type": "required"},
              {"type": "inclusion", "value": "[\"json\", \"base64\"]"}
            ]
          }
        }
      }
    },
    "tenon.dev/split": {
      "processor_parameters": {
        "version": 2,
        "value": {
          "field": {
            "description":
                "the field with the list, by its name or its JSON Pointer such as /data/items",
            "type": "string",
            "validations": [{"type": "required"}]
          }
        }
      }
    },
    "tenon.dev/filter": {
      "processor_parameters": {
        "version": 2,
        "value": {}
      }
    },
    "tenon.dev/log": {
      "destination_parameters": {
        "version": 2,
        "value": {
          "format": {
            "default_value": "line",
            "description":
                "line: operation, key and payload; raw: the payload; template: the text of the parameter template",
            "type": "string",
            "validations": [{"type": "inclusion", "value": "[\"line\", \"raw\", \"template\"]"}]
          },
          "level": {
            "default_value": "info",
            "description": "the log level of the lines",
            "type": "string",
            "validations": [{"type": "inclusion", "value": "[\"trace\", \"debug\", \"info\", \"warn\", \"error\"]"}]
          },
          "template": {
            "description":
                "the text of a record for the format template: {/user/name} is a field of the payload, and {payload}, {operation}, {key} and {metadata.NAME} are other parts; {{ is a bracket",
            "type": "string"
          }
        }
      }
    }
  }
})";

}  // namespace

const tenon_module* builtins() {
  using namespace builtin;
  static const sdk::Builtin package = with_system_plugins(
      sdk::Builtin("tenon.dev/builtin", TENON_BUILTINS_VERSION,
                   sdk::text(begin_of_details, system_properties, details_of_all_systems))
          .add<GeneratorSource>("tenon.dev/generator")
          .add<GeneratorSpecifier>("tenon.dev/generator")
          .add<FileSource>("tenon.dev/file")
          .add<FileDestination>("tenon.dev/file")
          .add<FileSpecifier>("tenon.dev/file")
          .add<SqliteSource>("tenon.dev/sqlite")
          .add<SqliteDestination>("tenon.dev/sqlite")
          .add<SqliteSpecifier>("tenon.dev/sqlite")
          .add<FieldProcessor>("tenon.dev/field")
          .add<FieldSpecifier>("tenon.dev/field")
          .add<DecodeProcessor>("tenon.dev/decode")
          .add<DecodeSpecifier>("tenon.dev/decode")
          .add<SplitProcessor>("tenon.dev/split")
          .add<SplitSpecifier>("tenon.dev/split")
          .add<FilterProcessor>("tenon.dev/filter")
          .add<FilterSpecifier>("tenon.dev/filter")
          .add<LogDestination>("tenon.dev/log")
          .add<LogSpecifier>("tenon.dev/log")
          .add<ServiceAccount>("tenon.dev/service-account")
          .add<PodVolumes>("tenon.dev/pod-volumes")
          .add<ChangeNamespace>("tenon.dev/change-namespace")
          .add<RemapLabels>("tenon.dev/remap-labels"));
  return package.module();
}

}  // namespace tenon
