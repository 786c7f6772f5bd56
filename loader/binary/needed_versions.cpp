// SPDX-License-Identifier: BSL-1.0
#include "binary/needed_versions.hpp"

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "binary/byte_source.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Library {
  std::string_view prefix;  // of the names of its versions
  std::string_view name;
};
constexpr Library libraries[] = {
    {"GLIBC_", "glibc"},
    {"GLIBCXX_", "libstdc++"},
    {"CXXABI_", "libstdc++ ABI"},
};

/// glibc 2.36 introduced this name for a feature of files.
constexpr std::string_view packed_relocations = "GLIBC_ABI_DT_RELR";

/// Returns the numbers of a text such as "2.38"; empty if it has another form.
std::vector<std::uint32_t> numbers_of(std::string_view text) {
  std::vector<std::uint32_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    const auto [next, failed] = std::from_chars(at, end, numbers.emplace_back());
    if (failed != std::errc()) return {};
    if (next == end) return numbers;
    if (*next != '.') return {};
    at = next + 1;
  }
}

void add(std::vector<SystemVersion>& versions, SystemVersion version) {
  if (version.library.empty()) return;
  const auto known = std::ranges::find(versions, version.library, &SystemVersion::library);
  if (known == versions.end()) {
    versions.push_back(std::move(version));
  } else if (known->numbers < version.numbers) {
    *known = std::move(version);
  }
}

}  // namespace

std::vector<SystemVersion> needed_versions(const Bundle& bundle) {
  std::vector<SystemVersion> found;
  for (const BundleFile& file : bundle) {
    const std::string where = file.path.string();
    MemorySource source(where, file.content);
    const auto elf = ElfFile::open(source);
    if (!elf) continue;
    const auto symbols = elf->symbols();
    if (!symbols) continue;
    for (const auto& [number, version] : elf->versions(*symbols).needed) {
      if (!version.weak) add(found, parse_system_version(version.name));
    }
  }
  const auto rank = [](const SystemVersion& version) {
    return std::ranges::find(libraries, version.library, &Library::name);
  };
  std::ranges::sort(found, {}, rank);
  return found;
}

}}}  // namespace tenon::v0_1::detail

namespace tenon { inline namespace v0_1 {

std::string to_string(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (const std::uint32_t number : numbers) {
    text += (text.empty() ? "" : ".") + std::to_string(number);
  }
  return text;
}

std::string to_string(const std::vector<SystemVersion>& versions) {
  std::string text;
  for (const SystemVersion& version : versions) {
    text += (text.empty() ? "" : ", ") + version.library + " " + to_string(version.numbers);
  }
  return text;
}

SystemVersion parse_system_version(std::string_view name) {
  if (name == detail::packed_relocations) return {"glibc", {2, 36}};
  for (const detail::Library& library : detail::libraries) {
    if (!name.starts_with(library.prefix)) continue;
    auto numbers = detail::numbers_of(name.substr(library.prefix.size()));
    if (!numbers.empty()) return {std::string(library.name), std::move(numbers)};
  }
  return {};
}

}}  // namespace tenon::v0_1
