// SPDX-License-Identifier: BSL-1.0
//
// Checks the tables that the dynamic loader walks without checks: symbols, their names,
// relocations.
#include <algorithm>
#include <bit>

#include "binary/elf.hpp"
#include "binary/elf_versions.hpp"
#include "platform/machine.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Larger tables are treated as an attack: libraries of a hundred megabytes stay far below.
constexpr std::uint64_t max_symbols = 1 << 20;
constexpr std::uint64_t max_strings_size = 32 << 20;
constexpr std::uint64_t max_relocations = 1 << 21;
// Far above the longest names that compilers generate.
constexpr std::size_t max_name_length = 65536;

constexpr std::uint32_t relative_relocation = platform::host_machine == 62    ? 8
                                              : platform::host_machine == 183 ? 1027
                                                                              : 3;
// R_X86_64_TPOFF64, R_AARCH64_TLS_TPREL64, R_RISCV_TLS_TPREL64.
constexpr std::uint32_t static_tls_relocation = platform::host_machine == 62    ? 18
                                                : platform::host_machine == 183 ? 1030
                                                                                : 11;

constexpr std::uint64_t word = sizeof(std::uint64_t);

}  // namespace

template <class T, class Visit>
Result<void> ElfFile::for_each(std::uint64_t address, std::uint64_t count, std::string_view what,
                               Visit visit) const {
  const auto start = file_offset(address, count * sizeof(T), what);
  if (!start) return start.error();
  std::array<T, 16384 / sizeof(T)> block;
  for (std::uint64_t done = 0; done < count;) {
    const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), count - done));
    const auto begin = *start + done * sizeof(T);
    if (auto read = source_->read(begin, std::as_writable_bytes(part), what); !read) return read;
    for (const T& element : part) {
      if (auto good = visit(element); !good) return good;
    }
    done += part.size();
  }
  return {};
}

Result<std::uint64_t> ElfFile::count_by_gnu_hash(std::uint64_t referenced) const {
  constexpr std::string_view what = "the hash table";
  elf::GnuHashHeader header;
  if (auto read = read_address(dynamic_.gnu_hash, header, what); !read) return read.error();
  if (std::max({header.bucket_count, header.first_symbol, header.bloom_count}) > max_symbols ||
      !std::has_single_bit(header.bloom_count)) {
    return broken("a hash table with impossible sizes");
  }
  const auto buckets = dynamic_.gnu_hash + sizeof header + header.bloom_count * word;
  const auto chains = buckets + std::uint64_t{header.bucket_count} * sizeof(std::uint32_t);
  std::uint64_t last = 0;
  auto walked = for_each<std::uint32_t>(buckets, header.bucket_count, what, [&](auto symbol) {
    last = std::max<std::uint64_t>(last, symbol);
    const bool hashed = symbol == 0 || symbol >= header.first_symbol;
    return hashed ? Result<void>() : broken("a hash table that names no symbol");
  });
  if (!walked) return std::move(walked).error();
  // A table without symbols does not limit their number: GNU ld gives a file that exports nothing
  // the same table, however many symbols it imports.
  if (last == 0) {
    const auto imported = dynamic_.hash == 0 ? referenced : 0;
    return std::max<std::uint64_t>(header.first_symbol, imported);
  }
  // The chain of the last bucket ends with the last symbol.
  std::array<std::uint32_t, 1024> block;
  while (last < max_symbols) {
    const auto begin = chains + (last - header.first_symbol) * sizeof(std::uint32_t);
    auto offset = file_offset(begin, sizeof(std::uint32_t), what);
    if (!offset) return std::move(offset).error();
    const auto* load = load_of(begin);
    const auto available = (load->file.begin + load->file.size - *offset) / sizeof(std::uint32_t);
    const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), available));
    auto read = source_->read(*offset, std::as_writable_bytes(part), what);
    if (!read) return std::move(read).error();
    for (const std::uint32_t link : part) {
      ++last;
      if ((link & 1) != 0) return last;
    }
  }
  return broken("a hash table without an end");
}

Result<std::uint64_t> ElfFile::symbol_count(std::uint64_t referenced) const {
  std::uint64_t count = 0;
  if (dynamic_.gnu_hash != 0) {
    const auto counted = count_by_gnu_hash(referenced);
    if (!counted) return counted.error();
    count = *counted;
  }
  if (dynamic_.hash != 0) {
    elf::HashHeader header;
    if (auto read = read_address(dynamic_.hash, header, "the hash table"); !read) {
      return std::move(read).error();
    }
    count = std::max<std::uint64_t>(count, header.chain_count);
  }
  if (count > max_symbols) return broken("more than a million symbols");
  if (referenced > count) return broken("a relocation for a symbol that does not exist");
  return count;
}

VersionTables ElfFile::version_tables(std::uint64_t symbols) const {
  return {.needs = dynamic_.version_needs,
          .definitions = dynamic_.version_definitions,
          .indices = dynamic_.versions,
          .symbols = symbols,
          .strings_size = dynamic_.strings_size};
}

ElfFile::Versions ElfFile::versions(const Symbols& symbols) const {
  if (symbols.all().empty()) return {};
  return read_versions(*this, version_tables(symbols.all().size()), symbols);
}

Result<ElfFile::Symbols> ElfFile::symbols() const {
  Symbols symbols;
  const auto relocations = check_relocations();
  if (!relocations) return relocations.error();
  const auto count = symbol_count(relocations->referenced);
  if (!count) return count.error();
  if (const auto flaw = find_version_flaw(*this, version_tables(*count)); !flaw.empty()) {
    return broken(flaw);
  }
  if (*count == 0) {
    symbols.static_tls_ = !relocations->static_tls.empty();
    return symbols;
  }
  if (dynamic_.strings_size > max_strings_size)
    return broken("a table of strings of more than 32 MiB");
  const auto strings = file_offset(dynamic_.strings, dynamic_.strings_size, "the table of strings");
  if (!strings) return strings.error();
  const auto offset = file_offset(dynamic_.symbols, *count * sizeof(elf::Symbol), "the symbols");
  if (!offset) return offset.error();

  symbols.offset_ = *offset;
  symbols.symbols_.resize(*count);
  symbols.strings_.resize(dynamic_.strings_size);
  auto read =
      source_->read(*offset, std::as_writable_bytes(std::span(symbols.symbols_)), "the symbols");
  if (!read) return std::move(read).error();
  read = source_->read(*strings, std::as_writable_bytes(std::span(symbols.strings_)),
                       "the table of strings");
  if (!read) return std::move(read).error();
  if (symbols.strings_.empty() || symbols.strings_.back() != '\0') {
    return broken("a table of strings without an end");
  }
  const bool named =
      std::all_of(symbols.symbols_.begin(), symbols.symbols_.end(),
                  [&](const auto& symbol) { return symbol.name < dynamic_.strings_size; });
  if (!named) return broken("a symbol's name outside of the strings");
  // Number 0 stands for the file itself. An undefined symbol is a variable of another library.
  symbols.static_tls_ = std::ranges::any_of(relocations->static_tls, [&](std::uint32_t number) {
    return number == 0 || symbols.symbols_[number].section != elf::section_undefined;
  });
  if (auto good = check_names(symbols); !good) return std::move(good).error();
  if (!marks_packed_relocations(symbols)) {
    return source_->problem("wrong-architecture",
                            "packed relocations without the version GLIBC_ABI_DT_RELR",
                            "that version, without which the dynamic loader refuses the file",
                            "link the plugin without --pack-dyn-relocs=relr, or with a linker that "
                            "adds the version");
  }
  return symbols;
}

/// Checks the lengths of names. The names of symbols and of their versions may overlap or be the
/// same, and readers copy each of them.
Result<void> ElfFile::check_names(const Symbols& symbols) const {
  std::size_t length = 0;
  for (const char c : symbols.strings_) {
    length = c != '\0' ? length + 1 : 0;
    if (length > max_name_length) return broken("a name of more than 64 KiB");
  }
  // Linkers store a name once, or as the end of another, and each symbol takes 24 bytes as well.
  std::uint64_t remaining = 4 * source_->size();
  const auto fits = [&remaining](std::string_view name) {
    const bool fit = name.size() <= remaining;
    remaining -= fit ? name.size() : 0;
    return fit;
  };
  const Versions all = versions(symbols);
  const auto version_of = [&all](std::size_t symbol) -> std::string_view {
    if (symbol >= all.numbers.size()) return {};
    if (const auto found = all.needed.find(all.numbers[symbol]); found != all.needed.end()) {
      return found->second.name;
    }
    const auto found = all.defined.find(all.numbers[symbol]);
    return found != all.defined.end() ? found->second : std::string_view();
  };
  bool good = std::all_of(all.needed.begin(), all.needed.end(), [&](const auto& one) {
    return fits(one.second.library) && fits(one.second.name);
  });
  good = good && std::all_of(all.defined.begin(), all.defined.end(),
                             [&](const auto& one) { return fits(one.second); });
  for (std::size_t i = 0; good && i < symbols.symbols_.size(); ++i) {
    good = fits(symbols.name(symbols.symbols_[i])) && fits(version_of(i));
  }
  return good ? Result<void>() : broken("names that are together four times as long as the file");
}

/// Returns false if the file has packed relocations without the version that glibc demands then.
bool ElfFile::marks_packed_relocations(const Symbols& symbols) const {
  if (dynamic_.packed_relocations.size == 0) return true;
  bool needs_glibc = false;
  const Versions all = versions(symbols);
  for (const auto& [number, version] : all.needed) {
    if (!version.library.starts_with("libc.so.")) continue;
    if (version.name == "GLIBC_ABI_DT_RELR") return true;
    needs_glibc = true;
  }
  return !needs_glibc;
}

Result<ElfFile::Relocations> ElfFile::check_relocations() const {
  Relocations found;
  std::uint64_t relative = dynamic_.relative;  // of the first table
  for (const Range& table : {dynamic_.relocations, dynamic_.plt_relocations}) {
    const auto count = table.size / sizeof(elf::Relocation);
    if (count == 0) continue;
    if (count > max_relocations) return broken("more than two million relocations");
    auto good = for_each<elf::Relocation>(
        table.begin, count, "the relocations", [&](const elf::Relocation& relocation) {
          // The dynamic loader asserts the type of relative relocations.
          if (relative > 0 && relocation.type != relative_relocation) {
            return Result<void>(broken("a wrong number of relative relocations"));
          }
          relative -= relative > 0 ? 1 : 0;
          if (relocation.symbol != 0) {
            found.referenced = std::max(found.referenced, std::uint64_t{relocation.symbol} + 1);
          }
          if (relocation.type == static_tls_relocation) {
            found.static_tls.push_back(relocation.symbol);
          }
          // Type 0 has no effect.
          return relocation.type != 0 ? check_relocation(relocation.address) : Result<void>();
        });
    if (!good) return std::move(good).error();
  }
  if (auto good = check_packed_relocations(); !good) return std::move(good).error();
  return found;
}

Result<std::vector<ElfFile::Pointer>> ElfFile::pointers() const {
  const auto symbols = this->symbols();  // checks the relocations
  if (!symbols) return symbols.error();
  std::vector<Pointer> pointers;
  const auto target_of = [&](const elf::Relocation& relocation) -> std::uint64_t {
    const auto addend = static_cast<std::uint64_t>(relocation.addend);
    if (relocation.symbol == 0) return addend;
    const elf::Symbol& symbol = symbols->all()[relocation.symbol];
    return symbol.section != elf::section_undefined ? symbol.address + addend : 1;
  };
  for (const Range& table : {dynamic_.relocations, dynamic_.plt_relocations}) {
    auto read = for_each<elf::Relocation>(
        table.begin, table.size / sizeof(elf::Relocation), "the relocations",
        [&](const elf::Relocation& relocation) {
          if (relocation.type != 0) {
            pointers.push_back({relocation.address, target_of(relocation)});
          }
          return Result<void>();
        });
    if (!read) return std::move(read).error();
  }
  std::ranges::stable_sort(pointers, {}, &Pointer::address);
  const auto end = std::unique(
      pointers.begin(), pointers.end(),
      [](const Pointer& one, const Pointer& other) { return one.address == other.address; });
  pointers.erase(end, pointers.end());
  return pointers;
}

Result<void> ElfFile::check_relocation(std::uint64_t address) const {
  const auto permissions = dynamic_.text_relocations ? elf::readable : elf::writable;
  return check({{address, word}, permissions, "the target of a relocation"});
}

/// An even entry is an address; the bits of an odd entry are a bitmap of the words that follow.
Result<void> ElfFile::check_packed_relocations() const {
  const auto count = dynamic_.packed_relocations.size / word;
  if (count == 0) return {};
  if (count > max_relocations) return broken("more than two million relocations");
  std::uint64_t next = 0;
  return for_each<std::uint64_t>(dynamic_.packed_relocations.begin, count, "the packed relocations",
                                 [&](std::uint64_t entry) -> Result<void> {
                                   constexpr unsigned bits = 63;
                                   if ((entry & 1) == 0) {
                                     next = entry + word;
                                     return check_relocation(entry);
                                   }
                                   const auto last = std::bit_width(entry >> 1);
                                   const auto first = next;
                                   next += bits * word;
                                   return last == 0 ? Result<void>()
                                                    : check_relocation(first + (last - 1) * word);
                                 });
}

}}}  // namespace tenon::v0_1::detail
