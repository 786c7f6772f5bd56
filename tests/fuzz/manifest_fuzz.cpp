// SPDX-License-Identifier: BSL-1.0
//
// Feeds bytes to everything that reads a module's file before it is loaded. Built with clang and
// -fsanitize=fuzzer it looks for inputs of its own; in ordinary builds replay_test.cpp runs it over
// the inputs in corpus/manifest.
#include "binary/bundle.hpp"
#include "manifest/module_file.hpp"

#include <cstdlib>
#include <string_view>

namespace {

// Whatever the bytes are, an error names itself and what it is about.
template <class T>
void require_answer(const tenon::Result<T>& result) {
  if (!result && (result.error().code().empty() || result.error().where() != "fuzz")) std::abort();
}

// What is loaded of a file that can be read. Its run path may lead to real libraries.
void make_copy(std::span<const std::byte> bytes) {
  auto bundle = tenon::read_bundle({bytes.begin(), bytes.end()}, "fuzz");
  if (!bundle) return;
  tenon::reload_of(*bundle, false);
  const auto names = tenon::make_private(*bundle, 1);
  if (names && names->size() != bundle->size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span input(data, size);
  require_answer(tenon::read_module_image(std::as_bytes(input), "fuzz"));
  require_answer(tenon::parse_manifest({reinterpret_cast<const char*>(data), size}, "fuzz"));
  make_copy(std::as_bytes(input));
  return 0;
}
