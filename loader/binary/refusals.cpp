// SPDX-License-Identifier: BSL-1.0
#include "binary/refusals.hpp"

#include <bit>
#include <cstdint>

#include "platform/dynamic_loader.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

/// Returns the name of the highest level; empty if there is none.
std::string name_of(std::uint32_t levels) {
  const auto level = std::bit_width(levels);
  if (level == 0) return "";
  std::string name = "x86-64";
  if (level > 1) name.append("-v").append(std::to_string(level));
  return name;
}

Error refused(const BundleFile& file, std::string found, std::string needed, std::string_view fix) {
  return Error({.code = "load-failed",
                .where = file.path.string(),
                .found = std::move(found),
                .needed = std::move(needed),
                .fix = std::string(fix)});
}

Error executable_stack(const BundleFile& file) {
  return Error({.code = "executable-stack",
                .where = file.path.string(),
                .found = "a need for an executable stack",
                .needed = "none: glibc 2.41 and newer refuse such a file, and others make the "
                          "stacks of all threads executable",
                .fix = std::string(remedy_for_executable_stack)});
}

}  // namespace

std::vector<Error> refusals(const Bundle& bundle) {
  std::vector<Error> found;
  const std::uint32_t processor = platform::processor_levels();
  for (const BundleFile& file : bundle) {
    if (file.demands.no_dlopen) {
      found.push_back(refused(file, "a library that cannot be loaded by a running program",
                              "a library that dlopen accepts", remedy_for_no_dlopen));
    }
    if ((file.demands.processor & ~processor) != 0) {
      found.push_back(refused(file, "a build for processors of " + name_of(file.demands.processor),
                              "a build for this one, " + name_of(processor), remedy_for_processor));
    }
    if (file.demands.executable_stack) {
      const bool refuses = platform::refuses_executable_stacks();
      found.push_back(
          executable_stack(file).with_severity(refuses ? Severity::error : Severity::warning));
    }
  }
  return found;
}

std::string needed_processor(const Bundle& bundle) {
  std::uint32_t levels = 0;
  for (const BundleFile& file : bundle) levels |= file.demands.processor;
  return name_of(levels);
}

}}}  // namespace tenon::v0_1::detail
