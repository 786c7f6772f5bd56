// SPDX-License-Identifier: BSL-1.0
//
// The tables that the loader of Windows walks: exports, imports, thread callbacks, relocations.
#include <algorithm>
#include <utility>

#include "binary/pe.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

// Libraries have one or two.
constexpr std::size_t max_callbacks = 1024;
// Larger tables are treated as an attack.
constexpr std::size_t max_relocations = 1 << 21;
// Names of imports are together at most so many times as long as the file.
constexpr std::uint64_t max_repetition = 4;

}  // namespace

// -- Exports --

Result<std::optional<pe::Exports>> PeFile::exports() const {
  const auto address = directory(pe::exports).address;
  if (address == 0) return std::nullopt;
  pe::Exports table;
  auto read = read_address(address, table, "the table of exports");
  if (!read) return std::move(read).error();
  return table;
}

/// Searches like GetProcAddress: names are sorted.
Result<std::optional<ModuleBinary::Object>> PeFile::find_object(std::string_view name) const {
  const auto table = exports();
  if (!table) return table.error();
  if (!*table) return std::nullopt;
  std::uint64_t begin = 0;
  for (std::uint64_t end = (*table)->name_count; begin < end;) {
    const auto middle = begin + (end - begin) / 2;
    std::uint32_t address = 0;
    const auto at = (*table)->names + middle * sizeof address;
    auto read = read_address(at, address, "the names of exports");
    if (!read) return std::move(read).error();
    const auto found = text_at(address, "the name of an export");
    if (!found) return found.error();
    if (*found == name) {
      std::uint16_t number = 0;
      read = read_address((*table)->numbers + middle * sizeof number, number,
                          "the numbers of exports");
      if (!read) return std::move(read).error();
      if (number >= (*table)->function_count) return broken("an export that has no address");
      read = read_address((*table)->functions + number * sizeof address, address,
                          "the addresses of exports");
      if (!read) return std::move(read).error();
      auto object = object_at(address, name);
      if (!object) return std::move(object).error();
      return *object;
    }
    (*found < name ? begin : end) = *found < name ? middle + 1 : middle;
  }
  return std::nullopt;
}

Error PeFile::not_exported(std::string_view name) const {
  return not_exported_but("no exported object " + std::string(name));
}

Error PeFile::not_exported_but(std::string_view found) const {
  return source_->problem("no-module-object", found,
                          "the object that the manifest belongs to, in this file",
                          "export the object from the library that declares it with TENON_MODULE "
                          "or TENON_PLUGIN");
}

Result<ModuleBinary::Object> PeFile::object_at(std::uint32_t address, std::string_view name) const {
  // The text "LIBRARY.NAME" there, in the place of an object, forwards to another library.
  const pe::Directory& table = directory(pe::exports);
  if (address - table.address < table.size) {
    const auto target = text_at(address, "the target of an export");
    if (!target) return target.error();
    return not_exported_but(std::string(name) + " is forwarded to " + *target);
  }
  const Part* part = part_of(address);
  if (part == nullptr) return broken("an export outside of the sections");
  return Object{.address = address, .available = part->memory.begin + part->memory.size - address};
}

Result<void> PeFile::check_exports() const {
  const auto table = exports();
  if (!table) return table.error();
  if (!*table) return {};
  const pe::Exports& found = **table;
  const auto check_array = [this](std::uint64_t address, std::uint64_t size,
                                  std::string_view what) {
    return size != 0 ? check({address, size}, what) : Result<void>();
  };
  auto good = check_array(found.functions, std::uint64_t{found.function_count} * 4,
                          "the addresses of exports");
  if (good) {
    good = check_array(found.names, std::uint64_t{found.name_count} * 4, "the names of exports");
  }
  if (good) {
    good =
        check_array(found.numbers, std::uint64_t{found.name_count} * 2, "the numbers of exports");
  }
  return good;
}

// -- Imports --

class PeFile::ImportReader {
 public:
  explicit ImportReader(const PeFile& file)
      : file_(file), left_(max_repetition * file.source_->size()) {}

  Result<std::vector<Import>> read() && {
    auto done = read_table<pe::Imports>(pe::imports, [this](const pe::Imports& entry) {
      if (entry.names == 0 && entry.time != 0) {
        return Result<void>(file_.broken("bound imports without their names"));
      }
      return add(entry.library, entry.names != 0 ? entry.names : entry.addresses, false);
    });
    if (!done) return std::move(done).error();
    done = read_table<pe::DelayedImports>(
        pe::delayed_imports, [this](const pe::DelayedImports& entry) {
          if ((entry.flags & pe::delayed_by_address) == 0) {
            return Result<void>(file_.broken("delayed imports in the format of 1998"));
          }
          return add(entry.library, entry.names, true);
        });
    if (!done) return std::move(done).error();
    return std::move(imports_);
  }

 private:
  template <class Entry, class Add>
  Result<void> read_table(pe::DirectoryIndex index, Add add_entry) {
    const std::uint64_t begin = file_.directory(index).address;
    if (begin == 0) return {};
    for (std::uint64_t at = begin;; at += sizeof(Entry)) {
      Entry entry;
      if (auto read = file_.read_address(at, entry, "the table of imports"); !read) return read;
      if (entry.library == 0 || entry.addresses == 0) return {};
      if (auto good = take(sizeof entry); !good) return good;
      if (auto added = add_entry(entry); !added) return added;
    }
  }

  Result<void> add(std::uint64_t library, std::uint64_t names, bool delayed) {
    auto name = text_at(library, "the name of a library");
    if (!name) return std::move(name).error();
    const Part& part = *file_.part_of(library);
    const std::uint64_t at_in_part = library - part.memory.begin;
    if (at_in_part + name->size() >= part.file.size) {
      return file_.broken("the name of a library after the end of its section in the file");
    }
    Import import{std::move(*name), part.file.begin + at_in_part, {}, delayed};
    const std::uint64_t size = file_.word_size();
    const std::uint64_t by_number = std::uint64_t{1} << (size * 8 - 1);
    for (std::uint64_t at = names;; at += size) {
      const auto word = file_.word_at(at, "the names of imports");
      if (!word) return word.error();
      if (*word == 0) break;
      if (auto good = take(size); !good) return good;
      if ((*word & by_number) != 0) {
        import.functions.push_back("#" + std::to_string(static_cast<std::uint16_t>(*word)));
        continue;
      }
      constexpr std::uint64_t hint = 2;  // bytes before the name
      auto function = text_at(*word + hint, "the name of an import");
      if (!function) return std::move(function).error();
      import.functions.push_back(std::move(*function));
    }
    imports_.push_back(std::move(import));
    return {};
  }

  Result<std::string> text_at(std::uint64_t address, std::string_view what) {
    auto text = file_.text_at(address, what);
    if (!text) return text;
    if (auto good = take(text->size() + 1); !good) return std::move(good).error();
    return text;
  }

  Result<void> take(std::uint64_t bytes) {
    if (bytes > left_) return file_.broken("imports that are together longer than the file");
    left_ -= bytes;
    return {};
  }

  const PeFile& file_;
  std::uint64_t left_;
  std::vector<Import> imports_;
};

Result<std::vector<PeFile::Import>> PeFile::imports() const {
  return ImportReader(*this).read();
}

// -- Thread callbacks and relocations --

Result<std::vector<std::uint64_t>> PeFile::thread_callbacks() const {
  constexpr std::string_view what = "the thread callbacks";
  std::vector<std::uint64_t> callbacks;
  const std::uint64_t address = directory(pe::thread_local_storage).address;
  if (address == 0) return callbacks;
  const auto table = word_at(address + 3 * word_size(), "the thread-local storage");
  if (!table) return table.error();
  if (*table == 0) return callbacks;
  for (std::uint64_t at = *table - base_; callbacks.size() < max_callbacks; at += word_size()) {
    const auto callback = word_at(at, what);
    if (!callback) return callback.error();
    if (*callback == 0) return callbacks;
    const Part* part = part_of(*callback - base_);
    if (part == nullptr || (part->flags & pe::executable) == 0) {
      return broken("a thread callback outside of the code");
    }
    callbacks.push_back(*callback - base_);
  }
  return broken("more than 1024 thread callbacks");
}

Result<std::vector<ModuleBinary::Pointer>> PeFile::pointers() const {
  constexpr std::string_view what = "the relocations";
  std::vector<Pointer> pointers;
  const pe::Directory& table = directory(pe::relocations);
  if (table.address == 0) return pointers;
  const unsigned absolute = is_64_ ? pe::relocation_64 : pe::relocation_32;
  const std::uint64_t end = std::uint64_t{table.address} + table.size;
  for (std::uint64_t at = table.address; end - at >= sizeof(pe::RelocationBlock);) {
    pe::RelocationBlock block;
    if (auto read = read_address(at, block, what); !read) return std::move(read).error();
    if (block.size < sizeof block || block.size > end - at) {
      return broken("a block of relocations with a wrong size");
    }
    const auto next = at + block.size;
    for (at += sizeof block; next - at >= sizeof(std::uint16_t); at += sizeof(std::uint16_t)) {
      std::uint16_t entry = 0;
      if (auto read = read_address(at, entry, what); !read) return std::move(read).error();
      constexpr unsigned offset_bits = 12;
      if (entry >> offset_bits != absolute) continue;
      const std::uint64_t address = std::uint64_t{block.address} + (entry & 0xfffU);
      const auto target = word_at(address, "a relocated pointer");
      if (!target) return target.error();
      if (pointers.size() == max_relocations) return broken("more than 2097152 relocations");
      pointers.push_back({address, *target - base_});
    }
    at = next;
  }
  std::ranges::sort(pointers, {}, &Pointer::address);
  const auto is_same = [](const Pointer& a, const Pointer& b) { return a.address == b.address; };
  pointers.erase(std::unique(pointers.begin(), pointers.end(), is_same), pointers.end());
  return pointers;
}

Result<void> PeFile::check_tables() const {
  auto good = check_exports();
  if (!good) return good;
  if (const auto callbacks = thread_callbacks(); !callbacks) return callbacks.error();
  const auto found = pointers();
  return found ? Result<void>() : found.error();
}

}}}  // namespace tenon::v0_1::detail
