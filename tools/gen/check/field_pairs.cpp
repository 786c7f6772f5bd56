// SPDX-License-Identifier: BSL-1.0
#include "gen/check/field_pairs.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

namespace tenon::gen {
namespace {

/// Returns the texts of `from` that are not in `without`, as a list.
std::string words_without(const std::vector<std::string>& from,
                          const std::vector<std::string>& without) {
  const std::set<std::string_view> left_out(without.begin(), without.end());
  std::vector<std::string> only;
  std::ranges::copy_if(from, std::back_inserter(only),
                       [&left_out](const std::string& word) { return !left_out.contains(word); });
  return enumerate(only);
}

/// Returns how an enum or struct changed that has the same name in both versions.
std::string change_within(const Type& older, const Type& newer) {
  if (newer.structure != nullptr) return "changed its fields";
  const std::vector<std::string>& before = older.enumeration->values;
  const std::vector<std::string>& now = newer.enumeration->values;
  const std::string gained = words_without(now, before);
  const std::string lost = words_without(before, now);
  if (gained.empty() && lost.empty()) return "changed the order of its values";
  if (lost.empty()) return "gained " + gained;
  return (gained.empty() ? "" : "gained " + gained + ", and ") + "lost " + lost;
}

/// Returns what changed between the types of a field.
std::string change_of(const FieldPair& pair, const PartPairs& pairs) {
  const std::string before = to_text(pair.older->type);
  const std::string now = to_text(pair.newer->type);
  const std::string field = "'" + pair.newer->name + "'";
  if (before != now) {
    return field + " changed its type from " + before + " in " + pairs.older().words + " to " +
           now + " in " + pairs.newer().words;
  }
  const Type& type = innermost(pair.newer->type);
  return field + " changed its type between " + pairs.older().words + " and " +
         pairs.newer().words + ": '" + to_text(type) + "' " +
         change_within(innermost(pair.older->type), type);
}

}  // namespace

std::vector<FieldPair> pair_fields(const StepFields& older, const StepFields& newer,
                                   const PartPairs& pairs) {
  std::vector<FieldPair> all;
  for (const Field& field : newer.fields) {
    const auto index = pairs.continued(field.name);
    all.push_back({index ? &older.fields[*index] : nullptr, &field});
    if (!index && !pairs.has_key(field.name, "hook")) pairs.check_new(field.name, field.location);
  }
  for (const Field& field : older.fields) {
    if (!pairs.ends(field.name)) continue;
    all.push_back({&field, nullptr});
    if (!pairs.has_key(field.name, "hook")) pairs.check_removed(field.name);
  }
  return all;
}

void add_retyped(const FieldPair& pair, const PartPairs& pairs, const std::string& note,
                 const std::string& fix, Diagnostics& diagnostics) {
  add_unexplained(pair.newer->location, change_of(pair, pairs) + note, fix, diagnostics);
}

}  // namespace tenon::gen
