// SPDX-License-Identifier: BSL-1.0
//
// What would keep an image in the process: its flags, and a walk over all symbols that other images
// see or that it needs of them.
#include "manifest/elf.hpp"

#include <algorithm>
#include <cstddef>

namespace tenon {
namespace {

struct Import {
  std::string_view begin;  // of the symbol's name
  bool whole;              // and all of it
  std::string_view shown;
};
constexpr Import thread_exits[] = {
    {"__cxa_thread_atexit", true, "__cxa_thread_atexit"},
    {"__cxa_thread_atexit_impl", true, "__cxa_thread_atexit_impl"},
};
constexpr Import thread_starts[] = {
    {"pthread_create", true, "pthread_create"},
    {"thrd_create", true, "thrd_create"},
    {"_ZNSt6thread15_M_start_thread", false, "std::thread"},
};
constexpr Import sanitizers[] = {
    {"__asan_init", true, "__asan_init"},
    {"__hwasan_init", true, "__hwasan_init"},
    {"__msan_init", true, "__msan_init"},
    {"__tsan_init", true, "__tsan_init"},
};

template <std::size_t count>
std::string_view find(const Import (&imports)[count], std::string_view name) {
  for (const Import& import : imports) {
    if (import.whole ? name == import.begin : name.starts_with(import.begin)) return import.shown;
  }
  return {};
}

}  // namespace

template <class T, class Visit>
Result<void> ElfFile::for_each(std::uint64_t address, std::uint64_t count, std::string_view what,
                               Visit visit) const {
  // Counts have 32 bits and elements few bytes.
  const auto place = place_of(address, count * sizeof(T), what);
  if (!place) return place.error();
  std::array<T, 2048 / sizeof(T)> block;
  for (std::uint64_t done = 0; done < count;) {
    const auto part = std::span(block).first(std::min<std::uint64_t>(block.size(), count - done));
    const auto begin = *place + done * sizeof(T);
    if (auto read = source_->read(begin, std::as_writable_bytes(part), what); !read) return read;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (auto good = visit(part[i], begin + i * sizeof(T)); !good) return good;
    }
    done += part.size();
  }
  return {};
}

Result<std::uint64_t> ElfFile::count_by_gnu_hash() const {
  constexpr std::string_view what = "the hash table";
  elf::GnuHashHeader header;
  if (auto read = read_address(dynamic_.gnu_hash, header, what); !read) return read.error();
  const auto buckets =
      dynamic_.gnu_hash + sizeof header + std::uint64_t{header.bloom_count} * sizeof(std::uint64_t);
  const auto chains = buckets + std::uint64_t{header.bucket_count} * sizeof(std::uint32_t);
  std::uint32_t last = 0;
  auto walked = for_each<std::uint32_t>(buckets, header.bucket_count, what,
                                        [&](std::uint32_t symbol, std::uint64_t) -> Result<void> {
                                          last = std::max(last, symbol);
                                          return {};
                                        });
  if (!walked) return std::move(walked).error();
  if (last < header.first_symbol) return header.first_symbol;
  // The chain of the last bucket ends with the last symbol.
  for (std::uint64_t symbol = last;; ++symbol) {
    const auto link_at = chains + (symbol - header.first_symbol) * sizeof(std::uint32_t);
    if (auto place = place_of(link_at, sizeof(std::uint32_t), what); !place) return place.error();
    std::uint32_t link = 0;
    if (auto read = read_address(link_at, link, what); !read) return std::move(read).error();
    if ((link & 1) != 0) return symbol + 1;
  }
}

Result<std::uint64_t> ElfFile::symbol_count() const {
  std::uint64_t count = 0;
  if (dynamic_.gnu_hash != 0) {
    const auto counted = count_by_gnu_hash();
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
  return count;
}

Result<ElfFile::Pins> ElfFile::pins() const {
  Pins pins;
  pins.nodelete = (dynamic_.flags & elf::flag_1_nodelete) != 0;
  if (dynamic_.symbols == 0 || dynamic_.strings == 0) return pins;
  const auto count = symbol_count();
  if (!count) return count.error();
  auto walked = for_each<elf::Symbol>(
      dynamic_.symbols, *count, "the symbols",
      [&](const elf::Symbol& symbol, std::uint64_t place) -> Result<void> {
        if (symbol.binding() == elf::binding_unique) {
          pins.unique.push_back(place + offsetof(elf::Symbol, info));
        }
        const bool import = symbol.section == elf::section_undefined && symbol.name != 0;
        return import ? add_import(symbol, pins) : Result<void>();
      });
  if (!walked) return std::move(walked).error();
  return pins;
}

Result<void> ElfFile::add_import(const elf::Symbol& symbol, Pins& pins) const {
  const std::uint64_t name = symbol.name;
  // Long enough for each name that is looked for; the text may end before that.
  std::array<char, 32> text;
  if (name >= dynamic_.strings_size) return broken("a symbol's name outside of the strings");
  const auto part =
      std::span(text).first(std::min<std::uint64_t>(text.size(), dynamic_.strings_size - name));
  auto read =
      read_address(dynamic_.strings + name, std::as_writable_bytes(part), "the name of a symbol");
  if (!read) return read;
  const std::string_view begin(part.data(),
                               std::find(part.begin(), part.end(), '\0') - part.begin());
  if (pins.thread_exit.empty()) pins.thread_exit = find(thread_exits, begin);
  if (pins.threads.empty()) pins.threads = find(thread_starts, begin);
  // A weak one asks whether the runtime is there.
  if (pins.sanitizer.empty() && symbol.binding() == elf::binding_global) {
    pins.sanitizer = find(sanitizers, begin);
  }
  return {};
}

}  // namespace tenon
