// SPDX-License-Identifier: BSL-1.0
//
// The headers of the standard library that most sources include, compiled once. Sources include
// what they use all the same: clang-tidy and builds with -Db_pch=false do without this file.
// Optimised targets have no such file, because g++ then reports false positives in its own library.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>
