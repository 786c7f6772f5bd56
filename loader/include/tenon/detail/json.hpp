// SPDX-License-Identifier: BSL-1.0
//
// tenon/detail/json.hpp: documents as JSON. It implements the functions in the generated headers of
// document types, such as tenon::to_json(const RecordV2&).
//
// Reading and writing are strict: a written value is read back unchanged, and a key that the type
// does not define is an error. Enums are written by name, bytes in base64 (RFC 4648, with padding),
// timestamps and durations in nanoseconds, numbers with all their digits, NaN and the infinities as
// the strings "NaN", "Infinity" and "-Infinity". An absent optional is left out.
#pragma once

#include <tenon/detail/export.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon { inline namespace v0_1 { namespace json {

/// The type of a JSON value.
enum class Form : std::uint8_t { null, boolean, number, text, array, object };

namespace detail {

struct Tape;

/// One value of a parsed text. The elements of an array, or the keys and values of an object,
/// follow it.
struct Node {
  Form form;
  bool taken;          // a key whose member Fields has returned
  const char* data;    // a text or key; the digits of a number; true, false or null
  std::size_t size;    // of `data`; or the number of elements or members
  std::size_t extent;  // the number of nodes, including nested ones

  std::string_view text() const noexcept { return {data, size}; }
};

}  // namespace detail

struct Member;
template <class Part>
class Range;

/// One value of a parsed text. Small, passed by value. Valid until the next parse of its Parser,
/// and belongs to the same thread.
///
/// Functions that read return false if the value has another type. The Parser then has the error
/// `wrong-value` with the path of the value: `validations[1].value`, `metadata["c d"]`.
class TENON_API Reader {
 public:
  using Form = json::Form;

  Form form() const noexcept { return node_->form; }

  bool read(bool& value) const;
  /// Reads the nearest number of this type, and "NaN", "Infinity" and "-Infinity".
  bool read(float& value) const;
  bool read(double& value) const;
  /// Reads a text, valid as long as the reader.
  bool read(std::string_view& value) const {
    if (form() != Form::text) return fail("text");
    value = node_->text();
    return true;
  }
  /// Read whole numbers in a range. `type` names it in the error: "int8".
  bool read_integer(std::int64_t& value, std::int64_t least, std::int64_t most,
                    std::string_view type) const;
  bool read_natural(std::uint64_t& value, std::uint64_t most, std::string_view type) const;
  /// Reads bytes in base64, into the arena of `call`.
  bool read_bytes(tenon_call* call, tenon_bytes& value) const;
  /// Reads any value as JSON text without spaces, with unchanged digits of numbers, into the arena
  /// of `call`.
  bool read_json(tenon_call* call, tenon_string& value) const;

  /// Return the number of elements of an array, or of members of an object.
  bool read_array(std::size_t& count) const { return read_count(Form::array, "array", count); }
  bool read_object(std::size_t& count) const { return read_count(Form::object, "object", count); }
  /// Return the elements or members in the order of the text:
  /// `for (const Reader element : in.elements())`, `for (const auto [key, value] :
  /// in.members())`. Other values have none.
  Range<Reader> elements() const noexcept;
  Range<Member> members() const noexcept;

  /// Sets the error "expected <needed>, found <value>". Returns false.
  bool fail(std::string_view needed) const;
  /// Sets `message` as the error of the member `key` of this object. Returns false.
  bool fail_member(std::string_view key, std::string_view message) const;

 private:
  friend class Fields;
  friend class Parser;
  friend class Writer;
  template <class Part>
  friend class Range;

  Reader(detail::Tape& tape, detail::Node& node) noexcept : tape_(&tape), node_(&node) {}
  bool read_count(Form needed, std::string_view name, std::size_t& count) const {
    if (form() != needed) return fail(name);
    count = node_->size;
    return true;
  }

  detail::Tape* tape_;
  detail::Node* node_;
};

/// A member of an object.
struct Member {
  std::string_view key;
  Reader value;
};

/// The elements of an array, or the members of an object.
template <class Part>
class Range {
 public:
  class Iterator {
   public:
    Iterator(detail::Tape& tape, detail::Node* at) noexcept : tape_(&tape), at_(at) {}
    Part operator*() const noexcept {
      const Reader value(*tape_, at_[key_nodes]);
      if constexpr (key_nodes == 0) {
        return value;
      } else {
        return {at_->text(), value};
      }
    }
    Iterator& operator++() noexcept {
      at_ += key_nodes + at_[key_nodes].extent;
      return *this;
    }
    bool operator!=(const Iterator& other) const noexcept { return at_ != other.at_; }

   private:
    static constexpr std::size_t key_nodes = std::is_same_v<Part, Member> ? 1 : 0;

    detail::Tape* tape_;
    detail::Node* at_;
  };

  explicit Range(const Reader& whole) noexcept : whole_(whole) {}
  Iterator begin() const noexcept { return {*whole_.tape_, whole_.node_ + 1}; }
  Iterator end() const noexcept { return {*whole_.tape_, whole_.node_ + whole_.node_->extent}; }

 private:
  Reader whole_;
};

inline Range<Reader> Reader::elements() const noexcept {
  return Range<Reader>(*this);
}
inline Range<Member> Reader::members() const noexcept {
  return Range<Member>(*this);
}

/// Parses texts one after the other and reuses its memory. Strict: RFC 8259, UTF-8, each key once
/// in its object, at most 64 levels. Belongs to one thread at a time.
class TENON_API Parser {
 public:
  Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;
  ~Parser();

  /// Parses a complete text. REQUIRED: the text does not change while its readers are used.
  /// Errors: `not-json`, with line and column.
  Result<Reader> parse(std::string_view text);
  /// Returns why reading last failed. REQUIRED: a Reader of this parser has returned false since
  /// the last parse, and the text still exists.
  Error take_error();

 private:
  friend class Writer;
  std::size_t levels() const noexcept;

  std::unique_ptr<detail::Tape> tape_;
};

/// Writes JSON on one line without spaces. REQUIRED: each begin has an end, and each member of an
/// object has its key first. Belongs to one thread at a time.
class TENON_API Writer {
 public:
  Writer() = default;
  /// Writes into `buffer` as long as the text fits. REQUIRED: the buffer outlives the Writer.
  explicit Writer(std::span<char> buffer) noexcept
      : data_(buffer.data()), capacity_(buffer.size()) {}
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void key(std::string_view name);

  void boolean(bool value) { raw(value ? "true" : "false"); }
  void number(std::int64_t value);
  void number(std::uint64_t value);
  void number(float value);
  void number(double value);
  /// Bytes that are not UTF-8 become U+FFFD.
  void text(std::string_view value);
  void base64(BytesView value);
  /// Writes a value that was read, with unchanged digits of numbers.
  void value(const Reader& value);
  /// Writes a JSON text without its spaces. A text that is not JSON, or has too many levels, is
  /// written as a string.
  void json(std::string_view value);
  /// Returns why a JSON text was written as a string; empty if none was.
  const std::string& problem() const noexcept { return problem_; }
  /// Writes text as it is. REQUIRED: it is JSON without line ends.
  void raw(std::string_view value);
  /// Writes, in pieces, a key and the beginning of its object, up to a value in it that follows:
  /// `"size@1":{"type":"int32","value":`.
  void begin_raw(std::initializer_list<std::string_view> pieces);

  /// Discards the text and keeps the memory.
  void clear() noexcept {
    size_ = 0;
    depth_ = 0;
    follows_value_ = false;
    problem_.clear();
  }
  /// Returns the text, valid until more is written.
  std::string_view view() const noexcept { return {data_, size_}; }
  /// Returns the text and resets the writer.
  std::string take();

 private:
  void begin(char bracket);
  void end(char bracket);
  void separate();
  void quote(std::string_view text);
  std::size_t put_special(std::string_view text);
  template <class T>
  void real(T value);

  void put(char c);
  void put(std::string_view text);
  char* reserve(std::size_t size);
  void grow(std::size_t size);

  char* data_ = nullptr;  // of text_ or of the buffer
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::string text_;
  std::size_t depth_ = 0;
  bool follows_value_ = false;
  std::string problem_;
  std::unique_ptr<Parser> parser_;  // for json()
};

/// Takes the members of an object by name. Fast if they are taken in their order. At most one
/// Fields exists for an object at a time.
class Fields {
 public:
  /// A value that is not an object has no members, and finish() returns false.
  explicit Fields(const Reader& object) : object_(object), found_(object) {
    is_object_ = object.read_object(count_);
    next_ = first();
    for (std::size_t i = 0; i < count_; ++i) step().taken = false;
  }

  /// Returns the member with this name that was not taken yet, valid until the next take; nullptr
  /// if there is none.
  const Reader* take(std::string_view name) {
    for (std::size_t i = 0; i < count_; ++i) {
      detail::Node& key = step();
      if (key.taken || key.text() != name) continue;
      key.taken = true;
      found_.node_ = &key + 1;
      return &found_;
    }
    return nullptr;
  }

  /// Calls `visit(key, reader)` for each member that was not taken, in their order, until one call
  /// returns false. Returns whether all returned true.
  template <class Visit>
  bool for_each_rest(Visit&& visit) {
    next_ = first();
    for (std::size_t i = 0; i < count_; ++i) {
      detail::Node& key = step();
      if (!key.taken && !visit(key.text(), Reader(*object_.tape_, (&key)[1]))) return false;
    }
    return is_object_;
  }

  /// Returns whether all members were taken. Otherwise sets `message` as the error of the first
  /// other one.
  bool finish(std::string_view message = "not a field of this type") {
    return for_each_rest([this, message](std::string_view key, const Reader&) {
      return object_.fail_member(key, message);
    });
  }

 private:
  detail::Node* first() const noexcept { return object_.node_ + 1; }
  /// Returns the next key. The first follows the last.
  detail::Node& step() noexcept {
    detail::Node& key = *next_;
    next_ += 1 + next_[1].extent;
    if (next_ == object_.node_ + object_.node_->extent) next_ = first();
    return key;
  }

  Reader object_;
  Reader found_;
  std::size_t count_ = 0;
  bool is_object_;
  detail::Node* next_;
};

}}}  // namespace tenon::v0_1::json
