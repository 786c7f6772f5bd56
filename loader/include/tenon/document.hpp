// SPDX-License-Identifier: BSL-1.0
//
// tenon/document.hpp: the document types of a program, and documents as they are stored:
//
//   {"type": "tenon.dev/record", "version": 2, "writer": "example.io/dpkg 2.0.0", "value": {...}}
//
// A document says what it is. Whatever its version, it is read as the one that is wanted, in
// memory; the next write stores it at the hub, the newest release of its type. A document may also
// be bare, only what stands under "value" here; then whoever reads it must know what it is.
#pragma once

#include <tenon/export.hpp>
#include <tenon/gen/conversion.hpp>
#include <tenon/gen/json.hpp>
#include <tenon/result.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon {

/// One version of a document type as the program was built with it. Its storage type is known to
/// generated code alone; what is handed around here lives in the arena of the conversion.
struct DocumentVersion {
  std::string_view label;  // eg: "2", "3preview1"
  std::string_view stage;  // "draft", "released", "deprecated" or "removed"
  /// nullptr: the document of `in` has the error.
  const void* (*read)(const DocumentVersion& version, Conversion& conversion,
                      const json::Reader& in);
  void (*write)(json::Writer& out, const void* stored);
  /// The size of its ABI struct in bytes, and the way from there and back; nullptr
  /// where the conversion has failed. A version that was removed has none of the three.
  std::size_t abi_size;
  const void* (*load)(Conversion& conversion, const void* raw);
  const void* (*save)(Conversion& conversion, const void* stored);
  /// The spec, for who reads it at run time; generated code needs none.
  const void* spec = nullptr;
};

/// How one version became another.
struct DocumentStep {
  std::string_view from;  // labels
  std::string_view to;
  std::string_view notes;  // for people
  bool by_hand;            // a hand-written step has a part in it
  /// eg: "adds operation", "removes created_at", "names summary doc", "payload by hand"
  std::span<const std::string_view> changes;
};

/// From each version to each other one.
struct DocumentConversion {
  std::string_view from;
  std::string_view to;
  /// Returns nullptr where the conversion has failed. nullptr itself: the program lacks `by_hand`.
  const void* (*convert)(const DocumentConversion& way, Conversion& conversion, const void* stored);
  /// The spec, for who reads it at run time; generated code needs none.
  const void* spec = nullptr;
  /// The hand-written step that is missing, eg: "RecordStep1To2"; empty: none.
  std::string_view by_hand = {};
};

struct TENON_API DocumentType {
  std::string_view id;                        // eg: "tenon.dev/record"
  std::string_view hub;                       // label of the version in which it is stored
  std::span<const DocumentVersion> versions;  // in their order, never empty
  std::span<const DocumentStep> steps;
  std::span<const DocumentConversion> conversions;

  /// The version of that label; nullptr where there is none.
  const DocumentVersion* find(std::string_view label) const noexcept;
};

/// Makes a type known to the process. Generated code does it before main.
class TENON_API DocumentTypeRegistration {
 public:
  explicit DocumentTypeRegistration(const DocumentType& type);
};

/// Makes these the types of the process, in the place of those that were registered: for programs
/// that read documents of another program. They live as long as the process. REQUIRED: no other
/// thread uses document types yet.
TENON_API void use_document_types(std::vector<const DocumentType*> types);

/// The types of the program, by id. From any thread, once main has begun.
TENON_API std::vector<const DocumentType*> document_types();
/// nullptr: the program was built without it.
TENON_API const DocumentType* find_document_type(std::string_view id);

/// How a document is to be read.
struct DocumentReading {
  /// What it is; where it is stored it may be left out, and must agree where it is not.
  std::string_view type{};
  std::string_view from{};
  /// The version that is wanted; empty: the hub.
  std::string_view to{};
  /// What the version does not know goes to the bag instead of being an error; a version from the
  /// future is read as the newest one.
  bool lenient = false;
};

/// A document in memory, in the arena of its conversion.
struct ReadDocument {
  const DocumentType* type;
  const DocumentVersion* version;  // the one that was wanted
  const void* stored;
  bool is_bare;
  std::string_view writer;  // who wrote it; empty where it does not say
};

/// Reads a document and brings it to the version that is wanted. The text and what the parser holds
/// must live as long as the result, unless the conversion copies. Errors: not-json, wrong-value
/// with the path in the document, unknown-type, unknown-version, version-too-new, type-differs,
/// version-differs, missing-type, missing-version, missing-conversion.
TENON_API Result<ReadDocument> read_document(Conversion& conversion, json::Parser& parser,
                                             std::string_view text, const DocumentReading& how);

/// Writes a document as it is stored; `writer` is the package that writes it, eg:
/// "example.io/dpkg 2.0.0".
TENON_API void write_document(json::Writer& out, const DocumentType& type,
                              const DocumentVersion& version, const void* stored,
                              std::string_view writer);

/// Converts one document after the other and keeps its memory from one to the next. Belongs to one
/// thread at a time.
class TENON_API DocumentConverter {
 public:
  DocumentConverter();
  ~DocumentConverter();
  DocumentConverter(DocumentConverter&&) noexcept;
  DocumentConverter& operator=(DocumentConverter&&) noexcept;

  /// The document at the version that is wanted, as JSON on one line, valid until the next call: a
  /// bare one as a bare one, another with `writer` as its writer, or with the one that it has where
  /// that is empty. Errors as of read_document.
  Result<std::string_view> convert(std::string_view text, const DocumentReading& how,
                                   std::string_view writer = {});

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace tenon
