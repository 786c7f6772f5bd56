// SPDX-License-Identifier: BSL-1.0
#include "app_kinds.hpp"

#include <tenon/abi.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "gen/model/adaptation.hpp"

namespace tenon::command {
namespace {

Adapter adapter_to(std::size_t place, const gen::Adapted& origin, ConstantPool& pool) {
  Adapter adapter{};
  adapter.target = origin.kind.versions[place]->number;
  if (place > origin.newest()) {
    adapter.refusal = pool.text(origin.incompatibility());
    return adapter;
  }
  std::vector<std::string_view> missing;
  for (std::string& method : origin.missing_methods(place)) {
    missing.push_back(pool.text(std::move(method)));
  }
  std::vector<OwnMethod> own;
  for (auto& [method, name] : origin.own_methods(place)) {
    own.push_back({pool.text(std::move(method)), pool.text(std::move(name))});
  }
  adapter.missing = pool.list(std::move(missing));
  adapter.own = pool.list(std::move(own));
  return adapter;
}

KindVersion described_version(const gen::Adapted& origin, ConstantPool& pool) {
  const gen::KindVersion& version = origin.version();
  std::vector<MethodInfo> methods;
  for (const gen::Method& method : version.methods) {
    const std::size_t offset = sizeof(tenon_table) + methods.size() * sizeof(void*);
    methods.push_back({method.name, static_cast<std::uint32_t>(offset), method.required, nullptr});
  }
  std::vector<Adapter> adapters;
  for (std::size_t place = origin.index + 1; place < origin.kind.versions.size(); ++place) {
    adapters.push_back(adapter_to(place, origin, pool));
  }
  KindVersion described{};
  described.version = version.number;
  described.draft = version.draft();
  described.fingerprint = version.fingerprint;
  described.methods = pool.list(std::move(methods));
  described.adapters = pool.list(std::move(adapters));
  return described;
}

}  // namespace

const Kind& described_kind(const gen::Kind& kind, ConstantPool& pool) {
  std::vector<KindVersion> versions;
  for (std::size_t place = 0; place < kind.versions.size(); ++place) {
    versions.push_back(described_version({kind, place}, pool));
  }
  return pool.add(Kind{kind.id, kind.session, pool.list(std::move(versions))});
}

}  // namespace tenon::command
