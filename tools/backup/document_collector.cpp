// SPDX-License-Identifier: BSL-1.0
#include "document_collector.hpp"

#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "caller.hpp"

namespace backup {
namespace {

constexpr std::size_t piece_size = std::size_t{128} << 10;

bool is_list(const Envelope& object) {
  return object.has_items && object.kind.ends_with(list_suffix);
}

/// Returns `"key":"value"`.
std::string member(std::string_view key, std::string_view value) {
  return '"' + std::string(key) + "\":" + boost::json::serialize(boost::json::string(value));
}

tenon::Error too_large(std::string where, std::uint64_t size) {
  return tenon::Error({.code = "document-too-large",
                       .message = "the document is too large",
                       .where = std::move(where),
                       .found = std::to_string(size) + " bytes",
                       .needed = "at most " + std::to_string(largest_document) + " bytes",
                       .fix = "remove the document"});
}

/// Collects the places of the elements of a list.
class ListElements : public ScanHandler {
 public:
  void on_element(const Extent& extent, std::string_view, const Envelope&) override {
    all.push_back(extent);
  }
  void on_object(const Extent&, const Envelope&) override {}
  void on_broken(const Position&, std::string_view, const Envelope&) override {}

  std::vector<Extent> all;
};

/// Returns the position in a file of a position in a text that begins at `begin`.
Position moved(Position position, const Position& begin) {
  if (position.line == 1) position.column += begin.column - 1;
  position.line += begin.line - 1;
  position.offset += begin.offset;
  return position;
}

}  // namespace

std::string UnresolvedDocuments::where(const UnresolvedDocument& document) const {
  return place_text(files.path(document.place.file).string(),
                    {document.place.offset, document.line, document.column});
}

void UnresolvedDocuments::append(UnresolvedDocuments other) {
  const auto renumber = [](auto& numbers, const auto& others) {
    std::vector<std::uint32_t> renumbered(others.size());
    for (std::uint32_t i = 0; i < others.size(); ++i) renumbered[i] = numbers.of(others[i]);
    return renumbered;
  };
  const auto type = renumber(types, other.types);
  const auto space = renumber(spaces, other.spaces);
  const ItemFiles::Shift shift = files.append(std::move(other.files));
  for (UnresolvedDocument& document : other.all) {
    document.name += names.size();
    document.type = type[document.type];
    document.space = space[document.space];
    document.place.file += shift.files;
    if (document.place.head != 0) document.place.head += shift.heads;
    all.push_back(document);
  }
  names += other.names;
}

tenon::Result<void> DocumentCollector::read(const std::filesystem::path& path) {
  const auto file = open_documents(path);
  if (!file) return file.error();
  path_ = file->path();
  file_ = documents_.files.add(path, file->identity());
  return read_pieces(*file);
}

/// Stops at the size that the file had when it was opened. Documents of a file that changed
/// meanwhile cannot be read again.
tenon::Result<void> DocumentCollector::read_pieces(const tenon::platform::File& file) {
  const std::uint64_t size = file.identity().size;
  DocumentScanner scanner(*this, largest_document);
  buffer_.resize(piece_size);
  tenon::Result<void> done;
  for (piece_offset_ = 0; piece_offset_ < size; piece_offset_ += piece_.size()) {
    if (is_cancelled_ && is_cancelled_()) return Caller::cancelled_error();
    const auto most =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece_size, size - piece_offset_));
    const auto got =
        file.read_at(piece_offset_, std::as_writable_bytes(std::span(buffer_).first(most)));
    if (!got) done = got.error();
    if (!got || *got == 0) break;
    piece_ = std::string_view(buffer_).substr(0, *got);
    if (piece_.size() == size && take_single()) return done;
    scanner.feed(piece_);
  }
  scanner.finish();
  return done;
}

/// Adds the document of a file that is in one piece and has no other document. Returns false, and
/// adds nothing, if the file has to be scanned, which takes twice as long as parsing the document.
bool DocumentCollector::take_single() {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t begin = piece_.find_first_not_of(blanks);
  if (begin == piece_.npos) return false;
  const std::string_view text = piece_.substr(begin, piece_.find_last_not_of(blanks) + 1 - begin);
  Extent extent{{}, text.size()};
  extent.begin.pass(piece_.substr(0, begin));
  auto header = read_header(text, path_, extent.begin);
  if (!header || header->is_list) return false;
  add(extent, *std::move(header));
  flush_list({});
  return true;
}

void DocumentCollector::on_element(const Extent& extent, std::string_view text,
                                   const Envelope& envelope) {
  if (!envelope.kind.empty() && !is_list(envelope)) return;
  if (text.empty()) {
    pending_problems_.push_back(too_large(place_text(path_, extent.begin), extent.size));
    return;
  }
  add(extent, text);
}

void DocumentCollector::on_object(const Extent& extent, const Envelope& envelope) {
  if (is_list(envelope)) return flush_list(envelope);
  pending_.clear();
  pending_problems_.clear();
  take_document(extent);
}

void DocumentCollector::on_broken(const Position& where, std::string_view found,
                                  const Envelope& envelope) {
  // Elements before it in a list are complete. The kind of the list may follow them.
  if (is_list(envelope) || envelope.kind.empty()) flush_list(envelope);
  pending_.clear();
  pending_problems_.clear();
  problems_.push_back(tenon::Error({.code = "not-json",
                                    .message = "the rest of the document cannot be read",
                                    .where = place_text(path_, where),
                                    .found = std::string(found),
                                    .needed = "JSON documents, one after the other",
                                    .fix = "correct the text at this position or just before it"}));
}

void DocumentCollector::take_document(const Extent& extent) {
  if (extent.size > largest_document) {
    problems_.push_back(too_large(place_text(path_, extent.begin), extent.size));
    return;
  }
  if (extent.begin.offset >= piece_offset_) {
    add(extent, piece_.substr(extent.begin.offset - piece_offset_, extent.size));
  } else if (const auto text =
                 documents_.files.read({file_, 0, extent.begin.offset, extent.size})) {
    add(extent, *text);
  } else {
    problems_.push_back(text.error());
    return;
  }
  flush_list({});
}

void DocumentCollector::add(const Extent& extent, std::string_view text) {
  auto header = read_header(text, path_, extent.begin);
  if (!header) {
    pending_problems_.push_back(std::move(header).error());
  } else if (header->is_list) {
    add_elements(extent, text, *header);
  } else {
    add(extent, *std::move(header));
  }
}

void DocumentCollector::add(const Extent& extent, DocumentHeader header) {
  pending_.push_back(
      {.name = documents_.names.size(),
       .name_size = static_cast<std::uint32_t>(header.name.size()),
       .type = documents_.types.of({std::move(header.api_version), std::move(header.kind)}),
       .space = documents_.spaces.of(header.in_namespace),
       .line = extent.begin.line,
       .column = extent.begin.column,
       .place = {file_, 0, extent.begin.offset, extent.size}});
  documents_.names += header.name;
}

/// Adds the elements of a list that is an element of another list.
void DocumentCollector::add_elements(const Extent& extent, std::string_view text,
                                     const DocumentHeader& header) {
  ListElements elements;
  DocumentScanner scanner(elements, largest_document);
  scanner.feed(text);
  scanner.finish();
  const std::size_t first = pending_.size();
  for (const Extent& element : elements.all) {
    add({moved(element.begin, extent.begin), element.size},
        text.substr(element.begin.offset, element.size));
  }
  const Envelope list{header.api_version, header.kind, true};
  pending_.erase(
      std::remove_if(pending_.begin() + static_cast<std::ptrdiff_t>(first), pending_.end(),
                     [&](UnresolvedDocument& document) { return !complete(document, list); }),
      pending_.end());
}

/// Adds the pending documents of a list, or one document, for which `list` is empty.
void DocumentCollector::flush_list(const Envelope& list) {
  for (UnresolvedDocument& document : pending_) {
    if (complete(document, list)) documents_.all.push_back(document);
  }
  std::move(pending_problems_.begin(), pending_problems_.end(), std::back_inserter(problems_));
  pending_.clear();
  pending_problems_.clear();
}

/// Sets the apiVersion and kind that an element of a typed list lacks. Returns false if they are
/// unknown.
bool DocumentCollector::complete(UnresolvedDocument& document, const Envelope& list) {
  const auto& [own_version, own_kind] = documents_.types[document.type];
  if (!own_version.empty() && !own_kind.empty()) return true;
  DocumentType type(own_version, own_kind);
  std::string members;
  const bool is_typed = list.kind.size() > list_suffix.size() && list.kind.ends_with(list_suffix);
  if (is_typed && own_version.empty() && !list.api_version.empty()) {
    type.first = list.api_version;
    members = member("apiVersion", type.first);
  }
  if (is_typed && own_kind.empty()) {
    type.second = list.kind.substr(0, list.kind.size() - list_suffix.size());
    members += (members.empty() ? "" : ",") + member("kind", type.second);
  }
  if (type.first.empty() || type.second.empty()) {
    const std::string_view missing = type.second.empty() ? "kind" : "apiVersion";
    pending_problems_.push_back(not_a_resource(documents_.where(document),
                                               "no " + std::string(missing),
                                               "a text \"" + std::string(missing) + '"'));
    return false;
  }
  document.type = documents_.types.of(type);
  document.place.head = head(std::move(members));
  return true;
}

std::uint32_t DocumentCollector::head(std::string members) {
  const auto known = heads_.find(members);
  if (known != heads_.end()) return known->second;
  const std::uint32_t number = documents_.files.add_head(members);
  heads_.emplace(std::move(members), number);
  return number;
}

}  // namespace backup
