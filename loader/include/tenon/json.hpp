// SPDX-License-Identifier: BSL-1.0
//
// tenon/json.hpp: documents as JSON. The generated headers of document types have functions for
// that, such as tenon::to_json(const RecordV2&); this is what they stand on.
//
// Strict in both directions: what is written is read back as the same value, and what is read has
// nothing that the type does not know. Enums are written by name, bytes in base64 (RFC 4648, with
// padding), points in time and durations in nanoseconds, numbers with all their digits, NaN and the
// infinities as the texts "NaN", "Infinity" and "-Infinity". An optional that is absent is left
// out.
#pragma once

#include <tenon/export.hpp>
#include <tenon/result.hpp>
#include <tenon/values.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tenon::json {

/// Puts a JSON text together, without spaces. REQUIRED: what is begun is ended, and each member of
/// an object has its key first.
class TENON_API Writer {
 public:
  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  void key(std::string_view name);

  void boolean(bool value) { plain(value ? "true" : "false"); }
  void number(std::int64_t value);
  void number(std::uint64_t value);
  void number(float value);
  void number(double value);
  /// Bytes that are no UTF-8 become U+FFFD.
  void text(std::string_view value);
  void base64(BytesView value);
  /// A JSON text as it stands; one that is none becomes a text.
  void json(std::string_view value);

  /// What was written.
  std::string take() noexcept { return std::move(text_); }

 private:
  void begin(char bracket);
  void end(char bracket);
  void plain(std::string_view value);
  void separate();

  std::string text_;
  bool follows_value_ = false;
};

namespace detail {
struct Node;
struct Tree;
}  // namespace detail

class Reader;

/// A parsed text.
class TENON_API Document {
 public:
  /// Errors: `not-json`, with line and column as its place.
  static Result<Document> parse(std::string_view text);
  Document(Document&&) noexcept;
  ~Document();

  /// The whole of it.
  Reader root();
  /// Why reading failed. REQUIRED: a Reader of this document answered false.
  Error take_error() { return std::move(*error_); }

 private:
  friend class Reader;
  explicit Document(std::unique_ptr<const detail::Tree> tree) noexcept;

  std::unique_ptr<const detail::Tree> tree_;
  std::optional<Error> error_;
};

/// One value of a document, and where it stands. Functions that read answer false when it is not
/// what they are for; then the document has the error, `wrong-value` with the path of the value.
class TENON_API Reader {
 public:
  bool read(bool& value) const;
  bool read(float& value) const;
  bool read(double& value) const;
  bool read(std::string& value) const;
  bool read(Bytes& value) const;
  bool read(Json& value) const;
  /// Whole numbers in a range; `type` names it in the error: "int8".
  bool read_integer(std::int64_t& value, std::int64_t least, std::int64_t most,
                    std::string_view type) const;
  bool read_natural(std::uint64_t& value, std::uint64_t most, std::string_view type) const;
  /// How many elements an array has, or members an object.
  bool read_array(std::size_t& count) const;
  bool read_object(std::size_t& count) const;

  /// REQUIRED: i < count.
  Reader element(std::size_t i) const;
  Reader entry(std::size_t i) const { return member(i, true); }  // of a map, by its place
  Reader field(std::size_t i) const { return member(i, false); }
  std::string_view key(std::size_t i) const;

  /// Makes "expected <needed>, found <what is there>" the error. Answers false.
  bool fail(std::string_view needed) const;
  /// Makes `message` the error, about the member `key` of this object. Answers false.
  bool fail_member(std::string_view key, std::string_view message) const;

 private:
  friend class Document;
  enum class Place { root, element, entry, field };

  Reader(Document& document, const detail::Node& node) noexcept
      : document_(&document), node_(&node) {}
  Reader member(std::size_t i, bool of_map) const;
  std::string path() const;

  Document* document_;
  const detail::Node* node_;
  const Reader* parent_ = nullptr;
  Place place_ = Place::root;
  std::size_t index_ = 0;
};

/// How values of type T are written and read:
///   static void write(Writer&, const T&);
///   static bool read(const Reader&, T&);
template <class T, class = void>
struct Codec;

template <>
struct Codec<bool> {
  static void write(Writer& out, bool value) { out.boolean(value); }
  static bool read(const Reader& in, bool& value) { return in.read(value); }
};

template <class T>
struct Codec<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static void write(Writer& out, T value) {
    if constexpr (std::is_signed_v<T>) {
      out.number(std::int64_t{value});
    } else {
      out.number(std::uint64_t{value});
    }
  }
  static bool read(const Reader& in, T& value) {
    using Limits = std::numeric_limits<T>;
    static constexpr std::string_view types[] = {"int8",  "int16",  "int32",  "int64",
                                                 "uint8", "uint16", "uint32", "uint64"};
    constexpr std::size_t power = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    if constexpr (std::is_signed_v<T>) {
      std::int64_t number = 0;
      if (!in.read_integer(number, Limits::min(), Limits::max(), types[power])) return false;
      value = static_cast<T>(number);
    } else {
      std::uint64_t number = 0;
      if (!in.read_natural(number, Limits::max(), types[4 + power])) return false;
      value = static_cast<T>(number);
    }
    return true;
  }
};

template <class T>
struct Codec<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static void write(Writer& out, T value) { out.number(value); }
  static bool read(const Reader& in, T& value) { return in.read(value); }
};

template <>
struct Codec<std::string> {
  static void write(Writer& out, const std::string& value) { out.text(value); }
  static bool read(const Reader& in, std::string& value) { return in.read(value); }
};

template <>
struct Codec<Bytes> {
  static void write(Writer& out, const Bytes& value) { out.base64(value); }
  static bool read(const Reader& in, Bytes& value) { return in.read(value); }
};

template <>
struct Codec<Json> {
  static void write(Writer& out, const Json& value) { out.json(value.text); }
  static bool read(const Reader& in, Json& value) { return in.read(value); }
};

template <>
struct Codec<Duration> {
  static void write(Writer& out, Duration value) { out.number(std::int64_t{value.count()}); }
  static bool read(const Reader& in, Duration& value) {
    std::int64_t count = 0;
    if (!Codec<std::int64_t>::read(in, count)) return false;
    value = Duration(count);
    return true;
  }
};

template <>
struct Codec<Timestamp> {
  static void write(Writer& out, Timestamp value) {
    Codec<Duration>::write(out, value.time_since_epoch());
  }
  static bool read(const Reader& in, Timestamp& value) {
    Duration since{};
    if (!Codec<Duration>::read(in, since)) return false;
    value = Timestamp(since);
    return true;
  }
};

template <class T>
struct Codec<std::vector<T>, std::enable_if_t<!std::is_same_v<T, std::uint8_t>>> {
  static void write(Writer& out, const std::vector<T>& values) {
    out.begin_array();
    for (const auto& value : values) Codec<T>::write(out, value);
    out.end_array();
  }
  static bool read(const Reader& in, std::vector<T>& values) {
    std::size_t count = 0;
    if (!in.read_array(count)) return false;
    values.reserve(count);
    for (std::size_t i = 0; i < count; i++) {
      T value{};
      if (!Codec<T>::read(in.element(i), value)) return false;
      values.push_back(std::move(value));
    }
    return true;
  }
};

template <class T>
struct Codec<std::map<std::string, T, std::less<>>> {
  using Map = std::map<std::string, T, std::less<>>;
  static void write(Writer& out, const Map& map) {
    out.begin_object();
    for (const auto& [key, value] : map) {
      out.key(key);
      Codec<T>::write(out, value);
    }
    out.end_object();
  }
  static bool read(const Reader& in, Map& map) {
    std::size_t count = 0;
    if (!in.read_object(count)) return false;
    for (std::size_t i = 0; i < count; i++) {
      T value{};
      if (!Codec<T>::read(in.entry(i), value)) return false;
      map.emplace(in.key(i), std::move(value));
    }
    return true;
  }
};

/// Writes one field of an object.
template <class T>
void write_field(Writer& out, std::string_view name, const T& value) {
  out.key(name);
  Codec<T>::write(out, value);
}
template <class T>
void write_field(Writer& out, std::string_view name, const std::optional<T>& value) {
  if (value) write_field(out, name, *value);
}
/// The bag is left out when there is nothing in it.
inline void write_bag(Writer& out, const Bytes& bag) {
  if (!bag.empty()) write_field(out, "bag", bag);
}

/// Reads the fields of an object one by one; each function answers whether to go on.
class Fields {
 public:
  explicit Fields(const Reader& object) : object_(object) {
    std::size_t count = 0;
    is_object_ = object_.read_object(count);
    unread_.assign(count, true);
  }

  template <class T>
  bool read(std::string_view name, T& value) {
    const std::optional<std::size_t> at = take(name);
    if (at) return Codec<T>::read(object_.field(*at), value);
    return is_object_ && object_.fail_member(name, "missing");
  }
  template <class T>
  bool read(std::string_view name, std::optional<T>& value) {
    const std::optional<std::size_t> at = take(name);
    return at ? Codec<T>::read(object_.field(*at), value.emplace()) : is_object_;
  }
  bool read_bag(Bytes& bag) {
    const std::optional<std::size_t> at = take("bag");
    return at ? Codec<Bytes>::read(object_.field(*at), bag) : is_object_;
  }
  /// Whether nothing is left that nobody asked for.
  bool finish() const {
    for (std::size_t i = 0; i < unread_.size(); i++) {
      if (unread_[i]) return object_.fail_member(object_.key(i), "not a field of this type");
    }
    return is_object_;
  }

 private:
  std::optional<std::size_t> take(std::string_view name) {
    for (std::size_t i = 0; i < unread_.size(); i++) {
      if (!unread_[i] || object_.key(i) != name) continue;
      unread_[i] = false;
      return i;
    }
    return std::nullopt;
  }

  const Reader& object_;
  bool is_object_ = false;
  std::vector<bool> unread_;
};

/// The name of a value of an enum: `from_text` finds it, `names` are all of them for the error.
template <class T, class FromText>
bool read_name(const Reader& in, T& value, FromText&& from_text, std::string_view names) {
  std::string text;
  if (!in.read(text)) return false;
  const std::optional<T> known = from_text(text);
  if (!known) return in.fail(names);
  value = *known;
  return true;
}

/// A value as JSON text.
template <class T>
std::string write(const T& value) {
  Writer out;
  Codec<T>::write(out, value);
  return out.take();
}

/// The value that a JSON text is. Errors: `not-json`, `wrong-value`.
template <class T>
Result<T> read(std::string_view text) {
  Result<Document> document = Document::parse(text);
  if (!document) return std::move(document).error();
  T value{};
  if (!Codec<T>::read(document->root(), value)) return document->take_error();
  return value;
}

}  // namespace tenon::json
