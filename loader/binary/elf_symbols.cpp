// SPDX-License-Identifier: BSL-1.0
//
// Finds an exported object through the hash tables that the dynamic loader uses.
#include "binary/elf.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// A chain contains the symbols of one bucket, about four. A longer one is treated as an attack.
constexpr unsigned max_chain_length = 65536;

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    const auto high = hash & 0xf0000000;
    hash = (hash ^ high >> 24) & ~high;
  }
  return hash;
}

}  // namespace

template <class T>
Result<void> ElfFile::read_element(std::uint64_t address, std::uint64_t index, T& into,
                                   std::string_view what) const {
  // Indices have 32 bits and elements few bytes: only the sum can overflow.
  const auto element = address + index * sizeof(T);
  if (element < address) return broken(std::string(what).append(" past the end of all memory"));
  return read_address(element, into, what);
}

Result<std::optional<ElfFile::Object>> ElfFile::find_object(std::string_view name) const {
  if (dynamic_.symbols == 0 || dynamic_.strings == 0) return std::nullopt;
  if (dynamic_.gnu_hash != 0) return find_by_gnu_hash(name);
  if (dynamic_.hash != 0) return find_by_hash(name);
  return std::nullopt;
}

Error ElfFile::not_exported(std::string_view name) const {
  return source_->problem("no-module-object", "no exported object " + std::string(name),
                          "the object that the manifest belongs to, a symbol of type OBJECT",
                          "give the symbol that type, and do not hide it by a version script or by "
                          "-fvisibility");
}

Result<std::optional<ElfFile::Object>> ElfFile::find_by_gnu_hash(std::string_view name) const {
  constexpr std::string_view what = "the hash table";
  const auto word = sizeof(std::uint32_t);
  elf::GnuHashHeader header;
  if (auto read = read_address(dynamic_.gnu_hash, header, what); !read) return read.error();
  if (header.bucket_count == 0) return std::nullopt;

  const auto buckets =
      dynamic_.gnu_hash + sizeof header + header.bloom_count * sizeof(std::uint64_t);
  const auto chains = buckets + header.bucket_count * word;
  const auto hash = gnu_hash_of(name);

  std::uint32_t symbol = 0;
  if (auto read = read_element(buckets, hash % header.bucket_count, symbol, what); !read) {
    return read.error();
  }
  if (symbol == 0) return std::nullopt;
  if (symbol < header.first_symbol) return broken("a hash table that names no symbol");

  for (unsigned length = 0; length < max_chain_length; ++length, ++symbol) {
    std::uint32_t link = 0;
    if (auto read = read_element(chains, symbol - header.first_symbol, link, what); !read) {
      return read.error();
    }
    if ((link | 1) == (hash | 1)) {
      auto object = object_at(symbol, name);
      if (!object || *object) return object;
    }
    if ((link & 1) != 0) return std::nullopt;
  }
  return broken("a hash table without an end");
}

Result<std::optional<ElfFile::Object>> ElfFile::find_by_hash(std::string_view name) const {
  constexpr std::string_view what = "the hash table";
  elf::HashHeader header;
  if (auto read = read_address(dynamic_.hash, header, what); !read) return read.error();
  if (header.bucket_count == 0) return std::nullopt;

  const auto buckets = dynamic_.hash + sizeof header;
  const auto chains = buckets + header.bucket_count * sizeof(std::uint32_t);

  std::uint32_t symbol = 0;
  if (auto read = read_element(buckets, hash_of(name) % header.bucket_count, symbol, what); !read) {
    return read.error();
  }
  for (unsigned length = 0; length < max_chain_length; ++length) {
    if (symbol == 0) return std::nullopt;
    if (symbol >= header.chain_count) return broken("a hash table that names no symbol");
    auto object = object_at(symbol, name);
    if (!object || *object) return object;
    if (auto read = read_element(chains, symbol, symbol, what); !read) return read.error();
  }
  return broken("a hash table without an end");
}

Result<std::optional<ElfFile::Object>> ElfFile::object_at(std::uint32_t index,
                                                          std::string_view name) const {
  elf::Symbol symbol;
  if (auto read = read_element(dynamic_.symbols, index, symbol, "a symbol"); !read) {
    return read.error();
  }
  const bool exported =
      symbol.binding() == elf::binding_global || symbol.binding() == elf::binding_weak;
  const bool defined =
      symbol.section != elf::section_undefined && symbol.section < elf::section_first_reserved;
  if (!exported || !defined || symbol.kind() != elf::kind_object) return std::nullopt;

  // The name and its terminator have to fit into the table of strings.
  if (symbol.name > dynamic_.strings_size || dynamic_.strings_size - symbol.name <= name.size()) {
    return std::nullopt;
  }
  std::string found(name.size() + 1, '\0');
  const auto bytes = std::as_writable_bytes(std::span(found));
  auto read = read_memory(dynamic_.strings + symbol.name, bytes, "a symbol's name");
  if (!read) return std::move(read).error();
  if (found.back() != '\0' || !found.starts_with(name)) return std::nullopt;

  const auto* load = load_of(symbol.address);
  if (load == nullptr) return broken("a symbol outside of the segments");
  const auto available = load->memory.begin + load->memory.size - symbol.address;
  return Object{.address = symbol.address, .available = available};
}

}}}  // namespace tenon::v0_1::detail
