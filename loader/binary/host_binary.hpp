// SPDX-License-Identifier: BSL-1.0
//
// The format of the modules that this system loads.
#pragma once

#include <type_traits>

#include "binary/elf.hpp"
#include "binary/pe.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

using HostBinary = std::conditional_t<platform::loads_dlls, PeFile, ElfFile>;

}}}  // namespace tenon::v0_1::detail
