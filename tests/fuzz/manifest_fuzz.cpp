// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to all readers of a module file that run before it is loaded. Built with clang and
// -fsanitize=fuzzer, it searches for new inputs; in ordinary builds replay_test.cpp runs it over
// the inputs in corpus/manifest.
#include <cstdlib>
#include <string_view>

#include "binary/bundle.hpp"
#include "manifest/module_file.hpp"

namespace {

// An error must have a code and the path of the file.
template <class T>
void require_valid_error(const tenon::Result<T>& result) {
  if (!result && (result.error().code().empty() || result.error().where() != "fuzz")) std::abort();
}

// Prepares the copy that would be loaded. The run path of the file may lead to real libraries.
void make_copy(std::span<const std::byte> bytes) {
  auto bundle = tenon::detail::read_bundle({bytes.begin(), bytes.end()}, "fuzz");
  if (!bundle) return;
  tenon::detail::reload_of(*bundle, {});
  const auto names = tenon::detail::make_private(*bundle, 1);
  if (names && names->size() != bundle->size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span input(data, size);
  require_valid_error(tenon::detail::read_module_image(std::as_bytes(input), "fuzz"));
  require_valid_error(
      tenon::detail::parse_manifest({reinterpret_cast<const char*>(data), size}, "fuzz"));
  make_copy(std::as_bytes(input));
  return 0;
}
