// SPDX-License-Identifier: BSL-1.0
//
// GoogleTest, and the headers of the standard library that most tests include. The largest targets
// compile them once, as in loader/base/pch/standard.hpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
