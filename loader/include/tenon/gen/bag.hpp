// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/bag.hpp: the property bag of a document. It holds the fields of one version that
// another version cannot name. A conversion back restores them, so nothing is lost.
//
// In JSON a bag is an object; in the C struct the field `bag` holds its text:
//   {"payload.before@2": {"type": "bytes", "value": "aGk="}}
// The key is the name of the field and, after the last '@', the version of the document type that
// has it. A program that does not know an entry preserves it.
#pragma once

#include <tenon/abi.h>
#include <tenon/export.hpp>
#include <tenon/gen/json.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace tenon {

class Conversion;

/// One value in a bag. All of it lives as long as the results of the conversion. What this process
/// put in is JSON only once somebody wants the text.
struct BagEntry {
  std::string_view name;         // eg: "payload.before"
  std::string_view version;      // that had it, eg: "2", "3preview1"
  std::string_view type;         // there, as the spec writes it; "json": nobody knew it
  std::string_view value;        // as JSON text, unless it is stored
  const void* stored = nullptr;  // the value in its form, and how that is written
  void (*write)(json::Writer& out, const void* stored) = nullptr;
};

/// The bag of one document, or of one struct in it. Small, copied by value; never changed in place,
/// so a copy stays as it is.
class TENON_API Bag {
 public:
  bool empty() const noexcept { return count_ == 0; }
  /// In the order of names, then versions.
  std::span<const BagEntry> entries() const noexcept { return {entries_, count_}; }

  /// The entry of that name from one of the versions; nullptr: there is none.
  const BagEntry* find(std::string_view name,
                       std::span<const std::string_view> versions) const noexcept;
  /// The entry of that name that a lenient reader kept, from any version; nullptr: there is none.
  const BagEntry* find_unknown(std::string_view name) const noexcept;
  /// Puts an entry in, in the place of one of the same name and version. Does nothing where the
  /// conversion keeps nothing.
  void put(Conversion& conversion, const BagEntry& entry) { put(conversion, {&entry, 1}); }
  /// The same for many, in time that is nearly linear; of two with one key the last one stays.
  void put(Conversion& conversion, std::span<const BagEntry> entries);
  /// Takes an entry out. REQUIRED: `find` answered it.
  void remove(Conversion& conversion, const BagEntry& entry);

  /// Reads the text of the ABI. False: it is no bag; then the conversion has failed.
  bool read(Conversion& conversion, const tenon_bytes& text);
  /// Reads a bag in a document. False: then the reader has failed.
  bool read(Conversion& conversion, const json::Reader& in);
  /// Writes the object.
  void write(json::Writer& out) const;
  /// The text of the ABI, in the arena; absent where the bag is empty.
  tenon_bytes text(Conversion& conversion) const;

 private:
  const BagEntry* entries_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tenon
