// SPDX-License-Identifier: BSL-1.0
//
// Names what somebody put into a plugin folder that is no module.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace tenon {

/// Says what kind of file begins with these bytes, eg: "a script (#!/bin/sh)".
std::string describe_format(std::span<const std::byte> start);

}  // namespace tenon
