// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/bag.hpp: the property bag of a document. It holds the fields of one version that
// another version cannot name. A conversion back restores them, so nothing is lost.
//
// In JSON a bag is an object; in the C struct the field `bag` holds its text:
//   {"payload.before@2": {"type": "bytes", "value": "aGk="}}
// The key is the name of the field and, after the last '@', the version of the document type that
// has it. A program that does not know an entry preserves it.
#pragma once

#include <tenon/abi.h>
#include <tenon/detail/export.hpp>
#include <tenon/detail/json.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace tenon { inline namespace v0_1 {

class Conversion;

/// One value in a bag, valid as long as the results of the conversion. A value that this process
/// put in becomes JSON only when its text is needed.
struct BagEntry {
  std::string_view name;         // eg: "payload.before"
  std::string_view version;      // eg: "2", "3preview1"
  std::string_view type;         // as the spec of that version writes it; "json" if unknown
  std::string_view value;        // as JSON text, unless `stored`
  const void* stored = nullptr;  // the value in its form, and how to write it
  void (*write)(json::Writer& out, const void* stored) = nullptr;
};

/// The bag of one document, or of one struct in it. Small, copied by value. Entries are never
/// changed in place, so a copy does not change.
class TENON_API Bag {
 public:
  bool empty() const noexcept { return count_ == 0; }
  /// Returns the entries, sorted by name, then version.
  std::span<const BagEntry> entries() const noexcept { return {entries_, count_}; }

  /// Returns the entry with this name and one of the versions; nullptr if there is none.
  const BagEntry* find(std::string_view name,
                       std::span<const std::string_view> versions) const noexcept;
  /// Returns the entry with this name that a lenient reader kept, of any version; nullptr if there
  /// is none.
  const BagEntry* find_unknown(std::string_view name) const noexcept;
  /// Adds an entry, or replaces the one with the same name and version. Does nothing if the
  /// conversion keeps nothing.
  void put(Conversion& conversion, const BagEntry& entry) { put(conversion, {&entry, 1}); }
  /// Adds many entries in nearly linear time. Of two with the same key, the last one is kept.
  void put(Conversion& conversion, std::span<const BagEntry> entries);
  /// Removes an entry. REQUIRED: it was returned by `find`.
  void remove(Conversion& conversion, const BagEntry& entry);

  /// Reads the text in an ABI struct. If it returns false, it is not a bag, and the conversion has
  /// failed.
  bool read(Conversion& conversion, const tenon_bytes& text);
  /// Reads a bag in a document. If it returns false, the parser of `in` has the error.
  bool read(Conversion& conversion, const json::Reader& in);
  /// Writes the bag as a JSON object.
  void write(json::Writer& out) const;
  /// Sets `text` to the text for an ABI struct, in the arena; absent if the bag is empty. Returns
  /// false, with the error in the conversion, if a value is not JSON or has too many levels.
  bool text(Conversion& conversion, tenon_bytes& text) const;

 private:
  const BagEntry* entries_ = nullptr;
  std::size_t count_ = 0;
};

}}  // namespace tenon::v0_1
