// SPDX-License-Identifier: BSL-1.0
#include "call/call_counters.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tenon { inline namespace v0_1 { namespace detail {
// Ended calls are read first, so that they never exceed the begun ones.
void MethodCounter::add_to(CallCounts& counts) const noexcept {
  std::uint64_t ended = 0;
  std::uint64_t begun = 0;
  for (const Shard& shard : shards_) ended += shard.ended.load(std::memory_order_acquire);
  for (const Shard& shard : shards_) {
    begun += shard.begun.load(std::memory_order_relaxed);
    counts.failures += shard.failed.load(std::memory_order_relaxed);
  }
  counts.calls += begun;
  counts.in_flight += begun - ended;
}

std::span<MethodCounter> CallCounters::of(const std::string& plugin, const KindVersion& version) {
  sync::Lock lock(mutex_);
  auto found = std::find_if(counted_.begin(), counted_.end(), [&](const Counted& one) {
    return one.fingerprint == version.fingerprint && one.plugin == plugin;
  });
  if (found == counted_.end()) {
    Counted fresh{
        plugin, version.fingerprint, {}, std::make_unique<MethodCounter[]>(version.methods.size())};
    for (const MethodInfo& method : version.methods) fresh.names.emplace_back(method.name);
    counted_.push_back(std::move(fresh));
    found = counted_.end() - 1;
  }
  return {found->methods.get(), found->names.size()};
}

std::vector<MethodCalls> CallCounters::read() const {
  std::map<std::pair<std::string_view, std::string_view>, CallCounts> sums;
  sync::Lock lock(mutex_);
  for (const Counted& one : counted_) {
    for (std::size_t i = 0; i < one.names.size(); ++i) {
      CallCounts& counts = sums[{one.plugin, one.names[i]}];
      one.methods[i].add_to(counts);
    }
  }
  std::vector<MethodCalls> result;
  for (const auto& [what, counts] : sums) {
    if (counts.calls == 0) continue;
    result.push_back({counts, std::string(what.first), std::string(what.second)});
  }
  return result;
}

}}}  // namespace tenon::v0_1::detail
