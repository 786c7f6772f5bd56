// SPDX-License-Identifier: BSL-1.0
#include "item_outline.hpp"

#include <boost/json/basic_parser_impl.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "documents.hpp"

namespace backup {
namespace {

namespace json = boost::json;

/// Receives the tokens of a text from the parser of Boost.JSON. If a key is repeated, its last
/// value is used.
struct OutlineHandler {
  using View = json::string_view;
  using Status = boost::system::error_code;

  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;

  ItemOutline outline;

  bool on_document_begin(Status&) { return true; }
  bool on_document_end(Status&) { return true; }
  bool on_object_begin(Status&);
  bool on_object_end(std::size_t, Status&);
  bool on_array_begin(Status&) {
    ++depth_;
    if (next_ == Next::items) outline.has_items = true;
    return take_other();
  }
  bool on_array_end(std::size_t, Status&) {
    --depth_;
    return true;
  }
  bool on_key_part(View part, std::size_t, Status&) { return keep(part); }
  bool on_key(View part, std::size_t, Status&);
  bool on_string_part(View part, std::size_t, Status&) { return keep(part); }
  bool on_string(View part, std::size_t, Status&);
  bool on_number_part(View, Status&) { return true; }
  bool on_int64(std::int64_t, View, Status&) { return take_other(); }
  bool on_uint64(std::uint64_t, View, Status&) { return take_other(); }
  bool on_double(double, View, Status&) { return take_other(); }
  bool on_bool(bool, Status&) { return take_other(); }
  bool on_null(Status&);
  bool on_comment_part(View, Status&) { return true; }
  bool on_comment(View, Status&) { return true; }

 private:
  enum class Next : std::uint8_t { ignored, text, metadata, labels, label, annotations, items };

  /// Begins a member of the document or of its metadata.
  bool expect(ItemOutline::Text& text) {
    text = {};
    text_ = &text;
    next_ = Next::text;
    return true;
  }
  bool expect(Next next) {
    next_ = next;
    return true;
  }
  bool begin_member(std::string_view key);
  bool begin_metadata_member(std::string_view key);
  bool begin_label(std::string_view key);
  bool take_other();
  bool keep(View part);
  bool forget() {
    parts_.clear();
    return true;
  }
  std::string_view whole(View last);

  std::size_t depth_ = 0;
  bool in_metadata_ = false;
  bool in_labels_ = false;
  bool in_annotations_ = false;
  Next next_ = Next::ignored;  // the next value
  ItemOutline::Text* text_ = nullptr;
  std::string label_;  // the key of the next label
  std::string parts_;  // of the current key or text, except the last one
  std::string whole_;  // the last key or text that was received in parts
};

bool OutlineHandler::on_object_begin(Status&) {
  ++depth_;
  if (depth_ == 1) outline.is_object = true;
  if (next_ == Next::metadata) in_metadata_ = outline.has_metadata = true;
  if (next_ == Next::labels) in_labels_ = true;
  if (next_ == Next::annotations) in_annotations_ = true;
  return take_other();
}

bool OutlineHandler::on_object_end(std::size_t, Status&) {
  --depth_;
  if (depth_ < 2) in_metadata_ = false;
  if (depth_ < 3) in_labels_ = in_annotations_ = false;
  return true;
}

bool OutlineHandler::on_key(View part, std::size_t, Status&) {
  if (depth_ > 3) return forget();
  const std::string_view key = whole(part);
  if (depth_ == 1) return begin_member(key);
  if (depth_ == 2 && in_metadata_) return begin_metadata_member(key);
  if (depth_ == 3 && in_labels_) return begin_label(key);
  if (depth_ == 3 && in_annotations_) outline.annotations.append(key).push_back('\0');
  return true;
}

bool OutlineHandler::begin_member(std::string_view key) {
  if (key == "apiVersion") return expect(outline.api_version);
  if (key == "kind") return expect(outline.kind);
  if (key == "items") {
    outline.has_items = false;
    return expect(Next::items);
  }
  if (key != "metadata") return true;
  outline.has_metadata = false;
  outline.in_namespace = outline.name = {};
  outline.labels.clear();
  outline.annotations.clear();
  return expect(Next::metadata);
}

bool OutlineHandler::begin_metadata_member(std::string_view key) {
  if (key == "namespace") return expect(outline.in_namespace);
  if (key == "name") return expect(outline.name);
  if (key == "annotations") {
    outline.annotations.clear();
    return expect(Next::annotations);
  }
  if (key != "labels") return true;
  outline.labels.clear();
  return expect(Next::labels);
}

bool OutlineHandler::begin_label(std::string_view key) {
  label_ = key;
  outline.labels.erase(label_);
  return expect(Next::label);
}

bool OutlineHandler::on_string(View part, std::size_t, Status&) {
  if (next_ == Next::ignored) return forget();
  const std::string_view text = whole(part);
  if (next_ == Next::text) text_->value = text;
  if (next_ == Next::label) outline.labels.emplace(std::move(label_), text);
  next_ = Next::ignored;
  return true;
}

bool OutlineHandler::on_null(Status&) {
  next_ = Next::ignored;
  return true;
}

/// Receives a value that is neither a text nor null.
bool OutlineHandler::take_other() {
  if (next_ == Next::text) text_->is_other = true;
  next_ = Next::ignored;
  return true;
}

bool OutlineHandler::keep(View part) {
  parts_.append(part.data(), part.size());
  return true;
}

/// Returns a key or text with its last part. Valid until the next one begins.
std::string_view OutlineHandler::whole(View last) {
  if (parts_.empty()) return {last.data(), last.size()};
  whole_ = std::exchange(parts_, {}).append(last.data(), last.size());
  return whole_;
}

}  // namespace

json::parse_options document_options() {
  json::parse_options options;
  options.max_depth = deepest_document;
  return options;
}

ItemOutline read_outline(std::string_view text, boost::system::error_code& error) {
  json::basic_parser<OutlineHandler> parser(document_options());
  const std::size_t parsed = parser.write_some(false, text.data(), text.size(), error);
  if (!error && parsed < text.size()) error = json::error::extra_data;
  return std::move(parser.handler().outline);
}

}  // namespace backup
