// SPDX-License-Identifier: BSL-1.0
#include "field_processor.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "json_text.hpp"

namespace tenon::builtin {
namespace {

constexpr std::string_view rename_prefix = "rename.";
constexpr std::string_view set_prefix = "set.";

bool takes_prefix(std::string_view& key, std::string_view prefix) {
  if (key.size() <= prefix.size() || key.substr(0, prefix.size()) != prefix) return false;
  key.remove_prefix(prefix.size());
  return true;
}

/// Returns the names in a comma-separated list, each of which was not found yet.
std::map<std::string, bool, std::less<>> names_in(std::string_view list) {
  constexpr std::string_view blanks = " \t";
  std::map<std::string, bool, std::less<>> names;
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(list.size(), name.size() + 1));
    const std::size_t begin = name.find_first_not_of(blanks);
    if (begin == std::string_view::npos) continue;
    names.emplace(name.substr(begin, name.find_last_not_of(blanks) + 1 - begin), false);
  }
  return names;
}

}  // namespace

void FieldProcessor::configure(const sdk::Config& config) {
  dropped_ = names_in(config.get("drop", ""));
  renamed_.clear();
  set_.clear();
  any_payload_ = false;
  nested_dropped_.clear();
  nested_renamed_.clear();
  nested_set_.clear();
  for (auto name = dropped_.begin(); name != dropped_.end();) {
    const bool is_path = FieldPath::is_path(name->first);
    if (is_path) nested_dropped_.push_back({FieldPath(name->first), {}, false});
    name = is_path ? dropped_.erase(name) : std::next(name);
  }
  for (const auto& [key, ignored] : config.entries()) {
    const std::string value = config.get(key, "");
    std::string_view field = key;
    if (takes_prefix(field, rename_prefix)) {
      if (!value.empty()) add_rename(field, value);
    } else if (takes_prefix(field, set_prefix)) {
      if (!value.empty()) add_value(field, value);
    } else if (key != "drop") {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "unknown parameter \"", key,
                         "\", expected drop, rename.FIELD or set.FIELD");
    }
  }
  check();
}

void FieldProcessor::add_rename(std::string_view field, const std::string& name) {
  if (FieldPath::is_path(name)) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"rename.", field, "\" is \"", name,
                       "\", expected the new name without a path");
  }
  if (FieldPath::is_path(field)) {
    nested_renamed_.push_back({FieldPath(field), name, false});
  } else {
    renamed_.emplace(field, Name{name, json_string(name)});
  }
}

void FieldProcessor::add_value(std::string_view field, const std::string& value) {
  if (FieldPath::is_path(field)) {
    nested_set_.push_back(
        {FieldPath(field), check_json(value).error ? json_string(value) : value, false});
  } else {
    set_.emplace(field, value_of(field, value));
  }
}

/// Checks that no two parameters contradict each other.
void FieldProcessor::check() const {
  std::set<std::string_view> targets;
  for (const auto& [from, to] : renamed_) {
    if (dropped_.count(from) != 0) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"rename.", from,
                         "\" renames a field that \"drop\" removes");
    }
    if (!targets.insert(to.name).second) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"rename.", from,
                         "\" renames the field to \"", to.name, "\", like another parameter");
    }
  }
}

FieldProcessor::Value FieldProcessor::value_of(std::string_view field, std::string_view value) {
  return {json_string(field),
          ":" + (check_json(value).error ? json_string(value) : std::string(value))};
}

void FieldProcessor::process_record(RecordV2View record, Records& into) {
  tenon_record_v2 changed = record.raw();
  change(changed.payload.before, into);
  change(changed.payload.after, into);
  into.pass(RecordV2View(changed));
}

void FieldProcessor::change(tenon_bytes& image, Records& into) {
  if (image.data == nullptr) return;
  const BytesView bytes(image.data, image.size);
  const std::string_view payload = change_nested(bytes.text());
  if (!members_.read(payload)) {
    throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
  }
  any_payload_ = true;
  const bool is_changed = apply();
  if (!is_changed && nested_set_.empty()) {
    if (payload.data() != bytes.text().data()) image = into.keep(nested_);
    return;
  }
  if (!is_changed) text_ = payload;
  for (const NestedChange& change : nested_set_) set_field(text_, change.path, change.text);
  image = into.keep(text_);
}

/// Removes and renames fields inside others. Returns the changed payload.
std::string_view FieldProcessor::change_nested(std::string_view payload) {
  if ((nested_dropped_.empty() && nested_renamed_.empty()) || !check_json(payload).is_object) {
    return payload;
  }
  nested_ = payload;
  for (NestedChange& change : nested_dropped_) {
    change.found |= remove_field(nested_, change.path);
  }
  for (NestedChange& change : nested_renamed_) {
    change.found |= rename_field(nested_, change.path, change.text);
  }
  return nested_;
}

void FieldProcessor::teardown() {
  if (!any_payload_) return;
  const auto warn = [this](const auto&... parameter_and_name) {
    log.warn("no payload had the field of the parameter ", parameter_and_name...);
  };
  for (const auto& [name, found] : dropped_) {
    if (!found) warn("\"drop\": \"", name, '"');
  }
  for (const auto& [name, to] : renamed_) {
    if (!to.found) warn('"', rename_prefix, name, '"');
  }
  for (const NestedChange& change : nested_dropped_) {
    if (!change.found) warn("\"drop\": \"", change.path.text(), '"');
  }
  for (const NestedChange& change : nested_renamed_) {
    if (!change.found) warn('"', rename_prefix, change.path.text(), '"');
  }
}

/// Writes the members with their changes to `text_`. Returns whether anything changed.
bool FieldProcessor::apply() {
  bool any_renamed = false;
  kept_.clear();
  names_.clear();
  for (JsonMembers::Member member : members_.all()) {
    if (const auto dropped = dropped_.find(member.name); dropped != dropped_.end()) {
      dropped->second = true;
      continue;
    }
    if (const auto renamed = renamed_.find(member.name); renamed != renamed_.end()) {
      member.name = renamed->second.name;
      member.key = renamed->second.key;
      renamed->second.found = true;
      any_renamed = true;
    }
    kept_.push_back(member);
    names_.push_back(member.name);
  }
  if (!any_renamed && set_.empty()) {
    if (kept_.size() == members_.all().size()) return false;
  } else {
    std::sort(names_.begin(), names_.end());
  }
  if (any_renamed) check_names();
  write();
  return true;
}

/// Checks that no renamed field has the name of another one.
void FieldProcessor::check_names() const {
  for (const auto& [from, to] : renamed_) {
    const auto [first, last] = std::equal_range(names_.begin(), names_.end(), to.name);
    if (last - first <= 1) continue;
    throw sdk::Refusal("field-exists", "\"", from, "\" is renamed to \"", to.name,
                       "\", but the payload already has that field");
  }
}

void FieldProcessor::write() {
  text_ = "{";
  const auto add = [&](std::string_view key, std::string_view rest) {
    if (text_.size() > 1) text_.push_back(',');
    text_.append(key).append(rest);
  };
  for (const auto& member : kept_) {
    const auto value = set_.find(member.name);
    add(member.key, value == set_.end() ? member.rest : value->second.rest);
  }
  for (const auto& [name, value] : set_) {
    if (!std::binary_search(names_.begin(), names_.end(), name)) add(value.key, value.rest);
  }
  text_.push_back('}');
}

}  // namespace tenon::builtin
