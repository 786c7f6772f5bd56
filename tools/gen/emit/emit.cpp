// SPDX-License-Identifier: BSL-1.0
#include "gen/emit/emit.hpp"

#include "gen/emit/c_header.hpp"
#include "gen/emit/emit_host.hpp"
#include "gen/emit/emit_sdk.hpp"
#include "gen/emit/emit_tests.hpp"

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

void emit_all(const Model& model, const std::string& name, const Output& output) {
  const Output include = output.in("include");
  emit_c_headers(model, include);
  for (const GeneratedHeader& header : emit_host_headers(model)) {
    include.write(header.path, header.text);
  }
  for (const auto& kind : model.kinds) include.write(sdk_header(*kind), emit_sdk(*kind));
  output.write(name + ".cpp", emit_host_source(model));
  output.write(name + "_test.cpp", emit_tests(model));
}

}  // namespace tenon::gen
