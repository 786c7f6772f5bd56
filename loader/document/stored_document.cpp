// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/storage.hpp>
#include <tenon/document.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

namespace tenon { inline namespace v0_1 {
namespace {

/// Returns the number of a label that is not a preview. No label begins with a zero.
std::optional<std::int64_t> number_of(std::string_view label) {
  if (label.starts_with('0')) return std::nullopt;
  std::int64_t number = 0;
  const char* end = label.data() + label.size();
  const auto [stop, error] = std::from_chars(label.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

std::string labels_of(const DocumentType& type) {
  std::string labels;
  for (const DocumentVersion& version : type.versions) {
    labels += (labels.empty() ? "" : ", ") + std::string(version.label);
  }
  return labels;
}

std::string type_names() {
  std::string names;
  for (const DocumentType* type : document_types()) {
    names += (names.empty() ? "" : ", ") + std::string(type->id);
  }
  return names;
}

/// Returns whether the version is newer than all versions of the program.
bool is_future(const DocumentType& type, std::string_view label) {
  std::int64_t newest = 0;
  for (const DocumentVersion& version : type.versions) {
    newest = std::max(newest, number_of(version.label).value_or(0));
  }
  return number_of(label).value_or(0) > newest;
}

/// Returns the release or draft with the greatest number.
const DocumentVersion& newest(const DocumentType& type) {
  const DocumentVersion* found = type.find(type.hub);
  for (const DocumentVersion& version : type.versions) {
    if (number_of(version.label)) found = &version;
  }
  return *found;
}

/// The type and version that a document states, and its fields. A bare document states nothing.
struct Envelope {
  json::Reader value;
  bool is_bare = true;
  std::string_view type{};
  std::string version{};  // empty if it states none
  std::string_view writer{};
};

/// Reads a version: a number, or the text of a preview. Returns false if it is neither.
bool read_version(const json::Reader& in, std::string& version) {
  if (in.form() == json::Reader::Form::text) {
    std::string_view preview;
    if (!in.read(preview)) return false;
    version = preview;
    return true;
  }
  std::int64_t number = 0;
  if (!in.read_integer(number, 1, INT32_MAX, "a version")) return false;
  version = std::to_string(number);
  return true;
}

/// Reads the envelope. An object with a `value` and a `type` with a domain has one; everything else
/// is bare, but an object that states the type to read is not. If the version is missing and the
/// caller states the type of bare documents, the type must also be known to the program. Returns
/// false if the document has an error.
bool read_envelope(const json::Reader& root, const DocumentReadOptions& how, Envelope& envelope) {
  std::size_t count = 0;
  if (!root.read_object(count)) return false;
  json::Fields fields(root);
  Envelope said{root};
  const json::Reader* found = fields.take("type");
  if (found == nullptr || found->form() != json::Form::text || !found->read(said.type)) return true;
  if (said.type.find('/') == std::string_view::npos) return true;
  found = fields.take("version");
  const bool may_be_bare = !how.type.empty() && find_document_type(said.type) == nullptr;
  if (found == nullptr && may_be_bare) return true;
  bool good = found == nullptr || read_version(*found, said.version);
  found = fields.take("writer");
  good = good && (found == nullptr || found->read(said.writer));
  found = fields.take("value");
  const bool is_stored = how.type.empty() || said.type == how.type;
  if (found == nullptr) return !is_stored || root.fail_member("value", "missing");
  said.value = *found;
  said.is_bare = false;
  envelope = std::move(said);
  return good && fields.finish("not a key of a document");
}

Error differs(std::string code, const std::string& what, std::string_view found,
              std::string_view needed) {
  return Error(
      {.code = std::move(code),
       .message = "the document has another " + what,
       .where = what,
       .found = std::string(found),
       .needed = std::string(needed),
       .fix = "omit the " + what + " if documents state it, or name the one that was found"});
}

/// The type and version of a document.
struct Origin {
  const DocumentType* type;
  const DocumentVersion* version;
  std::string_view label;
};

Result<Origin> find_origin(const Envelope& said, const DocumentReadOptions& how) {
  if (!said.type.empty() && !how.type.empty() && said.type != how.type) {
    return differs("type-differs", "type", said.type, how.type);
  }
  if (!said.version.empty() && !how.from.empty() && said.version != how.from) {
    return differs("version-differs", "version", said.version, how.from);
  }
  const std::string_view id = said.type.empty() ? how.type : said.type;
  const std::string_view label = said.version.empty() ? how.from : said.version;
  if (id.empty() || label.empty()) {
    const std::string missing = id.empty() ? "type" : "version";
    return Error({.code = id.empty() ? "missing-type" : "missing-version",
                  .message = "the document does not state its " + missing,
                  .where = missing,
                  .needed = R"({"type": ..., "version": ..., "value": {...}})",
                  .fix = "add the " + missing + " to the document, or name it in the request"});
  }
  const DocumentType* type = find_document_type(id);
  if (type == nullptr) {
    return Error({.code = "unknown-type",
                  .where = "type",
                  .found = std::string(id),
                  .needed = "one of " + type_names(),
                  .fix = "use a program that was built with the type"});
  }
  if (const DocumentVersion* version = type->find(label)) return Origin{type, version, label};
  const bool future = is_future(*type, label);
  if (future && how.lenient) return Origin{type, &newest(*type), label};
  return Error({.code = future ? "version-too-new" : "unknown-version",
                .where = std::string(id),
                .found = "version " + std::string(label),
                .needed = "one of " + labels_of(*type),
                .fix = future ? "use a program that was built with it, or read it leniently"
                              : "correct the version of the document"});
}

Result<const DocumentVersion*> find_target(const DocumentType& type, std::string_view label) {
  const std::string_view wanted = label.empty() ? type.hub : label;
  if (const DocumentVersion* version = type.find(wanted)) return version;
  return Error({.code = "unknown-version",
                .where = std::string(type.id),
                .found = "version " + std::string(wanted),
                .needed = "one of " + labels_of(type),
                .fix = "omit it to get version " + std::string(type.hub) +
                       ", the storage version of this type"});
}

/// Returns the conversion from one version to another; nullptr if they are the same.
const DocumentConversion* find_conversion(const DocumentType& type, const DocumentVersion& from,
                                          const DocumentVersion& to) {
  const auto found = std::find_if(
      type.conversions.begin(), type.conversions.end(),
      [&](const DocumentConversion& one) { return one.from == from.label && one.to == to.label; });
  return found != type.conversions.end() ? &*found : nullptr;
}

Error missing_step(const DocumentType& type, const DocumentConversion& way) {
  return Error({.code = "missing-conversion",
                .message = "a hand-written step is missing",
                .where = std::string(type.id),
                .found = "the step " + std::string(way.by_hand) + " between versions " +
                         std::string(way.from) + " and " + std::string(way.to),
                .needed = "only steps that the interface definition describes",
                .fix = "convert the document with the program that has the step"});
}

}  // namespace

Result<ReadDocument> read_document(Conversion& conversion, json::Parser& parser,
                                   std::string_view text, const DocumentReadOptions& how) {
  const Result<json::Reader> root = parser.parse(text);
  if (!root) return root.error();
  Envelope said{*root};
  if (!read_envelope(*root, how, said)) return parser.take_error();
  Result<Origin> origin = find_origin(said, how);
  if (!origin) return std::move(origin).error();
  const DocumentType& type = *origin->type;
  const Result<const DocumentVersion*> target = find_target(type, how.to);
  if (!target) return target.error();

  if (how.lenient) conversion.unknown_of = text_of(conversion.copy(origin->label));
  conversion.exact_floats = how.lenient;
  const DocumentConversion* way = find_conversion(type, *origin->version, **target);
  if (way != nullptr && way->convert == nullptr) return missing_step(type, *way);
  const void* stored = origin->version->read(*origin->version, conversion, said.value);
  if (stored == nullptr) return parser.take_error();
  if (way != nullptr) stored = way->convert(*way, conversion, stored);
  if (stored == nullptr) {
    return Error({.code = "wrong-value",
                  .message = conversion.error(),
                  .where = said.is_bare ? "" : "value"});
  }
  return ReadDocument{&type, *target, stored, said.is_bare, said.writer};
}

void write_document(json::Writer& out, const DocumentType& type, const DocumentVersion& version,
                    const void* stored, std::string_view writer) {
  out.begin_object();
  out.key("type");
  out.text(type.id);
  out.key("version");
  if (const auto number = number_of(version.label)) {
    out.number(*number);
  } else {
    out.text(version.label);
  }
  if (!writer.empty()) {
    out.key("writer");
    out.text(writer);
  }
  out.key("value");
  version.write(out, stored);
  out.end_object();
}

}}  // namespace tenon::v0_1
