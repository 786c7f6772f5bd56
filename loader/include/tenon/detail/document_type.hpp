// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/document_type.hpp: the description of a document type for the library. The generator
// writes one DocumentType for each type of a program and registers it.
#pragma once

#include <tenon/detail/conversion.hpp>
#include <tenon/detail/export.hpp>
#include <tenon/detail/json.hpp>

#include <cstddef>
#include <span>
#include <string_view>

namespace tenon { inline namespace v0_1 {

/// One version of a document type. `stored` is its storage type, which only generated code knows,
/// in the arena of the conversion.
struct DocumentVersion {
  std::string_view label;  // eg: "2", "3preview1"
  std::string_view stage;  // "draft", "released", "deprecated" or "removed"
  /// Reads JSON. Returns nullptr if that fails; the document of `in` then has the error.
  const void* (*read)(const DocumentVersion& version, Conversion& conversion,
                      const json::Reader& in);
  void (*write)(json::Writer& out, const void* stored);
  /// The size of its ABI struct in bytes.
  std::size_t abi_size;
  /// Convert from and to the ABI struct. Return nullptr if the conversion has failed. A removed
  /// version has neither and no size.
  const void* (*load)(Conversion& conversion, const void* raw);
  const void* (*save)(Conversion& conversion, const void* stored);
  /// The spec, for programs that interpret specs; nullptr in generated code.
  const void* spec = nullptr;
};

/// The step from one version to the next.
struct DocumentStep {
  std::string_view from;  // labels
  std::string_view to;
  std::string_view notes;  // for people
  bool by_hand;            // whether a hand-written step takes part
  /// eg: "adds operation", "removes created_at", "names summary doc", "payload by hand"
  std::span<const std::string_view> changes;
};

/// The conversion between two versions. A type has one for each pair.
struct DocumentConversion {
  std::string_view from;  // labels
  std::string_view to;
  /// Converts `stored`. Returns nullptr if the conversion has failed. nullptr if the program lacks
  /// the hand-written step `by_hand`.
  const void* (*convert)(const DocumentConversion& way, Conversion& conversion, const void* stored);
  /// The spec, for programs that interpret specs; nullptr in generated code.
  const void* spec = nullptr;
  /// The hand-written step that is missing, eg: "RecordStep1To2"; empty if none.
  std::string_view by_hand = {};
};

/// A document type as the program was built with it.
struct TENON_API DocumentType {
  std::string_view id;                        // eg: "tenon.dev/record"
  std::string_view hub;                       // label of the version in which it is stored
  std::span<const DocumentVersion> versions;  // ascending, never empty
  std::span<const DocumentStep> steps;
  std::span<const DocumentConversion> conversions;

  /// Returns the version with this label; nullptr if there is none.
  const DocumentVersion* find(std::string_view label) const noexcept;
};

/// Registers a type with the process until this object is destroyed. Generated code does it when
/// the program or library with the type is loaded. Of several types with one id, the one that was
/// registered first is used. Thread-safe.
class TENON_API DocumentTypeRegistration {
 public:
  explicit DocumentTypeRegistration(const DocumentType& type);
  ~DocumentTypeRegistration();
  DocumentTypeRegistration(const DocumentTypeRegistration&) = delete;
  DocumentTypeRegistration& operator=(const DocumentTypeRegistration&) = delete;

 private:
  const DocumentType* type_;
};

}}  // namespace tenon::v0_1
