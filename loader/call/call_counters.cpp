// SPDX-License-Identifier: BSL-1.0
#include "call/call_counters.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <iterator>
#include <map>
#include <utility>

#include "platform/process.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr int first_power = 6;                 // times of up to 64 ns are not told apart
constexpr std::uint64_t always_timed = 1000;   // calls that take this long are all timed
constexpr std::uint64_t timing_interval = 64;  // of shorter ones, one in so many

std::size_t index_of(std::uint64_t nanoseconds) noexcept {
  const std::uint64_t time = std::max<std::uint64_t>(nanoseconds, 1u << first_power);
  const int power = static_cast<int>(std::bit_width(time)) - 1;
  const auto quarter = static_cast<std::size_t>(time >> (power - 2)) % 4;
  return std::min(MethodCounter::times - 1,
                  static_cast<std::size_t>(power - first_power) * 4 + quarter);
}

/// Returns the least time that has a greater index.
std::chrono::nanoseconds bound_of(std::size_t index) noexcept {
  if (index == MethodCounter::times - 1) return std::chrono::nanoseconds::max();
  const std::size_t next = index + 1;
  return std::chrono::nanoseconds(static_cast<std::int64_t>(4 + next % 4)
                                  << (next / 4 + first_power - 2));
}

/// The counts of methods of the same name.
struct Sum {
  CallCounts counts;
  std::uint64_t timed[MethodCounter::times]{};
  std::uint64_t timed_ns = 0;

  void add(const MethodCounter& counter) noexcept {
    counter.add_to(counts);
    for (std::size_t i = 0; i < std::size(timed); ++i) timed[i] += counter.timed(i);
    timed_ns += counter.timed_ns();
  }
};

MethodCalls to_calls(std::string_view plugin, std::string_view method, const Sum& sum) {
  MethodCalls calls{sum.counts, std::string(plugin), std::string(method)};
  for (std::size_t i = 0; i < std::size(sum.timed); ++i) {
    if (sum.timed[i] != 0) calls.timed.push_back({bound_of(i), sum.timed[i]});
  }
  calls.timed_sum = std::chrono::nanoseconds(sum.timed_ns);
  return calls;
}

}  // namespace

std::int64_t MethodCounter::now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

void MethodCounter::record(Shard& shard, std::int64_t begin, bool failed) noexcept {
  const auto time = static_cast<std::uint64_t>(now() - begin);
  const bool traced = trace_ != nullptr && trace_->is_on();
  const std::uint64_t begun = shard.begun.load(std::memory_order_relaxed);
  const std::uint64_t skipped = traced || time >= always_timed ? 0 : timing_interval - 1;
  shard.next_timed.store(begun + skipped, std::memory_order_relaxed);
  if (traced) trace_->add({number_, failed, platform::thread_number(), begin, time});
  timed_[index_of(time)].fetch_add(1, std::memory_order_relaxed);
  timed_ns_.fetch_add(time, std::memory_order_relaxed);
}

// Begun calls are read first, so that calls that end between the reads do not look as if they
// were in flight, however long this thread is suspended. Calls in flight may be missing then, so
// of three looks the greatest counts.
void MethodCounter::add_to(CallCounts& counts) const noexcept {
  for (const Shard& shard : shards_) {
    std::uint64_t begun = 0;
    std::uint64_t in_flight = 0;
    for (int look = 0; look < 3; ++look) {
      begun = shard.begun.load(std::memory_order_acquire);
      const std::uint64_t ended = shard.ended.load(std::memory_order_acquire);
      if (begun > ended) in_flight = std::max(in_flight, begun - ended);
    }
    counts.calls += begun;
    counts.failures += shard.failed.load(std::memory_order_relaxed);
    counts.in_flight += in_flight;
  }
}

MethodCounter* CallCounters::of(const std::string& plugin, const KindVersion& version) {
  sync::Lock lock(mutex_);
  auto found = std::find_if(counted_.begin(), counted_.end(), [&](const Counted& one) {
    return one.fingerprint == version.fingerprint && one.plugin == plugin;
  });
  if (found == counted_.end()) {
    Counted fresh{
        plugin, version.fingerprint, {}, std::make_unique<MethodCounter[]>(version.methods.size())};
    for (const MethodInfo& method : version.methods) {
      MethodCounter& counter = fresh.methods[fresh.names.size()];
      fresh.names.emplace_back(method.name);
      counter.trace_into(trace_.get(), trace_->number_of(plugin + "." + fresh.names.back()));
    }
    counted_.push_back(std::move(fresh));
    found = counted_.end() - 1;
  }
  return found->methods.get();
}

void CallCounters::time_next() noexcept {
  sync::Lock lock(mutex_);
  for (const Counted& one : counted_) {
    for (std::size_t i = 0; i < one.names.size(); ++i) one.methods[i].time_next();
  }
}

std::vector<MethodCalls> CallCounters::read() const {
  std::map<std::pair<std::string_view, std::string_view>, Sum> sums;
  sync::Lock lock(mutex_);
  for (const Counted& one : counted_) {
    for (std::size_t i = 0; i < one.names.size(); ++i) {
      sums[{one.plugin, one.names[i]}].add(one.methods[i]);
    }
  }
  std::vector<MethodCalls> result;
  for (const auto& [what, sum] : sums) {
    if (sum.counts.calls != 0) result.push_back(to_calls(what.first, what.second, sum));
  }
  return result;
}

}}}  // namespace tenon::v0_1::detail
