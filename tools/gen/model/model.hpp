// SPDX-License-Identifier: BSL-1.0
//
// What the spec files say, read and checked: all that emitters know. A Model that `load_specs`
// answers has been checked as a whole, so an emitter meets no name that is unknown, no evolution
// that is left open and no value of the wrong type.
//
// Objects stay where they are as long as the Model lives; pointers between them never own.
#pragma once

#include "gen/model/reading.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
  map,          // of text to element
  optional,     // element or nothing
  enumeration,  // an enum of the same file
  structure,    // a struct of the same file
  document,     // a document type, at one version
};

/// The type of a field: a tree whose inner nodes are lists, maps and optionals. The checks leave
/// only what C and C++ can both say: no optional inside optional, list or map; buffer, reader and
/// writer only directly in a request or response (reader and writer also as optional there); no
/// list<uint8>, which is bytes; no type that holds itself.
struct Type {
  Shape shape = Shape::boolean;
  std::shared_ptr<const Type> element{};      // list, map and optional
  const Enum* enumeration = nullptr;          // enumeration
  const Struct* structure = nullptr;          // structure
  const DocumentVersion* document = nullptr;  // document
};

/// The type as spec files write it, document types with their domain: "list<tenon.dev/record@2>".
std::string to_text(const Type& type);

/// What an optional holds; any other type itself.
const Type& without_optional(const Type& type) noexcept;

/// What lists, maps and optionals hold in the end; a type without an element itself.
const Type& innermost(const Type& type) noexcept;

/// Whether it is a reader or writer, or an optional one.
bool is_stream(const Type& type) noexcept;

/// How a value of one type becomes one of another.
enum class Passing {
  same,       // both have the same form in C: it is copied as it stands
  converted,  // the same but for versions of document types, converted one by one
  different,  // not without a hand-written step
};

/// Between types of two versions of a kind or document type. Enums and structs are the same when
/// their values or fields are, under whatever name.
Passing passing(const Type& from, const Type& to);

/// Whether values of both are written alike, be they optional or not: what another version of the
/// same document type wrote of a field may come back. Enums are the same when their names are,
/// structs when their names and fields are, documents in one version.
bool same_shape(const Type& a, const Type& b);

// -- Parts of a spec file -----------------------------------------------------

struct Field {
  std::string name;
  Type type{};
  std::string doc{};
  /// The day on which the field joined a released version ("2027-01-31"), else empty. Such a field
  /// is optional, behind all others, and absent for who was built before.
  std::string added{};
  Place place{};
};

/// In C an int32_t that counts from 0 in the order of the values.
struct Enum {
  std::string name;
  std::string c_name{};    // eg: "tenon_record_v2_operation"
  std::string cpp_name{};  // eg: "tenon::RecordV2Operation"
  std::string doc{};
  std::vector<std::string> values{};  // may be keywords of C or C++, such as `delete`
  Place place{};
};

/// Embedded by value, never grows.
struct Struct {
  std::string name;
  std::string c_name{};    // eg: "tenon_destination_v2_ack"
  std::string cpp_name{};  // eg: "tenon::DestinationV2Ack"
  std::string doc{};
  std::vector<Field> fields{};  // never empty
  /// Of a document type: in C and C++ a member `bag` stands behind the fields, as in documents.
  bool bag = false;
  Place place{};
};

enum class Threading { any, serial, main };

struct Method {
  std::string name;
  std::string doc;
  Threading threading = Threading::any;
  bool configures =
      false;              // has the role `configure`: request is {config: map<string>}, no response
  bool required = false;  // the slot may not be NULL
  std::string
      blocks{};  // how a call that blocks is interrupted, eg: "cancel"; empty: does not block
  /// States in which it may be called, and the state it leads to. Without `from`: in any state;
  /// `to` empty: the state stays. Every instance begins as "created".
  std::optional<std::vector<std::string>> from{};
  std::string to{};
  std::vector<Field> request{};   // in the order of the C struct
  std::vector<Field> response{};  // the same; empty: the method has no response
  Place place{};
};

/// A property that a plugin may state in its manifest for the host to see without loading it.
struct Property {
  std::string name;
  Type type{};  // bool, a number or string
  std::string doc{};
};

struct Life {
  enum class Stage {
    draft,
    released,
    deprecated,
    removed,  // of document types: documents can still be read, and nothing else
  };
  Stage stage = Stage::draft;
  std::string version{};  // unless draft: of the package it was released with, eg: "0.1.0"
  std::string date{};     // unless draft: eg: "2026-11-21"
  std::string message{};  // of deprecated: what to use instead; of removed: why it is
};

// -- Kinds and document types -------------------------------------------------

/// What one version of a kind and one version of a document type have in common.
struct Version {
  int number = 0;
  int preview = 0;      // of a document type: which preview of `number` it is, from 1; else 0
  std::string label{};  // the two as names and documents write them, eg: "3", "3preview1"
  std::string doc{};
  Life life{};
  std::string spec{};    // its file below the folder that was given, eg: "kinds/source/v2.json"
  std::string c_name{};  // eg: "tenon_source_v2"
  std::string header{};  // as it is included: "tenon/source/v2.h"; not written if removed
  std::uint64_t fingerprint = 0;
  std::vector<std::unique_ptr<Enum>> enums{};
  std::vector<std::unique_ptr<Struct>> structs{};   // each behind those that it holds
  std::vector<const DocumentVersion*> documents{};  // that it names, each once, sorted by header
  Place place{};                                    // of its number

  bool draft() const noexcept { return life.stage == Life::Stage::draft; }
  bool removed() const noexcept { return life.stage == Life::Stage::removed; }
  bool is_preview() const noexcept { return preview != 0; }
};

/// The domain of the standard kinds and document types.
inline constexpr std::string_view standard_domain = "tenon.dev";

/// What a kind and a document type have in common: the name of all versions.
struct Family {
  std::string id;         // eg: "photo.example/filter"
  std::string domain;     // eg: "photo.example"
  std::string space;      // its first label as C and C++ write it, eg: "photo"
  std::string name;       // eg: "filter"
  bool standard = false;  // read from tenon's own installed specs: its C headers are installed too
};

struct KindVersion : Version {
  const Kind* kind = nullptr;
  std::vector<Property> properties{};
  std::vector<Method> methods{};  // in the order of the table

  /// nullptr where there is none.
  const Method* find(std::string_view method) const noexcept;
  /// The method with the role `configure`; nullptr where there is none.
  const Method* configure() const noexcept;
};

/// Where one field of a struct that an adapter fills comes from.
struct FieldFill {
  const Field* target;
  const Field* source;  // of the same name on the other side; nullptr: `value` is taken
  Passing passing;      // from source to target: same or converted
  JsonValue value{};    // fits the type of target
};

/// How one method of the newer version of a step is answered by the older one.
struct MethodStep {
  enum class Answer {
    forward,          // calls `older`
    fixed,            // answers the values of `response`
    registered_name,  // answers that of the plugin, in the one field of the response
    unimplemented,    // answers that status, and `message`
    hook,             // a hand-written step answers
  };
  const Method* method = nullptr;  // of the newer version
  const Method* older = nullptr;   // its counterpart, perhaps under another name; nullptr: added
  std::size_t back = 1;            // how many versions before that of `method` has `older`
  Answer answer = Answer::forward;
  /// forward: each field of the older request, in its order. Fields of the newer request that no
  /// fill names are dropped.
  std::vector<FieldFill> request{};
  /// forward and fixed: each field of the newer response, in its order. Fields of the older
  /// response that no fill names are dropped.
  std::vector<FieldFill> response{};
  /// unimplemented: empty: that the older version lacks the method.
  std::string message{};

  /// forward: whether request, response and all that they hold have the same form in C on both
  /// sides, field by field, so that the caller's structs can be handed on as they are.
  bool same_form() const noexcept;
};

/// How a kind's version became the next one.
struct KindStep {
  const KindVersion* from = nullptr;
  const KindVersion* to = nullptr;
  std::string notes{};
  bool adaptable = true;
  std::string reason{};               // why it is not adaptable
  std::vector<MethodStep> methods{};  // one per method of `to`, in its order; none if not adaptable
  std::vector<const Method*> removed{};  // methods of `from` that `to` has no more
  /// Methods that `from` does not have and an older version has: how plugins of that version and of
  /// older ones answer them.
  std::vector<MethodStep> returned{};

  bool has_hooks() const noexcept;
};

struct Kind : Family {
  bool session = false;                                  // restarts as `session`; else `overlap`
  std::vector<std::unique_ptr<KindVersion>> versions{};  // ascending without gap, never empty
  std::vector<KindStep> steps{};  // steps[i] leads from versions[i] to versions[i + 1]

  const KindVersion& latest() const noexcept { return *versions.back(); }
};

struct DocumentVersion : Version {
  const Document* document = nullptr;
  std::vector<Field> fields{};  // in C followed by `tenon_bytes bag`
};

/// The versions of a document type from which a value in the bag may become a field: those in which
/// it stands under the same name (in a struct of the same name) and has the same shape, be it
/// optional or not. Of a field that is set by hand only its own.
struct Origins {
  std::vector<std::string> versions{};  // labels
  bool exact = false;  // other versions have another field of this name, so nothing else may
};

/// What becomes of one field between two versions of a document type or of a struct of it.
struct FieldStep {
  const Field* older =
      nullptr;  // nullptr: added; a value of the newer goes to the bag on the way back
  const Field* newer = nullptr;  // nullptr: removed; a value of the older goes to the bag
  bool hook = false;             // the hand-written step fills it, in both directions
  bool widened = false;          // a value of the newer that the older has not goes to the bag
  Origins older_origins{};       // none where it is nullptr
  Origins newer_origins{};
};

/// A struct that two neighbouring versions have, perhaps under two names. Several of the newer
/// version may come from one of the older.
struct StructStep {
  const Struct* older = nullptr;
  const Struct* newer = nullptr;
  bool split = false;               // others of the newer version come from `older`, too
  std::vector<FieldStep> fields{};  // each field of `newer` in its order, then those removed
};

/// A value of an enum that the newer version writes otherwise.
struct RenamedValue {
  std::string older;
  std::string newer;
};

/// An enum that two neighbouring versions have, perhaps under two names. Several of the newer
/// version may come from one of the older. Values are the same when they are written the same, or
/// were renamed.
struct EnumStep {
  const Enum* older = nullptr;
  const Enum* newer = nullptr;
  bool split = false;  // as of a struct
  std::vector<RenamedValue> renamed{};
};

/// How a document type's version came from its neighbour. Read in both directions.
struct DocumentStep {
  const DocumentVersion* from = nullptr;
  const DocumentVersion* to = nullptr;
  std::string notes{};
  bool hook = false;                  // a hand-written step runs behind the generated part
  std::vector<FieldStep> fields{};    // each field of `to` in its order, then those removed
  std::vector<StructStep> structs{};  // in the order of `to`, so each behind those that it holds
  std::vector<EnumStep> enums{};      // in the order of `to`
};

/// Its versions are a tree of neighbours: releases (drafts among them) are a chain, and previews
/// lead to nothing but further previews of the same number. The first preview of a number hangs on
/// the newest release below that number. Where there is none below, versions follow each other.
struct Document : Family {
  /// Ascending: 1, 2, 3preview1, 3preview2, 3. Never empty.
  std::vector<std::unique_ptr<DocumentVersion>> versions{};
  std::vector<DocumentStep> steps{};  // steps[i] leads from its neighbour to versions[i + 1]

  /// The newest version that programs can use and that is no preview. A preview if there is no
  /// other, a removed one if there is nothing else.
  const DocumentVersion& latest() const noexcept;
  /// The version that documents are stored at: the newest release in the order of numbers, a
  /// removed one only if no other is left; where nothing was released, the newest version.
  const DocumentVersion& hub() const noexcept;
  /// The step that leads to `version` from its neighbour; nullptr for the first.
  const DocumentStep* step_to(const DocumentVersion& version) const noexcept;
  /// The versions from one to another, both included. Each two that follow each other are the
  /// `from` and `to` of a step, in this order or the other.
  std::vector<const DocumentVersion*> path(const DocumentVersion& from,
                                           const DocumentVersion& to) const;
};

struct Model {
  std::vector<std::unique_ptr<Kind>> kinds{};          // sorted by id
  std::vector<std::unique_ptr<Document>> documents{};  // sorted by id
  /// The spec files and the folders that lead to them, for the depfile; sorted.
  std::vector<std::string> inputs{};
};

}  // namespace tenon::gen
