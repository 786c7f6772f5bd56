// SPDX-License-Identifier: BSL-1.0
#include "inspect/float_mode_changes.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>

#include "binary/byte_source.hpp"
#include "binary/elf.hpp"
#include "binary/function_at.hpp"
#include "platform/file.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

constexpr std::uint16_t x86_64 = 62;
constexpr std::uint16_t aarch64 = 183;

/// Returns whether code up to the first return contains `ldmxcsr` from memory. Instructions have
/// different lengths, so the bytes are searched: 0f ae begins few other instructions, and they have
/// other numbers in the middle bits of the third byte.
bool sets_modes_on_x86_64(std::span<const std::byte> code) {
  constexpr std::byte ret{0xc3};
  for (std::size_t i = 0; i + 2 < code.size() && code[i] != ret; ++i) {
    const auto operand = std::to_integer<unsigned>(code[i + 2]);
    const bool in_memory = operand >> 6 != 3;
    // With AVX, c5 f8 ae.
    const bool begins = (code[i] == std::byte{0x0f} && code[i + 1] == std::byte{0xae}) ||
                        (code[i] == std::byte{0xf8} && code[i + 1] == std::byte{0xae});
    if (begins && in_memory && (operand >> 3 & 7) == 2) return true;
  }
  return false;
}

/// Returns whether code up to the first return contains `msr fpcr, REGISTER`.
bool sets_modes_on_aarch64(std::span<const std::byte> code) {
  constexpr std::uint32_t ret = 0xd65f03c0;
  constexpr std::uint32_t set_fpcr = 0xd51b4400;
  std::uint32_t instruction = 0;
  for (; code.size() >= sizeof instruction; code = code.subspan(sizeof instruction)) {
    std::memcpy(&instruction, code.data(), sizeof instruction);
    if (instruction == ret) return false;
    if ((instruction & ~std::uint32_t{0x1f}) == set_fpcr) return true;
  }
  return false;
}

bool sets_modes(std::span<const std::byte> code) {
  if constexpr (platform::host_machine == x86_64) return sets_modes_on_x86_64(code);
  if constexpr (platform::host_machine == aarch64) return sets_modes_on_aarch64(code);
  return false;
}

/// Returns a text such as "set_fast_math", or "the constructor at 0x1040" in a stripped file.
std::string name_of(ByteSource& source, std::uint64_t address) {
  const std::string name = function_at(source, address);
  if (name.empty()) return "the constructor at " + hexadecimal(address);
  return name.substr(0, name.rfind('+'));
}

}  // namespace

std::vector<Error> float_mode_changes(const std::filesystem::path& library) {
  std::vector<Error> changes;
  const auto file = platform::File::open(library);
  if (!file) return changes;
  FileSource source(*file);
  const auto elf = ElfFile::open(source);
  if (!elf) return changes;
  const auto constructors = elf->constructors();
  if (!constructors) return changes;
  for (const ElfFile::Constructor& constructor : *constructors) {
    if (!sets_modes(constructor.code)) continue;
    changes.push_back(Error(
        {.code = "changes-float-modes",
         .where = library.string(),
         .found = name_of(source, constructor.address) +
                  ", which changes the floating-point modes of the thread that loads the file",
         .needed = "none: with these modes, tiny numbers become 0 (hosts restore the modes)",
         .fix = "link it without -Ofast, -ffast-math and -funsafe-math-optimizations",
         .severity = Severity::warning}));
  }
  return changes;
}

}}}  // namespace tenon::v0_1::detail
