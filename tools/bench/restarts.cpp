// SPDX-License-Identifier: BSL-1.0
//
// tenon-restarts latency SECONDS | memory RESTARTS | instances COUNT | packages: measures the
// latency of calls during restarts, the memory that restarts leak, the duration of a restart with
// COUNT instances, or the memory of a host with many packages. Prints JSON.
#include <tenon/host.hpp>

#include <bench/counter.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "directory.hpp"
#include "modules.hpp"

namespace tenon::bench { namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

/// Counts durations with a relative precision of about 1 %.
class Histogram {
 public:
  void add(std::int64_t nanoseconds) noexcept {
    const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0));
    longest_ = std::max(longest_, value);
    ++counts_[bucket_of(value)];
    ++total_;
  }
  /// Returns the percentile: `share` of all durations are at most as long.
  std::uint64_t at(double share) const noexcept {
    const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(total_));
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < counts_.size(); ++bucket) {
      seen += counts_[bucket];
      if (seen > wanted) return std::min(end_of(bucket), longest_);
    }
    return longest_;
  }
  std::uint64_t longest() const noexcept { return longest_; }
  std::uint64_t total() const noexcept { return total_; }

 private:
  // A bucket is identified by the leading bits of a duration and the number of bits after them.
  static constexpr int digits = 7;
  static std::size_t bucket_of(std::uint64_t value) noexcept {
    const int shift = std::max(static_cast<int>(std::bit_width(value)) - digits, 0);
    return (static_cast<std::size_t>(shift) << digits) + (value >> shift);
  }
  static std::uint64_t end_of(std::size_t bucket) noexcept {
    if (bucket < std::size_t{1} << digits) return bucket;
    const std::size_t shift = bucket >> digits;
    return (((bucket & ((1U << digits) - 1)) + 1) << shift) - 1;
  }

  std::array<std::uint64_t, (64 - digits + 1) << digits> counts_{};
  std::uint64_t longest_ = 0;
  std::uint64_t total_ = 0;
};

/// Calls without pause until `end`, and adds the duration of each call.
void call_until(Clock::time_point end, ::bench::Counter& counter, Histogram& histogram) {
  Call call;
  for (auto before = Clock::now(); before < end;) {
    call.reset();
    if (!counter.next(call, 1)) std::abort();
    const auto after = Clock::now();
    histogram.add((after - before).count());
    before = after;
  }
}

void write(const char* name, const Histogram& histogram, const char* suffix) {
  std::printf("  \"%s\": {\"calls\": %llu, \"percentiles\": {", name,
              static_cast<unsigned long long>(histogram.total()));
  for (const char* percent : {"50", "90", "99", "99.9", "99.99", "99.999"}) {
    std::printf("\"%s\": %llu, ", percent,
                static_cast<unsigned long long>(histogram.at(std::atof(percent) / 100)));
  }
  std::printf("\"100\": %llu}}%s\n", static_cast<unsigned long long>(histogram.longest()), suffix);
}

/// Alternates between seconds with and without restarts, so that both have the same background
/// load.
int latency(int seconds) {
  constexpr auto between = 10ms;  // 100 a second
  Host host({.app = "bench", .plugin_path = {counter_v2}});
  auto counter = host.create<::bench::Counter>(counter_name).value();
  static Histogram quiet;
  static Histogram restarting;
  std::int64_t restarts = 0;
  for (int second = 0; second < seconds; ++second) {
    call_until(Clock::now() + 1s, *counter, quiet);
    const auto begin = Clock::now();
    std::thread thread([&] {
      for (auto next = begin; next < begin + 1s; next += between) {
        std::this_thread::sleep_until(next);
        if (!host.restart(counter_name)) std::abort();
        ++restarts;
      }
    });
    call_until(begin + 1s, *counter, restarting);
    thread.join();
  }
  std::printf("{\n  \"restarts\": %lld,\n", static_cast<long long>(restarts));
  write("none", quiet, ",");
  write("restarting", restarting, "");
  std::printf("}\n");
  return 0;
}

/// Returns the resident memory in kB.
long resident() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6);
  }
  return 0;
}

/// Returns the number of memory mappings of copies of the module.
long mapped() {
  std::ifstream maps("/proc/self/maps");
  long count = 0;
  for (std::string line; std::getline(maps, line);) {
    count += line.find("counter-v2.g") != std::string::npos;
  }
  return count;
}

int memory(int restarts) {
  Host host({.app = "bench", .plugin_path = {counter_v2}});
  auto counter = host.create<::bench::Counter>(counter_name).value();
  const auto restart = [&](int times) {
    for (int i = 0; i < times; ++i) {
      if (!host.restart(counter_name)) std::abort();
    }
  };
  restart(200);  // until all one-time allocations were made
  const long resident_before = resident();
  const long mapped_before = mapped();
  restart(restarts);
  std::printf("{\"restarts\": %d, \"grown_kB\": %ld, \"left_mapped\": %ld}\n", restarts,
              resident() - resident_before, mapped() - mapped_before);
  return 0;
}

int packages() {
  const Directory& directory = package_directory();
  const std::size_t count = directory.files().size();
  const long before = resident();
  const Host host({.app = "", .plugin_path = {directory.root()}});
  const long grown = resident() - before;
  if (host.registered().size() != count) std::abort();
  const std::size_t manifests = count * find_manifest(packaged_module).size;
  std::printf("{\"packages\": %zu, \"grown_kB\": %ld, \"manifests_kB\": %zu}\n", count, grown,
              manifests / 1024);
  return 0;
}

/// Repeats an action for one second, but at least three times, and returns its median duration.
template <class Action>
std::int64_t median_time(Action action) {
  constexpr std::size_t least = 3;
  constexpr std::size_t most = 201;
  std::vector<std::int64_t> times;
  const auto end = Clock::now() + 1s;
  while (times.size() < least || (times.size() < most && Clock::now() < end)) {
    const auto begin = Clock::now();
    action();
    times.push_back((Clock::now() - begin).count());
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                   times.end());
  return times[times.size() / 2];
}

/// Measures a restart with `count` instances, a restart with one instance, and the creation and
/// destruction of the others. The sum of the latter two is the minimum for the former.
void measure_instances(const char* name, const char* module, std::size_t count,
                       const char* suffix) {
  Host host({.app = "bench", .plugin_path = {module}});
  const auto create = [&] { return host.create<::bench::Counter>(counter_name).value(); };
  const auto restart = [&] {
    if (!host.restart(counter_name)) std::abort();
  };
  auto first = create();
  std::vector<Handle<::bench::Counter>> others;
  others.reserve(count);
  const auto create_others = [&] {
    while (others.size() + 1 < count) others.push_back(create());
  };
  const std::int64_t one = median_time(restart);
  const std::int64_t create_and_destroy = median_time([&] {
    create_others();
    others.clear();
  });
  create_others();
  const std::int64_t all = median_time(restart);
  std::printf("  \"%s\": {\"restart\": %lld, \"one\": %lld, \"create_and_destroy\": %lld}%s\n",
              name, static_cast<long long>(all), static_cast<long long>(one),
              static_cast<long long>(create_and_destroy), suffix);
}

int instances(int count) {
  std::printf("{\n  \"instances\": %d,\n", count);
  measure_instances("plain", counter_v2, static_cast<std::size_t>(count), ",");
  measure_instances("state", counter_with_state, static_cast<std::size_t>(count), "");
  std::printf("}\n");
  return 0;
}

}}  // namespace tenon::bench

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "packages") return tenon::bench::packages();
  const std::string what = argc == 3 ? argv[1] : "";
  if (what == "latency") return tenon::bench::latency(std::atoi(argv[2]));
  if (what == "memory") return tenon::bench::memory(std::atoi(argv[2]));
  if (what == "instances") return tenon::bench::instances(std::atoi(argv[2]));
  std::fprintf(stderr,
               "usage: tenon-restarts latency SECONDS | memory RESTARTS | instances COUNT | "
               "packages\n");
  return 2;
}
