// SPDX-License-Identifier: BSL-1.0
//
// Reads the constructors of the input as a module file, and looks up the name of a function in it.
// The first eight bytes are the address.
#include <algorithm>
#include <cstring>
#include <span>

#include "binary/byte_source.hpp"
#include "binary/elf.hpp"
#include "binary/function_at.hpp"
#include "fuzz/fuzzing.hpp"

namespace {

using namespace tenon;
using namespace tenon::detail;

/// Counts the bytes that are read, which must be at most a small multiple of the file size.
class CountingSource final : public ByteSource {
 public:
  explicit CountingSource(std::span<const std::byte> bytes)
      : ByteSource("fuzz", bytes.size()), bytes_(bytes) {}
  std::uint64_t read_bytes = 0;

 private:
  Result<void> copy(std::uint64_t offset, std::span<std::byte> into, std::string_view) override {
    read_bytes += into.size();
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
    return {};
  }
  std::span<const std::byte> bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t address = 0;
  if (size < sizeof address) return 0;
  std::memcpy(&address, data, sizeof address);
  const auto file = std::as_bytes(std::span(data, size)).subspan(sizeof address);
  // The functions whose names inspection looks up.
  MemorySource module("fuzz", file);
  if (const auto elf = ElfFile::open(module)) static_cast<void>(elf->constructors());
  CountingSource source(file);
  const std::string name = function_at(source, address);
  fuzzing::require(source.read_bytes <= 3 * size + (std::size_t{1} << 17));
  fuzzing::require(name.size() < (std::size_t{1} << 23));
  if (name.empty()) return 0;
  // The offset in the function follows the last '+'.
  const auto plus = name.rfind("+0x");
  fuzzing::require(plus != std::string::npos);
  const auto distance = std::stoull(name.substr(plus + 1), nullptr, 16);
  fuzzing::require(hexadecimal(distance) == name.substr(plus + 1));
  // A function must also be found at the start address.
  MemorySource again("fuzz", file);
  fuzzing::require(!function_at(again, address - distance).empty());
  return 0;
}
