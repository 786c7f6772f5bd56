// SPDX-License-Identifier: BSL-1.0
#include "resource_names.hpp"

#include <algorithm>

#include "native_resources.hpp"

namespace backup {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

std::string full_name(const std::string& plural, std::string_view group) {
  return group.empty() ? plural : plural + "." + std::string(group);
}

/// Returns the plurals that the authors of a kind may have chosen, the most likely one first.
/// REQUIRED: the kind is in lower case and not empty.
std::vector<std::string> usual_plurals(const std::string& kind) {
  std::vector<std::string> plurals{kind + "s", kind + "es", kind};
  const auto prefer = [&plurals](const std::string& plural) {
    std::erase(plurals, plural);
    plurals.insert(plurals.begin(), plural);
  };
  constexpr std::string_view hissing[] = {"s", "x", "z", "ch", "sh"};
  const auto is_end = [&kind](std::string_view end) { return kind.ends_with(end); };
  if (kind.ends_with("endpoints")) {
    prefer(kind);
  } else if (std::ranges::any_of(hissing, is_end)) {
    prefer(kind + "es");
  } else if (kind.ends_with('y')) {
    const std::string other = kind.substr(0, kind.size() - 1) + "ies";
    plurals.push_back(other);
    const bool after_vowel =
        kind.size() > 1 && std::string_view("aeiou").find(kind[kind.size() - 2]) != kind.npos;
    if (!after_vowel) prefer(other);
  }
  return plurals;
}

/// Returns whether a text is a version, eg: "v1", "v2beta1".
bool is_version(std::string_view text) {
  const auto skip_digits = [&text] {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(digits);
    return digits > 0;
  };
  if (!text.starts_with('v')) return false;
  text.remove_prefix(1);
  if (!skip_digits()) return false;
  if (text.empty()) return true;
  for (const std::string_view stage : {"alpha", "beta"}) {
    if (!text.starts_with(stage)) continue;
    text.remove_prefix(stage.size());
    return skip_digits() && text.empty();
  }
  return false;
}

/// Returns "deployments.apps" for "deployments.v1.apps", or an empty text if there is no version.
std::string without_version(const std::string& name) {
  const auto first = name.find('.');
  const auto second = name.find('.', std::min(first, name.size() - 1) + 1);
  if (second == std::string::npos) return {};
  if (!is_version(std::string_view(name).substr(first + 1, second - first - 1))) return {};
  return name.substr(0, first) + name.substr(second);
}

/// Returns the group of an API version: "apps" for "apps/v1", empty for "v1".
std::string group_of(std::string_view api_version) {
  const auto slash = api_version.find('/');
  return slash == api_version.npos ? std::string() : lower_case(api_version.substr(0, slash));
}

}  // namespace

ResourceNames::ResourceNames() {
  for (const NativeResource& native : native_resources()) {
    native_groups_.try_emplace(std::string(native.group), native_groups_.size());
    add_names({std::string(native.group), std::string(native.kind), std::string(native.plural),
               lower_case(native.kind), words_of(native.short_names)});
  }
}

void ResourceNames::add(ResourceType type) {
  type.group = lower_case(type.group);
  type.plural = lower_case(type.plural);
  const std::string key = lower_case(type.kind) + "." + type.group;
  if (!kinds_.contains(key)) added_.push_back(type);
  add_names(type);
}

void ResourceNames::add_names(const ResourceType& type) {
  const std::string kind = lower_case(type.kind);
  kinds_.try_emplace(kind + "." + type.group, full_name(type.plural, type.group));
  add_name(0, type.plural, type);
  for (const std::string& name : type.short_names) add_name(1, lower_case(name), type);
  add_name(2, type.singular.empty() ? kind : lower_case(type.singular), type);
  add_name(3, kind, type);
}

void ResourceNames::add_name(std::size_t form, const std::string& name, const ResourceType& type) {
  if (name.empty()) return;
  const Ranked ranked{rank_of(form, type.group), full_name(type.plural, type.group)};
  for (const std::string& key : {name, name + "." + type.group}) {
    const auto [known, added] = names_.try_emplace(key, ranked);
    if (!added && ranked.first < known->second.first) known->second = ranked;
  }
}

ResourceNames::Rank ResourceNames::rank_of(std::size_t form, const std::string& group) const {
  const auto native = native_groups_.find(group);
  const bool known = native != native_groups_.end();
  return {form, known ? native->second : native_groups_.size(), group};
}

std::string ResourceNames::find_resource(std::string_view api_version,
                                         std::string_view kind) const {
  const std::string group = group_of(api_version);
  const std::string lower = lower_case(kind);
  if (lower.empty()) return {};
  const auto known = kinds_.find(lower + "." + group);
  return known != kinds_.end() ? known->second : full_name(usual_plurals(lower)[0], group);
}

std::string ResourceNames::resource_of(std::string_view api_version, std::string_view kind) {
  const std::string group = group_of(api_version);
  const std::string lower = lower_case(kind);
  std::string resource = find_resource(api_version, kind);
  if (lower.empty() || kinds_.contains(lower + "." + group)) return resource;
  std::vector<std::string> plurals = usual_plurals(lower);
  add({.group = group,
       .kind = std::string(kind),
       .plural = plurals[0],
       .singular = lower,
       .short_names = {plurals.begin() + 1, plurals.end()}});
  return resource;
}

std::string ResourceNames::resolve(std::string_view name) const {
  const std::string* known = find_written(name);
  return known != nullptr ? *known : std::string(name);
}

std::vector<std::string> ResourceNames::names() const {
  std::vector<std::string> names;
  for (const auto& [name, ranked] : names_) {
    if (name.find('.') == name.npos) names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

const std::string* ResourceNames::find_written(std::string_view name) const {
  const std::string lower = lower_case(name);
  const std::string* known = find(without_version(lower));
  return known != nullptr ? known : find(lower);
}

const std::string* ResourceNames::find(const std::string& name) const {
  const auto known = names_.find(name);
  return known == names_.end() ? nullptr : &known->second.second;
}

}  // namespace backup
