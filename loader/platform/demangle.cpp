// SPDX-License-Identifier: BSL-1.0
#include "platform/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tenon { inline namespace v0_1 { namespace platform {

std::string demangled(const std::string& name) {
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr), std::free);
  return text != nullptr ? text.get() : name;
}

}}}  // namespace tenon::v0_1::platform
