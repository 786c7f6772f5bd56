// SPDX-License-Identifier: BSL-1.0
//
// The headers that take clang-tidy most of its time, compiled once for all sources. They are all
// system headers: clang-tidy does not check declarations that are in this file.
#include <CLI/CLI.hpp>
#include <boost/json.hpp>

#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <regex>
#include <sstream>
#include <system_error>

#include "../../loader/base/pch/standard.hpp"
#include "../pch/test.hpp"
