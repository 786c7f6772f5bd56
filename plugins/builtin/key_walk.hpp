// SPDX-License-Identifier: BSL-1.0
//
// Visits the keys of a bucket in byte order. Does not open directories that cannot contain a match.
#pragma once

#include <tenon/sdk/call.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "directory.hpp"

namespace tenon::builtin {

class KeyWalk {
 public:
  /// Returns whether the walk continues.
  using Visit = std::function<bool(std::string_view key)>;

  /// Visits the keys that begin with `prefix` and sort after `after`. Both must outlive the walk.
  /// The walk fails when `call` is cancelled.
  KeyWalk(sdk::Call call, std::string_view prefix, std::string_view after)
      : call_(call), prefix_(prefix), after_(after) {}

  /// Visits the keys. Throws sdk::Failure.
  void run(const Directory& bucket, const Visit& visit);
  /// For `visit` to call: skips all further keys that begin with `prefix`.
  void skip(std::string_view prefix) { skipped_ = prefix; }

 private:
  bool visit_directory(const Directory& directory, std::string path, const Visit& visit);
  bool visit_entry(const Directory& directory, const std::string& name, const std::string& path,
                   const Visit& visit);
  std::vector<std::string> sorted_names(const Directory& directory, const std::string& path) const;
  bool has_keys(std::string_view path) const;
  bool has_keys_below(std::string_view path) const;

  sdk::Call call_;
  std::string_view prefix_;
  std::string_view after_;
  std::string skipped_;  // empty: no key is skipped
};

}  // namespace tenon::builtin
