// SPDX-License-Identifier: BSL-1.0
//
// Parses the messages of pgoutput, PostgreSQL's plugin for logical decoding, protocol version 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::postgres {

/// A position in the write-ahead log of the server.
using Lsn = std::uint64_t;

/// Reads the numbers and texts of a message in order. Functions throw sdk::Failure with
/// TENON_DATA_LOSS if the message is too short.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t byte() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t int16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t int32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t int64() { return number(8); }
  std::string_view bytes(std::size_t size);
  /// Returns a text that ends with a zero byte.
  std::string_view text();
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::uint64_t number(std::size_t size);

  std::string_view rest_;
};

struct Begin {
  Lsn commit = 0;  // begin of the commit of the transaction
};

struct Commit {
  Lsn end = 0;  // end of the commit of the transaction
};

struct RelationColumn {
  std::string name;
  std::uint32_t type = 0;      // OID of the type
  std::int32_t modifier = -1;  // of the type, such as the length of a varchar
  bool in_identity = false;    // part of the replica identity
};

/// The columns of a table, sent before the first change and again after the columns changed.
struct Relation {
  std::uint32_t id = 0;  // the OID of the table
  std::string name;
  std::vector<RelationColumn> columns;
};

/// A value as text. A value that is stored outside of its row and did not change is not sent.
struct Field {
  enum class Kind { null, unchanged, text };
  Kind kind = Kind::null;
  std::string_view text;
};

using Tuple = std::vector<Field>;

/// An insert, update or delete. Its texts refer to the message.
struct RowChange {
  enum class Kind { insert, update, remove };
  Kind kind = Kind::insert;
  std::uint32_t relation = 0;
  Tuple before;                // empty if it was not sent
  bool before_is_key = false;  // `before` has the replica identity only
  Tuple after;                 // empty after a delete
};

/// The removal of all rows of tables.
struct Truncate {
  std::vector<std::uint32_t> relations;
};

/// A message without rows: Origin, Type, Message.
struct Other {};

using Message = std::variant<Begin, Commit, Relation, RowChange, Truncate, Other>;

/// Parses a message. Throws sdk::Failure with TENON_DATA_LOSS if it is not a message of pgoutput.
Message decode(std::string_view bytes);

}  // namespace tenon::postgres
