// SPDX-License-Identifier: BSL-1.0
//
// tenon/document.hpp: the document types of a program, and documents as they are stored:
//
//   {"type": "tenon.dev/record", "version": 2, "writer": "example.io/dpkg 2.0.0", "value": {...}}
//
// A stored document names its type and version. It is converted to the wanted version in memory
// when it is read, and the next write stores it at the hub, the newest released version of its
// type. A bare document is the content of "value" alone; the reader must know its type and version.
#pragma once

#include <tenon/detail/conversion.hpp>
#include <tenon/detail/document_type.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/json.hpp>
#include <tenon/result.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tenon { inline namespace v0_1 {

/// Returns the types of the program, sorted by id. Thread-safe once main has begun.
TENON_API std::vector<const DocumentType*> document_types();
/// Returns the type with this id; nullptr if the program was built without it.
TENON_API const DocumentType* find_document_type(std::string_view id);

/// Options for reading a document.
struct DocumentReadOptions {
  /// The type and version of the document. Needed for a bare document; otherwise they must agree
  /// with the document if they are set.
  std::string_view type{};
  std::string_view from{};
  /// The wanted version; empty: the hub.
  std::string_view to{};
  /// If true, unknown fields go to the bag instead of being an error, and a version that is newer
  /// than those of the program is read as the newest of them.
  bool lenient = false;
};

/// A document in memory, in the arena of its conversion.
struct ReadDocument {
  const DocumentType* type;
  const DocumentVersion* version;  // the wanted one
  const void* stored;
  bool is_bare;
  std::string_view writer;  // the package that wrote it; empty if the document does not say
};

/// Reads a document and converts it to the wanted version. `text` and the memory of `parser` must
/// live as long as the result, unless the conversion copies. Errors: not-json, wrong-value
/// with the path in the document, unknown-type, unknown-version, version-too-new, type-differs,
/// version-differs, missing-type, missing-version, missing-conversion.
TENON_API Result<ReadDocument> read_document(Conversion& conversion, json::Parser& parser,
                                             std::string_view text, const DocumentReadOptions& how);

/// Writes a document in the stored form. `writer` is the package that writes it, eg:
/// "example.io/dpkg 2.0.0".
TENON_API void write_document(json::Writer& out, const DocumentType& type,
                              const DocumentVersion& version, const void* stored,
                              std::string_view writer);

/// Converts documents one after the other and reuses its memory. Belongs to one thread at a time.
class TENON_API DocumentConverter {
 public:
  DocumentConverter();
  ~DocumentConverter();
  DocumentConverter(DocumentConverter&&) noexcept;
  DocumentConverter& operator=(DocumentConverter&&) noexcept;

  /// Returns the document at the wanted version as JSON on one line, valid until the next call. A
  /// bare document stays bare. Any other gets `writer` as its writer, or keeps its own if that is
  /// empty.
  /// Errors: those of read_document.
  Result<std::string_view> convert(std::string_view text, const DocumentReadOptions& how,
                                   std::string_view writer = {});

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}}  // namespace tenon::v0_1
