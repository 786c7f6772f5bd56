// SPDX-License-Identifier: BSL-1.0
#include "inspect/float_mode_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
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

/// Returns how often code sets the modes by `ldmxcsr` from memory before it first returns or jumps.
/// Instructions have different lengths, so the bytes are searched: 0f ae begins few others, and
/// they have other numbers in the middle bits of the third byte. An operand that looks like a jump
/// ends the search early.
std::size_t changes_on_x86_64(std::span<const std::byte> code) {
  constexpr std::byte ends[] = {std::byte{0xc3}, std::byte{0xe9}, std::byte{0xeb}};
  std::size_t changes = 0;
  for (std::size_t i = 0; i + 2 < code.size(); ++i) {
    if (std::ranges::find(ends, code[i]) != std::end(ends)) break;
    const auto operand = std::to_integer<unsigned>(code[i + 2]);
    const bool in_memory = operand >> 6 != 3;
    // With AVX, c5 f8 ae.
    const bool begins = (code[i] == std::byte{0x0f} || code[i] == std::byte{0xf8}) &&
                        code[i + 1] == std::byte{0xae};
    if (begins && in_memory && (operand >> 3 & 7) == 2) ++changes;
  }
  return changes;
}

/// Returns how often code sets the modes by `msr fpcr, REGISTER` before it first returns or jumps.
std::size_t changes_on_aarch64(std::span<const std::byte> code) {
  constexpr std::uint32_t ret = 0xd65f03c0;
  constexpr std::uint32_t jump = 0x14000000;
  constexpr std::uint32_t set_fpcr = 0xd51b4400;
  std::size_t changes = 0;
  std::uint32_t instruction = 0;
  for (; code.size() >= sizeof instruction; code = code.subspan(sizeof instruction)) {
    std::memcpy(&instruction, code.data(), sizeof instruction);
    if (instruction == ret || (instruction & 0xfc000000) == jump) break;
    if ((instruction & ~std::uint32_t{0x1f}) == set_fpcr) ++changes;
  }
  return changes;
}

/// A function that sets the modes twice restores them.
bool leaves_changed(std::span<const std::byte> code) {
  if (platform::host_machine == x86_64) return changes_on_x86_64(code) == 1;
  if (platform::host_machine == aarch64) return changes_on_aarch64(code) == 1;
  return false;
}

/// The function that -Ofast adds.
constexpr std::string_view fast_math = "set_fast_math";

/// Returns the name of a constructor; empty if the file is stripped.
std::string name_of(ByteSource& source, std::uint64_t address) {
  const std::string name = function_at(source, address);
  return name.substr(0, name.rfind('+'));
}

Error change(const std::filesystem::path& library, const std::string& name, std::uint64_t address) {
  const bool own = !name.empty() && name != fast_math;
  return Error(
      {.code = "changes-float-modes",
       .where = library.string(),
       .found = (name.empty() ? "the constructor at " + hexadecimal(address) : name) +
                ", which changes the floating-point modes of the thread that loads the file",
       .needed = "none: with other modes, tiny numbers may become 0 (hosts restore the modes)",
       .fix = own ? "let it restore the modes"
                  : "link it without -Ofast, -ffast-math and -funsafe-math-optimizations",
       .severity = Severity::warning});
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
    if (!leaves_changed(constructor.code)) continue;
    const std::string name = name_of(source, constructor.address);
    changes.push_back(change(library, name, constructor.address));
  }
  return changes;
}

}}}  // namespace tenon::v0_1::detail
