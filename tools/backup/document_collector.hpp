// SPDX-License-Identifier: BSL-1.0
//
// Collects the documents of many files. Their resources are known only after the last document: the
// kind of a list may follow its elements, and definitions of resources may come last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "document_header.hpp"
#include "documents.hpp"
#include "items.hpp"

namespace backup {

/// A document whose resource is not known yet.
struct UnresolvedDocument {
  std::uint64_t name;  // offset in UnresolvedDocuments::names
  std::uint32_t name_size;
  std::uint32_t type;
  std::uint32_t space;
  std::uint32_t line;
  std::uint32_t column;
  ItemPlace place;
};

/// Assigns numbers to texts.
template <class Text>
class Numbers {
 public:
  std::uint32_t of(const Text& text) {
    const auto [entry, is_new] = numbers_.emplace(text, static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(&entry->first);
    return entry->second;
  }
  const Text& operator[](std::uint32_t number) const { return *texts_[number]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::map<Text, std::uint32_t> numbers_;
  std::vector<const Text*> texts_;
};

using DocumentType = std::pair<std::string, std::string>;  // apiVersion and kind

struct UnresolvedDocuments {
  Numbers<DocumentType> types;
  Numbers<std::string> spaces;
  std::string names;
  std::vector<UnresolvedDocument> all;
  ItemFiles files;

  std::string_view name(const UnresolvedDocument& document) const {
    return std::string_view(names).substr(document.name, document.name_size);
  }
  std::string where(const UnresolvedDocument& document) const;
  /// Adds the documents of other files.
  void append(UnresolvedDocuments other);
};

/// Reads files and collects their documents.
class DocumentCollector : private ScanHandler {
 public:
  DocumentCollector(std::vector<tenon::Error>& problems, const IsCancelled& is_cancelled)
      : problems_(problems), is_cancelled_(is_cancelled) {}

  /// Reads a file and adds the problems of its documents. Errors: cannot-read; cancelled.
  tenon::Result<void> read(const std::filesystem::path& path);
  UnresolvedDocuments take() { return std::move(documents_); }

 private:
  void on_element(const Extent& extent, std::string_view text, const Envelope& envelope) override;
  void on_object(const Extent& extent, const Envelope& envelope) override;
  void on_broken(const Position& where, std::string_view found, const Envelope& envelope) override;

  tenon::Result<void> read_pieces(const tenon::platform::File& file);
  void take_document(const Extent& extent);
  bool take_single();
  void add(const Extent& extent, std::string_view text);
  void add(const Extent& extent, DocumentHeader header);
  void add_elements(const Extent& extent, std::string_view text, const DocumentHeader& header);
  std::uint32_t head(std::string members);
  void flush_list(const Envelope& list);
  bool complete(UnresolvedDocument& document, const Envelope& list);

  std::vector<tenon::Error>& problems_;
  const IsCancelled& is_cancelled_;
  UnresolvedDocuments documents_;
  std::string path_;        // of the current file
  std::uint32_t file_ = 0;  // its number
  std::string buffer_;
  std::string_view piece_;          // the part of the file that is scanned, in the buffer
  std::uint64_t piece_offset_ = 0;  // where it begins in the file
  // Of the current object, until it is known whether it is a list.
  std::vector<UnresolvedDocument> pending_;
  std::vector<tenon::Error> pending_problems_;
  std::map<std::string, std::uint32_t> heads_;  // members that elements of lists lack
};

}  // namespace backup
