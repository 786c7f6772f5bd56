// SPDX-License-Identifier: BSL-1.0
#include "xml.hpp"

#include <tenon/sdk/failure.hpp>

#include <expat.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace tenon::s3 {
namespace {

// The limits bound the memory that Expat and this file need. S3 nests 4 elements, and a page has
// 1000 keys of 1024 bytes with fewer than 20 elements each.
constexpr std::size_t max_depth = 32;
constexpr std::size_t max_elements = 100'000;
constexpr std::size_t max_piece = 64 << 10;
constexpr std::size_t max_token = 256 << 10;

sdk::Failure too_large() {
  return sdk::Failure(
      TENON_DATA_LOSS, "the response of the server is not XML of S3: it has more than ", max_depth,
      " levels or ", max_elements, " elements, or a tag of more than ", max_token, " bytes");
}

/// Parses one document. If a handler throws, stores the exception and stops the parser, because
/// exceptions must not pass through Expat.
class Document {
 public:
  explicit Document(const OnElement& on_element)
      : parser_(XML_ParserCreate("UTF-8")), on_element_(on_element) {
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), begin, end);
    XML_SetCharacterDataHandler(parser_.get(), text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), doctype);
  }

  void read(std::string_view document) {
    bool read = true;
    for (std::size_t at = 0; read; at += max_piece) {
      const std::string_view piece = document.substr(at, max_piece);
      const bool is_last = at + piece.size() == document.size();
      read = XML_Parse(parser_.get(), piece.data(), static_cast<int>(piece.size()), is_last) ==
             XML_STATUS_OK;
      if (read && is_last) return;
      const auto parsed =
          static_cast<std::size_t>(std::max<XML_Index>(XML_GetCurrentByteIndex(parser_.get()), 0));
      if (read && at + piece.size() > parsed + max_token) throw too_large();
    }
    if (thrown_ != nullptr) std::rethrow_exception(thrown_);
    throw sdk::Failure(TENON_DATA_LOSS, "the response of the server is not XML of S3: line ",
                       XML_GetCurrentLineNumber(parser_.get()), ": ",
                       XML_ErrorString(XML_GetErrorCode(parser_.get())));
  }

 private:
  template <class Step>
  static void guarded(void* self, Step step) noexcept {
    Document& document = *static_cast<Document*>(self);
    if (document.thrown_ != nullptr) return;  // Expat may call once more before it stops
    try {
      step(document);
    } catch (...) {
      document.thrown_ = std::current_exception();
      XML_StopParser(document.parser_.get(), XML_FALSE);
    }
  }

  static void begin(void* self, const char* name, const char**) {
    guarded(self, [name](Document& document) {
      if (document.texts_.size() == max_depth || ++document.elements_ > max_elements) {
        throw too_large();
      }
      if (!document.path_.empty()) document.path_ += '/';
      document.path_ += name;
      document.texts_.emplace_back();
    });
  }
  static void end(void* self, const char* name) {
    guarded(self, [name](Document& document) {
      document.on_element_(document.path_, document.texts_.back());
      document.texts_.pop_back();
      document.path_.resize(document.path_.size() - std::strlen(name));
      if (!document.path_.empty()) document.path_.pop_back();
    });
  }
  static void text(void* self, const char* data, int size) {
    guarded(self, [data, size](Document& document) {
      document.texts_.back().append(data, static_cast<std::size_t>(size));
    });
  }
  /// Refuses document types. S3 never sends one, and they could define entities that expand without
  /// end.
  static void doctype(void* self, const char*, const char*, const char*, int) {
    XML_StopParser(static_cast<Document*>(self)->parser_.get(), XML_FALSE);
  }

  struct Free {
    void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
  };

  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  const OnElement& on_element_;
  std::string path_;
  std::vector<std::string> texts_;  // of the open elements
  std::size_t elements_ = 0;
  std::exception_ptr thrown_;
};

}  // namespace

void read_xml(std::string_view document, const OnElement& on_element) {
  Document(on_element).read(document);
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

}  // namespace tenon::s3
