// SPDX-License-Identifier: BSL-1.0
//
// The headers of the standard library that most sources include, compiled once. Sources include
// what they use all the same, for builds with -Db_pch=false: tests/sources/includes.py checks this.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
