// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit.hpp"

#include "gen/emit/c_header.hpp"
#include "gen/emit/cpp_names.hpp"
#include "gen/emit/emit_missing_steps.hpp"
#include "gen/emit/emit_schema.hpp"
#include "gen/emit/emit_sdk.hpp"
#include "gen/emit/emit_tests.hpp"
#include "gen/emit/emit_types.hpp"

namespace tenon::gen {
namespace {

/// Calls `visit` with each version of each kind and document type that is not removed.
template <class Visit>
void for_each_version(const Model& model, Visit visit) {
  for (const auto& document : model.documents) {
    for (const auto& version : document->versions) {
      if (!version->removed()) visit(*document, *version);
    }
  }
  for (const auto& kind : model.kinds) {
    for (const auto& version : kind->versions) visit(*kind, *version);
  }
}

}  // namespace

void emit_c_headers(const Model& model, const Output& output) {
  for_each_version(model, [&output](const Family& family, const auto& version) {
    if (!family.standard) output.write(version.header, c_header(version));
  });
}

void emit_schemas(const Model& model, const Output& output) {
  for (const auto& document : model.documents) {
    if (document->standard) continue;
    output.write(schema_path(*document), emit_schema(*document));
    for (const auto& version : document->versions) {
      output.write(schema_path(*version), emit_schema(*version));
    }
  }
}

void emit_all(const Model& model, const std::string& name, const Output& output) {
  const Output include = output.in("include");
  emit_c_headers(model, include);
  for (const GeneratedHeader& header : emit_host_headers(model)) {
    include.write(header.path, header.text);
  }
  for (const auto& kind : model.kinds) include.write(sdk_header(*kind), emit_sdk(*kind));
  emit_schemas(model, output.in("schemas"));
  output.write(name + ".cpp", emit_host_source(model));
  output.write(name + "_test.cpp", emit_tests(model));
  output.write(name + "_missing_steps.cpp", emit_missing_steps(model));
}

std::vector<GeneratedHeader> emit_sdk_headers(const Model& model) {
  std::vector<GeneratedHeader> headers;
  for_each_version(model, [&headers](const Family& family, const auto& version) {
    if (!family.standard) headers.push_back({version.header, c_header(version)});
  });
  for (const auto& document : model.documents) {
    headers.push_back({types_header(*document), emit_types(*document)});
  }
  for (const auto& kind : model.kinds) {
    headers.push_back({types_header(*kind), emit_types(*kind)});
    headers.push_back({sdk_header(*kind), emit_sdk(*kind)});
  }
  return headers;
}

std::vector<std::string> standard_c_headers(const Model& model) {
  std::vector<std::string> headers;
  for_each_version(model, [&headers](const Family& family, const auto& version) {
    if (family.standard) headers.push_back(version.header);
  });
  return headers;
}

}  // namespace tenon::gen
