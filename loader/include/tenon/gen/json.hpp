// SPDX-License-Identifier: BSL-1.0
//
// tenon/gen/json.hpp: documents as JSON. It implements the functions in the generated headers of
// document types, such as tenon::to_json(const RecordV2&).
//
// Reading and writing are strict: a written value is read back unchanged, and a key that the type
// does not define is an error. Enums are written by name, bytes in base64 (RFC 4648, with padding),
// timestamps and durations in nanoseconds, numbers with all their digits, NaN and the infinities as
// the strings "NaN", "Infinity" and "-Infinity". An absent optional is left out.
#pragma once

#include <tenon/export.hpp>
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

namespace tenon::json {

/// What a JSON value is.
enum class Form : std::uint8_t { null, boolean, number, text, array, object };

namespace detail {

struct Tape;

/// One value of a parsed text. What an array or object holds lies behind it, one value after the
/// other, each member as its key and its value.
struct Node {
  Form form;
  bool taken;        // a key whose member Fields gave away
  const char* data;  // what a text or key says; the digits of a number; the words true, false, null
  std::size_t size;  // of that; how many elements or members there are
  std::size_t extent;  // how many nodes it is with all that it holds

  std::string_view text() const noexcept { return {data, size}; }
};

}  // namespace detail

struct Member;
template <class Part>
class Range;

/// One value of a parsed text, and where it stands; small, passed by value. Valid until the next
/// parse of its Parser, and belongs to the same thread.
///
/// Functions that read answer false when the value is not what they are for; then the Parser has
/// the error, `wrong-value` with the path of the value: `validations[1].value`, `metadata["c d"]`.
class TENON_API Reader {
 public:
  using Form = json::Form;

  Form form() const noexcept { return node_->form; }

  bool read(bool& value) const;
  /// The nearest number of this type; "NaN", "Infinity" and "-Infinity" are read as well.
  bool read(float& value) const;
  bool read(double& value) const;
  /// A text. Valid like the reader.
  bool read(std::string_view& value) const {
    if (form() != Form::text) return fail("text");
    value = node_->text();
    return true;
  }
  /// Whole numbers in a range; `type` names it in the error: "int8".
  bool read_integer(std::int64_t& value, std::int64_t least, std::int64_t most,
                    std::string_view type) const;
  bool read_natural(std::uint64_t& value, std::uint64_t most, std::string_view type) const;
  /// Bytes in base64, into the arena of `call`.
  bool read_bytes(tenon_call* call, tenon_bytes& value) const;
  /// Any value as JSON text without spaces, the digits of its numbers as they were written; into
  /// the arena of `call`.
  bool read_json(tenon_call* call, tenon_string& value) const;

  /// How many elements an array has, or members an object.
  bool read_array(std::size_t& count) const { return read_count(Form::array, "array", count); }
  bool read_object(std::size_t& count) const { return read_count(Form::object, "object", count); }
  /// All of them, in the order of the text: `for (const Reader& element : in.elements())`,
  /// `for (const auto& [key, value] : in.members())`. What is no array or object has none.
  Range<Reader> elements() const noexcept;
  Range<Member> members() const noexcept;

  /// Makes "expected <needed>, found <what is there>" the error. Answers false.
  bool fail(std::string_view needed) const;
  /// Makes `message` the error, about the member `key` of this object. Answers false.
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
  std::string path() const;

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

/// Parses texts, one after the other; its memory is kept, so that in the long run it allocates
/// nothing. Strict: RFC 8259, UTF-8, each key once in its object, at most 64 levels. Belongs to one
/// thread at a time.
class TENON_API Parser {
 public:
  Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;
  ~Parser();

  /// The whole of a text. REQUIRED: the text stays as it is while its readers are used.
  /// Errors: `not-json`, with line and column as its place.
  Result<Reader> parse(std::string_view text);
  /// Why reading failed. REQUIRED: a Reader of this parser answered false.
  Error take_error();

 private:
  friend class Writer;
  std::size_t levels() const noexcept;

  std::unique_ptr<detail::Tape> tape_;
};

/// Puts a JSON text together, on one line and without spaces. REQUIRED: what is begun is ended, and
/// each member of an object has its key first. Belongs to one thread at a time.
class TENON_API Writer {
 public:
  Writer() = default;
  /// Writes into `room` as long as the text fits there. REQUIRED: the room lives as long.
  explicit Writer(std::span<char> room) noexcept : data_(room.data()), room_(room.size()) {}
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
  /// Bytes that are no UTF-8 become U+FFFD.
  void text(std::string_view value);
  void base64(BytesView value);
  /// What was read, the digits of its numbers as they were written.
  void value(const Reader& value);
  /// A JSON text, without its spaces; one that is none, or has too many levels for this place,
  /// becomes a text.
  void json(std::string_view value);
  /// Whether that was the lot of a JSON text that would have had too many levels.
  bool too_deep() const noexcept { return too_deep_; }
  /// REQUIRED: it is JSON, without line ends.
  void raw(std::string_view value);
  /// The same with the beginning of an object behind a key, up to a value in it that follows:
  /// `"size@1":{"type":"int32","value":` in pieces.
  void begin_raw(std::initializer_list<std::string_view> pieces);

  /// To begin anew, with the memory of before.
  void clear() noexcept {
    size_ = 0;
    depth_ = 0;
    follows_value_ = false;
    too_deep_ = false;
  }
  /// What was written; valid until more is.
  std::string_view view() const noexcept { return {data_, size_}; }
  /// The same as a text of its own; the writer begins anew, without the memory.
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
  char* room(std::size_t size);
  void grow(std::size_t size);

  char* data_ = nullptr;  // what was written, and room for more: that of text_, or a lent one
  std::size_t room_ = 0;
  std::size_t size_ = 0;
  std::string text_;
  std::size_t depth_ = 0;
  bool follows_value_ = false;
  bool too_deep_ = false;
  std::unique_ptr<Parser> parser_;  // of json()
};

/// Takes the members of an object by name; each costs little where they are asked for in the order
/// in which they stand. One at a time for an object.
class Fields {
 public:
  /// Where it is no object there is nothing to take, and finish() answers false.
  explicit Fields(const Reader& object) : object_(object), found_(object) {
    is_object_ = object.read_object(count_);
    next_ = first();
    for (std::size_t i = 0; i < count_; i++) step().taken = false;
  }

  /// The member of this name that nobody took yet, until the next one is taken; nullptr where there
  /// is none.
  const Reader* take(std::string_view name) {
    for (std::size_t i = 0; i < count_; i++) {
      detail::Node& key = step();
      if (key.taken || key.text() != name) continue;
      key.taken = true;
      found_.node_ = &key + 1;
      return &found_;
    }
    return nullptr;
  }

  /// Calls `visit(key, reader)` for each member that nobody took, in their order, as long as that
  /// answers true. Answers whether all did.
  template <class Visit>
  bool for_each_rest(Visit&& visit) {
    next_ = first();
    for (std::size_t i = 0; i < count_; i++) {
      detail::Node& key = step();
      if (!key.taken && !visit(key.text(), Reader(*object_.tape_, (&key)[1]))) return false;
    }
    return is_object_;
  }

  /// Whether nothing is left that nobody took; else the first one is the error.
  bool finish() {
    return for_each_rest([this](std::string_view key, const Reader&) {
      return object_.fail_member(key, "not a field of this type");
    });
  }

 private:
  detail::Node* first() const noexcept { return object_.node_ + 1; }
  /// The next key; behind the last one comes the first.
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

}  // namespace tenon::json
