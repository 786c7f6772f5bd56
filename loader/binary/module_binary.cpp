// SPDX-License-Identifier: BSL-1.0
#include "binary/module_binary.hpp"

#include <array>
#include <utility>

#include "binary/elf.hpp"
#include "binary/pe.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

template <class File>
Result<std::unique_ptr<ModuleBinary>> open(ByteSource& source) {
  auto file = File::open(source);
  if (!file) return std::move(file).error();
  return std::unique_ptr<ModuleBinary>(std::make_unique<File>(std::move(*file)));
}

}  // namespace

Result<std::unique_ptr<ModuleBinary>> open_module_binary(ByteSource& source) {
  std::array<char, 2> magic;
  const bool is_pe = source.contains(0, sizeof magic) &&
                     source.read(0, magic, "the start of the file") && magic == pe::dos_magic;
  return is_pe ? open<PeFile>(source) : open<ElfFile>(source);
}

}}}  // namespace tenon::v0_1::detail
