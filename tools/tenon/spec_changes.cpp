// SPDX-License-Identifier: BSL-1.0
//
// Changes between two sets of specs.
#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "abi_changes.hpp"

namespace tenon::command {
namespace {

/// Returns whether values of two types are the same. The types may be of different models.
bool is_same(const gen::Type& a, const gen::Type& b);

bool has_same_fields(const std::vector<gen::Field>& a, const std::vector<gen::Field>& b) {
  return std::ranges::equal(a, b, [](const gen::Field& one, const gen::Field& other) {
    return one.name == other.name && is_same(one.type, other.type);
  });
}

bool is_same(const gen::Type& a, const gen::Type& b) {
  if (a.shape != b.shape) return false;
  if (a.element) return is_same(*a.element, *b.element);
  if (a.enumeration != nullptr) return a.enumeration->values == b.enumeration->values;
  if (a.structure != nullptr) return has_same_fields(a.structure->fields, b.structure->fields);
  return gen::to_text(a) == gen::to_text(b);
}

/// Collects changes.
class Changes {
 public:
  void add(Segment segment, std::string text) { all_.push_back({segment, std::move(text)}); }

  /// Adds parts that were removed or added, and calls `both` for the others. `name` identifies a
  /// part and describes it, `segment_of_new` returns the segment for one that was added.
  template <class Parts, class Name, class NewSegment, class Both>
  void compare(const Parts& older, const Parts& newer, Name name, NewSegment segment_of_new,
               Both both) {
    const auto find = [&name](const Parts& parts, const auto& one) {
      return std::ranges::find_if(parts,
                                  [&](const auto& other) { return name(other) == name(one); });
    };
    for (const auto& one : older) {
      const auto found = find(newer, one);
      if (found == newer.end()) {
        add(Segment::major, "removes " + name(one));
      } else {
        both(one, *found);
      }
    }
    for (const auto& one : newer) {
      if (find(older, one) != older.end()) continue;
      const Segment segment = segment_of_new(one);
      add(segment, (segment == Segment::major ? "adds required " : "adds ") + name(one));
    }
  }

  AbiChanges take() {
    std::ranges::stable_sort(all_, std::greater(), &AbiChange::segment);
    return std::move(all_);
  }

 private:
  AbiChanges all_;
};

/// Returns a function that describes a part, eg: "method apply".
auto named(std::string word) {
  return [word = std::move(word)](const auto& part) { return word + part.name; };
}
constexpr auto always_minor = [](const auto&) { return Segment::minor; };

void add_text(const std::string& older, const std::string& newer, const std::string& subject,
              Changes& changes) {
  if (older != newer) changes.add(Segment::patch, "changes the text of " + subject);
}

/// `place`: eg "apply.request."
void add_fields(const std::vector<gen::Field>& older, const std::vector<gen::Field>& newer,
                const std::string& place, Changes& changes) {
  const auto segment_of_new = [](const gen::Field& field) {
    return field.type.shape == gen::Shape::optional ? Segment::minor : Segment::major;
  };
  changes.compare(older, newer, named("field " + place), segment_of_new,
                  [&](const gen::Field& before, const gen::Field& after) {
                    const std::string field = "field " + place + after.name;
                    if (!is_same(before.type, after.type)) {
                      changes.add(Segment::major, "changes the type of " + field);
                    }
                    add_text(before.doc, after.doc, field, changes);
                  });
}

void add_method(const gen::Method& older, const gen::Method& newer, Changes& changes) {
  const std::string method = "method " + newer.name;
  if (older.required != newer.required) {
    changes.add(newer.required ? Segment::major : Segment::minor,
                (newer.required ? "requires " : "no longer requires ") + method);
  }
  if (older.threading != newer.threading) {
    changes.add(Segment::major, "changes the threading of " + method);
  }
  if (older.from != newer.from || older.to != newer.to) {
    changes.add(Segment::major, "changes the states of " + method);
  }
  add_fields(older.request, newer.request, newer.name + ".request.", changes);
  add_fields(older.response, newer.response, newer.name + ".response.", changes);
  add_text(older.doc + older.blocks, newer.doc + newer.blocks, method, changes);
}

void add_version(const gen::KindVersion& older, const gen::KindVersion& newer, Changes& changes) {
  const auto segment_of_new = [](const gen::Method& method) {
    return method.required ? Segment::major : Segment::minor;
  };
  changes.compare(older.methods, newer.methods, named("method "), segment_of_new,
                  [&](const gen::Method& before, const gen::Method& after) {
                    add_method(before, after, changes);
                  });
  changes.compare(older.properties, newer.properties, named("property "), always_minor,
                  [&](const gen::Property& before, const gen::Property& after) {
                    const std::string property = "property " + after.name;
                    if (!is_same(before.type, after.type)) {
                      changes.add(Segment::major, "changes the type of " + property);
                    }
                    add_text(before.doc, after.doc, property, changes);
                  });
  add_text(older.doc, newer.doc, newer.kind->id, changes);
}

/// Adds the changes inside a version that both sets have.
void add_same_version(const gen::KindVersion& older, const gen::KindVersion& newer,
                      Changes& changes) {
  Changes inside;
  add_version(older, newer, inside);
  const std::string place = newer.kind->id + "@" + newer.label + ": ";
  for (AbiChange& change : inside.take()) changes.add(change.segment, place + change.text);
}

void add_same_version(const gen::DocumentVersion& older, const gen::DocumentVersion& newer,
                      Changes& changes) {
  if (older.fingerprint == newer.fingerprint) return;
  changes.add(Segment::major, "changes version " + newer.label + " of " + newer.document->id);
}

/// Adds the changes between the kinds, or the document types, of two sets.
template <class Families>
void add_families(const Families& older, const Families& newer, const std::string& word,
                  Changes& changes) {
  const auto own = [](const Families& all) {
    std::vector<typename Families::value_type::pointer> families;
    for (const auto& family : all) {
      if (!family->standard) families.push_back(family.get());
    }
    return families;
  };
  const auto name_of = [&](const auto* family) { return word + family->id; };
  changes.compare(
      own(older), own(newer), name_of, always_minor, [&](const auto* before, const auto* after) {
        const auto version_of = [after](const auto& version) {
          return "version " + version->label + " of " + after->id;
        };
        changes.compare(
            before->versions, after->versions, version_of, always_minor,
            [&](const auto& one, const auto& other) { add_same_version(*one, *other, changes); });
      });
}

}  // namespace

AbiChanges changes_between(const gen::Model& older, const gen::Model& newer) {
  Changes changes;
  add_families(older.kinds, newer.kinds, "kind ", changes);
  add_families(older.documents, newer.documents, "type ", changes);
  return changes.take();
}

AbiChanges changes_between(const gen::KindVersion& older, const gen::KindVersion& newer) {
  Changes changes;
  add_version(older, newer, changes);
  return changes.take();
}

}  // namespace tenon::command
