// SPDX-License-Identifier: BSL-1.0
#include "gen/check/widening.hpp"

#include <algorithm>

namespace tenon::gen {
namespace {

/// Whether `pairs` contains this pair.
template <class Pair, class Part>
bool contains(const std::vector<Pair>& pairs, const Part* older, const Part* newer) {
  return std::any_of(pairs.begin(), pairs.end(),
                     [&](const Pair& pair) { return pair.older == older && pair.newer == newer; });
}

bool is_between(Shape shape, Shape first, Shape last) noexcept {
  return shape >= first && shape <= last;
}

/// Whether the newer integer type is larger and has all values of the older one.
bool widens_integer(Shape older, Shape newer) noexcept {
  const auto power = [](Shape shape, Shape first) {
    return static_cast<int>(shape) - static_cast<int>(first);
  };
  if (is_between(older, Shape::int8, Shape::int64)) {
    return newer > older && newer <= Shape::int64;
  }
  if (!is_between(older, Shape::uint8, Shape::uint64)) return false;
  if (is_between(newer, Shape::uint8, Shape::uint64)) return newer > older;
  return is_between(newer, Shape::int8, Shape::int64) &&
         power(newer, Shape::int8) > power(older, Shape::uint8);
}

bool widens_inside(const Type& older, const Type& newer) {
  const bool is_container = older.shape == Shape::list || older.shape == Shape::map;
  if (is_container && older.shape == newer.shape) {
    return widens_inside(*older.element, *newer.element);
  }
  return widens_integer(older.shape, newer.shape) ||
         (older.shape == Shape::float32 && newer.shape == Shape::float64) ||
         (older.shape == Shape::enumeration && newer.shape == Shape::string);
}

/// Returns false for types whose values an older program could not distinguish from the list.
bool is_distinct_from_list(const Type& type) noexcept {
  return type.shape != Shape::list && type.shape != Shape::json;
}

}  // namespace

bool converts(const DocumentStep& step, const Type& from, const Type& to) {
  const Type& older = without_optional(from);
  const Type& newer = without_optional(to);
  if (older.shape != newer.shape) return false;
  switch (older.shape) {
    case Shape::list:
    case Shape::map:
      return converts(step, *older.element, *newer.element);
    case Shape::enumeration:
      return contains(step.enums, older.enumeration, newer.enumeration);
    case Shape::structure:
      return contains(step.structs, older.structure, newer.structure);
    case Shape::document:
      return older.document->document == newer.document->document;
    default:
      return true;
  }
}

bool widens(const DocumentStep& step, const Type& from, const Type& to) {
  const Type& older = without_optional(from);
  const Type& newer = without_optional(to);
  const bool wraps = newer.shape == Shape::list && is_distinct_from_list(older);
  return wraps ? converts(step, older, *newer.element) : widens_inside(older, newer);
}

}  // namespace tenon::gen
