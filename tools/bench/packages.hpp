// SPDX-License-Identifier: BSL-1.0
//
// The packages to resolve: 1000 names with 10 versions each. Each version requires 3 other
// packages.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenon::bench {

inline constexpr std::uint64_t names = 1000;
inline constexpr std::uint64_t versions = 10;

/// Versions of a package from `low`, and below `high` unless it is 0.
struct VersionRange {
  std::uint64_t name;
  std::uint64_t low;
  std::uint64_t high;
};

struct Item {
  std::uint64_t name;
  std::uint64_t version;
  std::vector<VersionRange> requirements;
};

inline std::string name_of(std::uint64_t name) {
  return "bench.example/package-" + std::to_string(name);
}

// 1.0.0 to 1.4.0, 2.0.0 to 2.4.0
inline std::string version_of(std::uint64_t version) {
  return std::to_string(1 + version / 5) + "." + std::to_string(version % 5) + ".0";
}

inline std::string text_of(const VersionRange& range) {
  const auto low = ">=" + version_of(range.low);
  return range.high != 0 ? low + ",<" + version_of(range.high) : low;
}

/// The same packages in every run. One version of each name is compatible with those of all other
/// names, because libsolv selects one version of each name. The requirements of other versions are
/// random. If `broken`, no version of the last name can be used, nor any package that requires it.
class Packages {
 public:
  explicit Packages(bool broken) {
    std::vector<std::uint64_t> good(names);
    for (auto& version : good) version = pick(versions);
    for (std::uint64_t name = 0; name < names; ++name) {
      for (std::uint64_t version = 0; version < versions; ++version) {
        items.push_back({.name = name, .version = version, .requirements = {}});
        for (int i = 0; i < 3; ++i) {
          const auto other = pick(names);
          const auto middle = version == good[name] ? good[other] : pick(versions);
          const auto low = middle - pick(middle + 1);
          const auto high = pick(2) == 0 ? versions : middle + 1 + pick(versions - middle);
          items.back().requirements.push_back(
              {.name = other, .low = low, .high = high < versions ? high : 0});
        }
        if (broken && name == names - 1) items.back().requirements[0].name = names;
      }
    }
  }

  std::vector<Item> items;

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  std::mt19937_64 random_{1};
};

}  // namespace tenon::bench
