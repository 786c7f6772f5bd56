// SPDX-License-Identifier: BSL-1.0
#include "binary/sanitizers.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "platform/image_map.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

struct Sanitizer {
  std::string_view name;
  std::string_view option;     // of compilers
  const char* entry;           // imported by every file that was built with it
  std::string_view gcc, llvm;  // prefixes of the names of its libraries
};
constexpr Sanitizer sanitizers[] = {
    {"AddressSanitizer", "address", "__asan_init", "libasan.so", "libclang_rt.asan"},
    {"HWAddressSanitizer", "hwaddress", "__hwasan_init", "libhwasan.so", "libclang_rt.hwasan"},
    {"MemorySanitizer", "memory", "__msan_init", "libmsan.so", "libclang_rt.msan"},
    {"ThreadSanitizer", "thread", "__tsan_init", "libtsan.so", "libclang_rt.tsan"},
};

/// Returns the library or symbol by which a file needs the runtime; empty if it does not.
std::string find_need(const Sanitizer& sanitizer, const BundleFile& file) {
  const auto library =
      std::find_if(file.needed.begin(), file.needed.end(), [&](const Needed& needed) {
        return needed.name.text.starts_with(sanitizer.gcc) ||
               needed.name.text.starts_with(sanitizer.llvm);
      });
  if (library != file.needed.end()) return library->name.text;
  return file.blockers.sanitizer == sanitizer.entry ? file.blockers.sanitizer : std::string();
}

}  // namespace

Result<void> check_sanitizers(const Bundle& bundle) {
  for (const BundleFile& file : bundle) {
    for (const Sanitizer& sanitizer : sanitizers) {
      const std::string need = find_need(sanitizer, file);
      if (need.empty() || platform::has_global_symbol(sanitizer.entry)) continue;
      const std::string name(sanitizer.name);
      return Error({.code = "sanitizer-mismatch",
                    .where = file.path.string(),
                    .found = "a build for " + name + " (it needs " + need + ")",
                    .needed = "a host that was built for " + name,
                    .fix = "build the module without -fsanitize=" + std::string(sanitizer.option) +
                           ", or the host with it"});
    }
  }
  return {};
}

}}}  // namespace tenon::v0_1::detail
