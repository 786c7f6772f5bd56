// SPDX-License-Identifier: BSL-1.0
#include <algorithm>
#include <utility>

#include "binary/elf.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Real libraries have at most a few thousand.
constexpr std::uint64_t max_constructors = 65536;
// Enough for a function that only sets modes.
constexpr std::uint64_t code_size = 64;

}  // namespace

Result<std::vector<ElfFile::Constructor>> ElfFile::constructors() const {
  const std::uint64_t count = dynamic_.constructors.size / sizeof(std::uint64_t);
  std::vector<Constructor> constructors;
  if (count == 0) return constructors;
  const auto pointers = this->pointers();
  if (!pointers) return pointers.error();
  for (std::uint64_t i = 0; i < std::min(count, max_constructors); ++i) {
    const std::uint64_t entry = dynamic_.constructors.begin + i * sizeof(std::uint64_t);
    const auto pointer = std::ranges::lower_bound(*pointers, entry, {}, &Pointer::address);
    Constructor constructor;
    if (pointer != pointers->end() && pointer->address == entry) {
      constructor.address = pointer->target;
    } else if (auto read = read_address(entry, constructor.address, "a constructor"); !read) {
      return std::move(read).error();
    }
    const Load* const load = load_of(constructor.address);
    if (load == nullptr) continue;
    constructor.code.resize(
        std::min(load->memory.begin + load->memory.size - constructor.address, code_size));
    auto read = read_memory(constructor.address, constructor.code, "the code of a constructor");
    if (!read) return std::move(read).error();
    constructors.push_back(std::move(constructor));
  }
  return constructors;
}

}}}  // namespace tenon::v0_1::detail
