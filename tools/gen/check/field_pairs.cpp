// SPDX-License-Identifier: BSL-1.0
#include "gen/check/field_pairs.hpp"

namespace tenon::gen {

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
  add_unexplained(pair.newer->location,
                  "'" + pair.newer->name + "' changed its type from " + to_text(pair.older->type) +
                      " in " + pairs.older().words + " to " + to_text(pair.newer->type) + " in " +
                      pairs.newer().words + note,
                  fix, diagnostics);
}

}  // namespace tenon::gen
