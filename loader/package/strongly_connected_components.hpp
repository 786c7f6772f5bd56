// SPDX-License-Identifier: BSL-1.0
//
// Package names in an order in which requirers come before the names that they require.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "package/propagator.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// Lists of names, made from the last one to the first.
class Components {
 public:
  void push_front(std::span<const NameId> component) {
    names_.insert(names_.end(), component.begin(), component.end());
    ends_.push_back(names_.size());
  }
  std::size_t size() const { return ends_.size(); }
  std::span<const NameId> operator[](std::size_t i) const {
    const std::size_t made = ends_.size() - 1 - i;
    const std::size_t begin = made > 0 ? ends_[made - 1] : 0;
    return std::span(names_).subspan(begin, ends_[made] - begin);
  }

 private:
  std::vector<NameId> names_;
  std::vector<std::size_t> ends_;
};

/// Returns the names that are reachable from the roots and from `Problem::used` through the
/// requirements of any admitted version. Names that require each other in cycles are one component.
/// A component comes after all components that require one of its names.
Components strongly_connected_components(const Propagator& propagator);

}}}  // namespace tenon::v0_1::detail
