// SPDX-License-Identifier: BSL-1.0
#include "gen/model.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

bool same_struct(const Struct& a, const Struct& b) {
  const auto same_field = [](const Field& x, const Field& y) {
    return x.name == y.name && passing(x.type, y.type) == Passing::same;
  };
  return a.name == b.name &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same_field);
}

/// Whether the fills take all of `sources`, each as it stands and in the same order.
bool hands_on(const std::vector<FieldFill>& fills, const std::vector<Field>& sources) {
  const auto as_it_stands = [](const FieldFill& fill, const Field& source) {
    return fill.source == &source && fill.passing == Passing::same;
  };
  return std::equal(fills.begin(), fills.end(), sources.begin(), sources.end(), as_it_stands);
}

}  // namespace

const Type& innermost(const Type& type) noexcept {
  return type.element ? innermost(*type.element) : type;
}

bool is_stream(const Type& type) noexcept {
  const Shape shape = innermost(type).shape;
  return shape == Shape::reader || shape == Shape::writer;
}

Passing passing(const Type& from, const Type& to) {
  if (from.shape != to.shape) return Passing::different;
  const auto same_if = [](bool same) { return same ? Passing::same : Passing::different; };
  switch (from.shape) {
    case Shape::list:
    case Shape::map:
    case Shape::optional:
      return passing(*from.element, *to.element);
    case Shape::enumeration:
      return same_if(from.enumeration->name == to.enumeration->name &&
                     from.enumeration->values == to.enumeration->values);
    case Shape::structure:
      return same_if(same_struct(*from.structure, *to.structure));
    case Shape::document:
      if (from.document == to.document) return Passing::same;
      return from.document->document == to.document->document ? Passing::converted
                                                              : Passing::different;
    default:
      return Passing::same;
  }
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

bool MethodStep::same_form() const noexcept {
  return answer == Answer::forward && hands_on(request, method->request) &&
         hands_on(response, older->response);
}

bool KindStep::has_hooks() const noexcept {
  return std::any_of(methods.begin(), methods.end(), [](const MethodStep& step) {
    return step.answer == MethodStep::Answer::hook;
  });
}

}  // namespace tenon::gen
