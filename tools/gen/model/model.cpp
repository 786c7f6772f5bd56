// SPDX-License-Identifier: BSL-1.0
#include "gen/model/model.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace tenon::gen {
namespace {

/// Compares types. Compares each pair of structs once: a difference anywhere ends the comparison.
class TypeComparison {
 public:
  TypeMatch match(const Type& from, const Type& to) {
    if (from.shape != to.shape) return TypeMatch::different;
    const auto same_if = [](bool same) {
      return same ? TypeMatch::identical : TypeMatch::different;
    };
    switch (from.shape) {
      case Shape::list:
      case Shape::map:
      case Shape::optional:
        return match(*from.element, *to.element);
      case Shape::enumeration:
        return same_if(from.enumeration->values == to.enumeration->values);
      case Shape::structure:
        return same_if(same_fields(*from.structure, *to.structure, [this](auto& x, auto& y) {
          return match(x, y) == TypeMatch::identical;
        }));
      case Shape::document:
        if (from.document == to.document) return TypeMatch::identical;
        return from.document->document == to.document->document ? TypeMatch::convertible
                                                                : TypeMatch::different;
      default:
        return TypeMatch::identical;
    }
  }

  bool same(const Type& a, const Type& b) {
    if (a.shape == Shape::optional) return same(*a.element, b);
    if (b.shape == Shape::optional) return same(a, *b.element);
    if (a.shape != b.shape) return false;
    switch (a.shape) {
      case Shape::list:
      case Shape::map:
        return same(*a.element, *b.element);
      case Shape::enumeration:
        return a.enumeration->name == b.enumeration->name;
      case Shape::structure:
        return a.structure->name == b.structure->name &&
               same_fields(*a.structure, *b.structure,
                           [this](auto& x, auto& y) { return same(x, y); });
      case Shape::document:
        return a.document == b.document;
      default:
        return true;
    }
  }

 private:
  template <class SameType>
  bool same_fields(const Struct& a, const Struct& b, SameType same_type) {
    if (!compared_.emplace(&a, &b).second) return true;
    return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                      [&same_type](const Field& x, const Field& y) {
                        return x.name == y.name && same_type(x.type, y.type);
                      });
  }

  std::set<std::pair<const Struct*, const Struct*>> compared_{};
};

/// Whether the fills copy all `sources` unchanged and in the same order.
bool forwards_all(const std::vector<FieldFill>& fills, const std::vector<Field>& sources) {
  const auto unchanged = [](const FieldFill& fill, const Field& source) {
    return fill.source == &source && fill.match == TypeMatch::identical;
  };
  return std::equal(fills.begin(), fills.end(), sources.begin(), sources.end(), unchanged);
}

/// Returns the newest version for which `suits` returns true; nullptr if there is none.
template <class Suits>
const DocumentVersion* newest(const Document& document, Suits suits) {
  const auto found = std::find_if(document.versions.rbegin(), document.versions.rend(),
                                  [suits](const auto& version) { return suits(*version); });
  return found != document.versions.rend() ? found->get() : nullptr;
}

}  // namespace

const Type& without_optional(const Type& type) noexcept {
  return type.shape == Shape::optional ? *type.element : type;
}

const Type& innermost(const Type& type) noexcept {
  return type.element ? innermost(*type.element) : type;
}

bool is_stream(const Type& type) noexcept {
  const Shape shape = innermost(type).shape;
  return shape == Shape::reader || shape == Shape::writer;
}

bool points_to_data(const Type& type) noexcept {
  switch (type.shape) {
    case Shape::string:
    case Shape::bytes:
    case Shape::json:
    case Shape::list:
    case Shape::map:
    case Shape::document:
      return true;
    case Shape::optional:
      return points_to_data(*type.element);
    case Shape::structure:
      return type.structure->bag ||
             std::any_of(type.structure->fields.begin(), type.structure->fields.end(),
                         [](const Field& field) { return points_to_data(field.type); });
    default:
      return false;
  }
}

TypeMatch match_types(const Type& from, const Type& to) {
  return TypeComparison().match(from, to);
}

bool same_shape(const Type& a, const Type& b) {
  return TypeComparison().same(a, b);
}

const Method* KindVersion::find(std::string_view method) const noexcept {
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [method](const Method& m) { return m.name == method; });
  return found != methods.end() ? &*found : nullptr;
}

const Method* KindVersion::configure() const noexcept {
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [](const Method& method) { return method.configures; });
  return found != methods.end() ? &*found : nullptr;
}

bool MethodStep::same_layout() const noexcept {
  return action == Action::forward && forwards_all(request, method->request) &&
         forwards_all(response, older->response);
}

bool KindStep::has_hooks() const noexcept {
  return std::any_of(methods.begin(), methods.end(), [](const MethodStep& step) {
    return step.action == MethodStep::Action::hook;
  });
}

const DocumentVersion& Document::latest() const noexcept {
  const auto* release =
      newest(*this, [](const DocumentVersion& v) { return !v.removed() && !v.is_preview(); });
  if (release != nullptr) return *release;
  const auto* usable = newest(*this, [](const DocumentVersion& v) { return !v.removed(); });
  return usable != nullptr ? *usable : *versions.back();
}

const DocumentVersion& Document::hub() const noexcept {
  const auto is_release = [](const DocumentVersion& v) { return !v.draft() && !v.is_preview(); };
  const auto* release =
      newest(*this, [&](const DocumentVersion& v) { return is_release(v) && !v.removed(); });
  if (release == nullptr) release = newest(*this, is_release);
  return release != nullptr ? *release : latest();
}

const DocumentStep* Document::step_to(const DocumentVersion& version) const noexcept {
  const auto found = std::find_if(steps.begin(), steps.end(),
                                  [&version](const auto& step) { return step.to == &version; });
  return found != steps.end() ? &*found : nullptr;
}

std::vector<const DocumentVersion*> Document::path(const DocumentVersion& from,
                                                   const DocumentVersion& to) const {
  const auto to_root = [this](const DocumentVersion& version) {
    std::vector<const DocumentVersion*> line;
    line.push_back(&version);
    while (const DocumentStep* step = step_to(*line.back())) line.push_back(step->from);
    return line;
  };
  std::vector<const DocumentVersion*> path = to_root(from);
  std::vector<const DocumentVersion*> down = to_root(to);
  const DocumentVersion* fork = nullptr;  // the newest common ancestor
  while (!path.empty() && !down.empty() && path.back() == down.back()) {
    fork = path.back();
    path.pop_back();
    down.pop_back();
  }
  path.push_back(fork);
  path.insert(path.end(), down.rbegin(), down.rend());
  return path;
}

}  // namespace tenon::gen
