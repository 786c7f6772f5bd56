// SPDX-License-Identifier: BSL-1.0
//
// The C++ names of storage types of documents.
#pragma once

#include <string>
#include <vector>

#include "gen/model/model.hpp"

namespace tenon::gen {

/// Returns the stored form of a type, eg: "tenon::StoredList<tenon::RecordV2Storage>". An optional
/// has the stored form of its element.
std::string stored_form(const Type& type);

/// Returns the storage type of the thing with this C++ name.
std::string storage_of(const std::string& cpp_name);

/// Returns "tenon::RecordV2Storage", and the same without namespace.
std::string storage_name(const DocumentVersion& version);
std::string local_storage_name(const DocumentVersion& version);

/// A document or struct that has a storage type.
struct StoredObject {
  std::string c_name;
  std::string doc;
  std::string storage;  // eg: "tenon::RecordV2ChangeStorage"
  const std::vector<Field>& fields;

  explicit StoredObject(const DocumentVersion& version);
  explicit StoredObject(const Struct& structure);

  /// Returns the storage type without namespace.
  std::string name() const;
};

/// Returns the structs of a version, each after those that it contains, then the document.
std::vector<StoredObject> stored_objects(const DocumentVersion& version);

/// Returns the type of a field in an entry of the bag: without optional.
std::string bag_type(const Field& field);

/// Returns a tenon::BagField: `{"payload", "2", "change"}`
std::string bag_field(const Field& field, const DocumentVersion& version);

/// Returns "tenon/record_storage.hpp".
std::string storage_header(const Document& document);

}  // namespace tenon::gen
