// SPDX-License-Identifier: BSL-1.0
//
// The content of the spec files, and the only input of emitters. If `load_specs` reports no
// diagnostics, its Model is fully checked: all names are known, all changes are explained, and all
// values have the right type.
//
// Objects keep their addresses as long as the Model lives. Raw pointers between them do not own.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gen/common.hpp"

namespace tenon::gen {

struct DocumentVersion;
struct Enum;
struct Kind;
struct Document;
struct Struct;

// -- Types of fields ----------------------------------------------------------

enum class Shape {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  string,
  bytes,
  buffer,
  duration,
  timestamp,
  json,
  reader,
  writer,
  list,         // of element
  map,          // of string to element
  optional,     // element or nothing
  enumeration,  // an enum of the same file
  structure,    // a struct of the same file
  document,     // a document type, at one version
};

/// The type of a field: a tree whose inner nodes are lists, maps and optionals. The checks reject
/// types that C or C++ cannot express: optional inside optional, list or map; buffer, reader and
/// writer except directly in a request or response (reader and writer also as optional there);
/// list<uint8>, which is bytes; recursive types.
struct Type {
  Shape shape = Shape::boolean;
  std::shared_ptr<const Type> element{};      // list, map and optional
  const Enum* enumeration = nullptr;          // enumeration
  const Struct* structure = nullptr;          // structure
  const DocumentVersion* document = nullptr;  // document
};

/// Returns the type in the syntax of specs, with the domain of document types:
/// "list<tenon.dev/record@2>".
std::string to_text(const Type& type);

/// Returns the element of an optional; any other type itself.
const Type& without_optional(const Type& type) noexcept;

/// Returns the innermost element of lists, maps and optionals; a type without an element itself.
const Type& innermost(const Type& type) noexcept;

/// Whether the type is a reader or writer, or an optional one.
bool is_stream(const Type& type) noexcept;

/// Returns whether values of a type contain text, bytes, lists or maps.
bool points_to_data(const Type& type) noexcept;

/// How a value of one type becomes a value of another.
enum class TypeMatch {
  identical,    // same layout in C: copied unchanged
  convertible,  // differs only in versions of document types, which are converted one by one
  different,    // needs a hand-written step
};

/// Compares types of two versions of a kind or document type. Enums are identical if their values
/// are, structs if their fields are; their names do not matter.
TypeMatch match_types(const Type& from, const Type& to);

/// Whether values of both types have the same stored form, optional or not, so that a value in the
/// bag may become a field again. Enums have it if their names are equal, structs if their names and
/// fields are, documents if their versions are.
bool same_shape(const Type& a, const Type& b);

// -- Parts of a spec file -----------------------------------------------------

struct Field {
  std::string name;
  Type type{};
  std::string doc{};
  /// The date on which the field was added to a released version ("2027-01-31"), otherwise empty.
  /// Such a field is optional, comes after all others, and is absent in older binaries.
  std::string added{};
  SourceLocation location{};
};

/// In C an int32_t; the values count from 0.
struct Enum {
  std::string name;
  std::string c_name{};    // eg: "tenon_record_v2_operation"
  std::string cpp_name{};  // eg: "tenon::RecordV2Operation"
  std::string doc{};
  std::vector<std::string> values{};  // may be keywords of C or C++, such as `delete`
  SourceLocation location{};
};

/// A struct that is embedded by value and therefore never grows.
struct Struct {
  std::string name;
  std::string c_name{};    // eg: "tenon_destination_v2_ack"
  std::string cpp_name{};  // eg: "tenon::DestinationV2Ack"
  std::string doc{};
  std::vector<Field> fields{};  // never empty
  /// Of a document type: in C and C++ a member `bag` follows the fields, as in documents.
  bool bag = false;
  SourceLocation location{};
};

enum class Threading { any, serial, main };

struct Method {
  std::string name;
  std::string doc;
  Threading threading = Threading::any;
  bool configures =
      false;              // has the role `configure`: request is {config: map<string>}, no response
  bool required = false;  // the slot must not be NULL
  std::string blocks{};   // how a blocking call is interrupted, eg: "cancel"; empty: does not block
  /// The states in which it may be called (none: all), and the state after it succeeds (empty:
  /// unchanged). The first state of an instance is "created".
  std::optional<std::vector<std::string>> from{};
  std::string to{};
  std::vector<Field> request{};   // in the order of the C struct
  std::vector<Field> response{};  // the same; empty: the method has no response
  SourceLocation location{};
};

/// A property that a plugin may have in its manifest, where a host reads it without loading.
struct Property {
  std::string name;
  Type type{};  // bool, a number, string, a document or a map of documents
  std::string doc{};
};

struct Life {
  enum class Stage {
    draft,
    released,
    deprecated,
    removed,  // of document types: documents can still be read, but not used
  };
  Stage stage = Stage::draft;
  std::string version{};  // unless draft: the package version of the release, eg: "0.1.0"
  std::string date{};     // unless draft: eg: "2026-11-21"
  std::string message{};  // of deprecated: the replacement; of removed: the reason
};

// -- Kinds and document types -------------------------------------------------

/// The common part of a version of a kind and a version of a document type.
struct Version {
  int number = 0;
  int preview = 0;      // of a document type: number of the preview, from 1; otherwise 0
  std::string label{};  // both numbers, as in names and documents, eg: "3", "3preview1"
  std::string doc{};
  Life life{};
  std::string spec{};    // its file, relative to the given directory, eg: "kinds/source/v2.json"
  std::string c_name{};  // eg: "tenon_source_v2"
  std::string header{};  // its C header: "tenon/source/v2.h"; not written if removed
  std::uint64_t fingerprint = 0;
  std::vector<std::unique_ptr<Enum>> enums{};
  std::vector<std::unique_ptr<Struct>> structs{};   // each after those that it contains
  std::vector<const DocumentVersion*> documents{};  // used ones, unique, sorted by header
  SourceLocation location{};                        // of its number

  bool draft() const noexcept { return life.stage == Life::Stage::draft; }
  bool removed() const noexcept { return life.stage == Life::Stage::removed; }
  bool is_preview() const noexcept { return preview != 0; }
};

/// The domain of the standard kinds and document types.
inline constexpr std::string_view standard_domain = "tenon.dev";

/// The common part of a kind and a document type.
struct Family {
  std::string id;         // eg: "photo.example/filter"
  std::string domain;     // eg: "photo.example"
  std::string space;      // first label of the domain, as a C++ namespace, eg: "photo"
  std::string name;       // eg: "filter"
  bool standard = false;  // from the installed specs of tenon; its C headers are installed too
};

struct KindVersion : Version {
  const Kind* kind = nullptr;
  std::vector<Property> properties{};
  std::vector<Method> methods{};  // in the order of the vtable

  /// Returns nullptr if there is none.
  const Method* find(std::string_view method) const noexcept;
  /// Returns the method with the role `configure`; nullptr if there is none.
  const Method* configure() const noexcept;
};

/// The source of one field of a struct that an adapter fills.
struct FieldFill {
  const Field* target;
  const Field* source;  // the counterpart in the other version; nullptr: `value` is used
  TypeMatch match;      // from source to target: same or converted
  JsonValue value{};    // fits the type of target
};

/// How one method of the newer version of a step is implemented on the older one.
struct MethodStep {
  enum class Action {
    forward,          // calls `older`
    fixed,            // returns the values of `response`
    registered_name,  // returns the name of the plugin, in the only field of the response
    unimplemented,    // returns this status, with `message`
    hook,             // calls a hand-written step
  };
  const Method* method = nullptr;  // of the newer version
  const Method* older = nullptr;   // its counterpart, possibly renamed; nullptr: added
  std::size_t back = 1;            // distance of the versions of `method` and `older`
  Action action = Action::forward;
  /// forward: each field of the older request, in its order. Other fields of the newer request are
  /// dropped.
  std::vector<FieldFill> request{};
  /// forward and fixed: each field of the newer response, in its order. Other fields of the older
  /// response are dropped.
  std::vector<FieldFill> response{};
  /// unimplemented. Empty: a default message.
  std::string message{};

  /// forward: whether request and response, with all nested types, have the same layout in C in
  /// both versions, so that the caller's structs can be passed on unchanged.
  bool same_layout() const noexcept;
};

/// The changes from one version of a kind to the next.
struct KindStep {
  const KindVersion* from = nullptr;
  const KindVersion* to = nullptr;
  std::string notes{};
  bool adaptable = true;
  std::string reason{};               // why it is not adaptable
  std::vector<MethodStep> methods{};  // one per method of `to`, in its order; none if not adaptable
  std::vector<const Method*> removed{};  // methods of `from` that `to` does not have
  /// Methods that `from` does not have, but an older version has: how they are implemented on
  /// plugins of that version and of older ones.
  std::vector<MethodStep> reintroduced{};

  bool has_hooks() const noexcept;
};

struct Kind : Family {
  bool session = false;                                  // restart mode: session or overlap
  std::vector<std::unique_ptr<KindVersion>> versions{};  // ascending without gaps, never empty
  std::vector<KindStep> steps{};  // steps[i] leads from versions[i] to versions[i + 1]

  const KindVersion& latest() const noexcept { return *versions.back(); }
};

struct DocumentVersion : Version {
  const Document* document = nullptr;
  std::vector<Field> fields{};  // in C followed by `tenon_bytes bag`
};

/// The versions of a document type from which a value in the bag may become a field: those where
/// the field has the same name and the same shape, optional or not. Its struct may be renamed or
/// split; if the parts have different fields of the name, that version is not one of them. For a
/// field that a hand-written step sets, only its own version.
struct Origins {
  std::vector<std::string> versions{};  // labels
  bool exact = false;                   // other versions have a different field of this name
};

/// The change of one field between two versions of a document type or of one of its structs.
struct FieldStep {
  const Field* older =
      nullptr;  // nullptr: added; on the way back the newer value is stored in the bag
  const Field* newer = nullptr;  // nullptr: removed; the older value is stored in the bag
  bool hook = false;             // the hand-written step sets it, in both directions
  bool widened = false;          // newer values that the older type lacks are stored in the bag
  Origins older_origins{};       // empty if `older` is nullptr
  Origins newer_origins{};
};

/// A struct that two neighbouring versions have, possibly renamed. Several structs of the newer
/// version may come from one of the older version.
struct StructStep {
  const Struct* older = nullptr;
  const Struct* newer = nullptr;
  bool split = false;               // other newer structs come from `older` too
  std::vector<FieldStep> fields{};  // each field of `newer` in its order, then those removed
};

/// A renamed value of an enum.
struct RenamedValue {
  std::string older;
  std::string newer;
};

/// An enum that two neighbouring versions have, possibly renamed. Several enums of the newer
/// version may come from one of the older version. Values are the same if they have the same name
/// or were renamed.
struct EnumStep {
  const Enum* older = nullptr;
  const Enum* newer = nullptr;
  bool split = false;  // as for a struct
  std::vector<RenamedValue> renamed{};
};

/// The changes between two neighbouring versions of a document type, for both directions.
struct DocumentStep {
  const DocumentVersion* from = nullptr;
  const DocumentVersion* to = nullptr;
  std::string notes{};
  bool hook = false;                  // a hand-written step runs after the generated part
  std::vector<FieldStep> fields{};    // each field of `to` in its order, then those removed
  std::vector<StructStep> structs{};  // in the order of `to`, so each after those that it contains
  std::vector<EnumStep> enums{};      // in the order of `to`
};

/// The versions form a tree of neighbours. Releases and drafts are a chain. Previews of a number
/// are a branch that starts at the newest release below that number; if there is none, all versions
/// are one chain.
struct Document : Family {
  /// Ascending: 1, 2, 3preview1, 3preview2, 3. Never empty.
  std::vector<std::unique_ptr<DocumentVersion>> versions{};
  std::vector<DocumentStep> steps{};  // steps[i] leads from its neighbour to versions[i + 1]

  /// Returns the newest version that is neither removed nor a preview; if there is none, the newest
  /// preview; otherwise the newest removed version.
  const DocumentVersion& latest() const noexcept;
  /// Returns the version in which documents are stored: the release with the highest number, a
  /// removed one only if there is no other; if nothing was released, the newest version.
  const DocumentVersion& hub() const noexcept;
  /// Returns the step to `version` from its neighbour; nullptr for the first version.
  const DocumentStep* step_to(const DocumentVersion& version) const noexcept;
  /// Returns the versions from one to another, both included. Consecutive versions are the `from`
  /// and `to` of a step, in either order.
  std::vector<const DocumentVersion*> path(const DocumentVersion& from,
                                           const DocumentVersion& to) const;
};

struct Model {
  std::vector<std::unique_ptr<Kind>> kinds{};          // sorted by id
  std::vector<std::unique_ptr<Document>> documents{};  // sorted by id
  /// The spec files and the directories above them, for the depfile; sorted.
  std::vector<std::string> inputs{};
  /// The spec files and the lists of released versions, without those of the standard specs: their
  /// paths by the path relative to the directory that was given.
  std::map<std::string, std::string> sources{};
};

}  // namespace tenon::gen
