// SPDX-License-Identifier: BSL-1.0
#include <tenon/detail/arena.hpp>
#include <tenon/document.hpp>

namespace tenon { inline namespace v0_1 {

struct DocumentConverter::Memory {
  Arena arena;
  json::Parser parser;
  json::Writer out;
};

DocumentConverter::DocumentConverter() : memory_(std::make_unique<Memory>()) {}
DocumentConverter::~DocumentConverter() = default;
DocumentConverter::DocumentConverter(DocumentConverter&&) noexcept = default;
DocumentConverter& DocumentConverter::operator=(DocumentConverter&&) noexcept = default;

Result<std::string_view> DocumentConverter::convert(std::string_view text,
                                                    const DocumentReadOptions& how,
                                                    std::string_view writer) {
  memory_->arena.reset();
  memory_->out.clear();
  Conversion conversion(memory_->arena.raw());
  const Result<ReadDocument> document = read_document(conversion, memory_->parser, text, how);
  if (!document) return document.error();
  if (document->is_bare) {
    document->version->write(memory_->out, document->stored);
  } else {
    write_document(memory_->out, *document->type, *document->version, document->stored,
                   writer.empty() ? document->writer : writer);
  }
  if (!memory_->out.problem().empty()) {
    return Error({.code = "wrong-value",
                  .message = memory_->out.problem(),
                  .where = document->is_bare ? "" : "value"});
  }
  return memory_->out.view();
}

}}  // namespace tenon::v0_1
