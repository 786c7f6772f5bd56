// SPDX-License-Identifier: BSL-1.0
#include "app_kinds.hpp"

#include "gen/model/adaptation.hpp"

#include <vector>

namespace tenon::command {
namespace {

Adapter adapter_to(std::size_t place, const gen::Adapted& origin, Kept& kept) {
  Adapter adapter{};
  adapter.target = origin.kind.versions[place]->number;
  if (place > origin.newest()) {
    adapter.refusal = kept.text(origin.refusal());
    return adapter;
  }
  std::vector<std::string_view> missing;
  for (std::string& method : origin.missing_methods(place)) {
    missing.push_back(kept.text(std::move(method)));
  }
  std::vector<OwnMethod> own;
  for (auto& [method, name] : origin.own_methods(place)) {
    own.push_back({kept.text(std::move(method)), kept.text(std::move(name))});
  }
  adapter.missing = kept.list(std::move(missing));
  adapter.own = kept.list(std::move(own));
  return adapter;
}

KindVersion described_version(const gen::Adapted& origin, Kept& kept) {
  const gen::KindVersion& version = origin.version();
  std::vector<MethodInfo> methods;
  for (const gen::Method& method : version.methods) {
    methods.push_back({method.name, 0, method.required, nullptr});
  }
  std::vector<Adapter> adapters;
  for (std::size_t place = origin.place + 1; place < origin.kind.versions.size(); place++) {
    adapters.push_back(adapter_to(place, origin, kept));
  }
  KindVersion described{};
  described.version = version.number;
  described.draft = version.draft();
  described.fingerprint = version.fingerprint;
  described.methods = kept.list(std::move(methods));
  described.adapters = kept.list(std::move(adapters));
  return described;
}

}  // namespace

const Kind& described_kind(const gen::Kind& kind, Kept& kept) {
  std::vector<KindVersion> versions;
  for (std::size_t place = 0; place < kind.versions.size(); place++) {
    versions.push_back(described_version({kind, place}, kept));
  }
  return kept.keep(Kind{kind.id, kind.session, kept.list(std::move(versions))});
}

}  // namespace tenon::command
