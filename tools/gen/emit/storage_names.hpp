// SPDX-License-Identifier: BSL-1.0
//
// What the storage types of documents are called in C++.
#pragma once

#include "gen/model/model.hpp"

#include <string>
#include <vector>

namespace tenon::gen {

/// The stored form of a value, eg: "tenon::StoredList<tenon::RecordV2Storage>". An optional is
/// stored as what it holds.
std::string stored_form(const Type& type);

/// The storage type of what has this name in C++.
std::string storage_of(const std::string& cpp_name);

/// "tenon::RecordV2Storage", and the same inside of its namespace.
std::string storage_name(const DocumentVersion& version);
std::string local_storage_name(const DocumentVersion& version);

/// A document or a struct of one: what a storage type stands for.
struct StoredObject {
  std::string c_name;
  std::string doc;
  std::string storage;  // eg: "tenon::RecordV2ChangeStorage"
  const std::vector<Field>& fields;

  explicit StoredObject(const DocumentVersion& version);
  explicit StoredObject(const Struct& structure);

  /// Without namespace.
  std::string name() const;
};

/// The structs of a version, each behind those that it holds, then the document.
std::vector<StoredObject> stored_objects(const DocumentVersion& version);

/// The type of a field as an entry of the bag says it: without optional.
std::string bag_type(const Field& field);

/// A tenon::BagField: `{"payload", "2", "change"}`
std::string bag_field(const Field& field, const DocumentVersion& version);

/// "tenon/record_storage.hpp"
std::string storage_header(const Document& document);

}  // namespace tenon::gen
