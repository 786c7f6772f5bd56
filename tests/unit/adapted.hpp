// SPDX-License-Identifier: BSL-1.0
//
// Helpers that call plugins of older versions, given as C vtables, through their adapters.
#pragma once

#include <tenon/detail/kind.hpp>
#include <tenon/values.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tenon::tests {

using Texts = std::vector<std::string>;

inline std::string own(const tenon_string& text) {
  return Value<std::string>::own(text);
}
inline tenon_string text(std::string_view literal) {
  return {literal.data(), literal.size()};
}

/// A plugin of an older version, adapted to version `target`, whose vtable is a Newer.
template <class Newer>
class Adapted {
 public:
  template <class Older>
  Adapted(const Kind& kind, const Older& plugin, int target, void* self = nullptr)
      : adapter_(*kind.find(plugin.version)->adapter_to(target)),
        self_(adapter_.create(&plugin, self, "me.example/plugin")) {}
  ~Adapted() { adapter_.destroy(self_); }
  Adapted(const Adapted&) = delete;
  Adapted& operator=(const Adapted&) = delete;

  const Newer* operator->() const { return static_cast<const Newer*>(adapter_.table); }
  void* self() const { return self_; }

 private:
  const Adapter& adapter_;
  void* self_;
};

/// Returns the methods of version `target` that a plugin of `version` does not implement.
inline Texts missing(const Kind& kind, int version, int target) {
  const auto names = kind.find(version)->adapter_to(target)->missing;
  return Texts(names.begin(), names.end());
}

}  // namespace tenon::tests
