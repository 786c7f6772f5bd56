// SPDX-License-Identifier: BSL-1.0
#include "pgoutput.hpp"

#include <tenon/sdk/failure.hpp>

#include <algorithm>
#include <cstddef>

namespace tenon::postgres {
namespace {

template <class... Parts>
sdk::Failure wrong_message(const Parts&... parts) {
  return sdk::Failure(TENON_DATA_LOSS,
                      "the server sent a message that is not one of pgoutput: ", parts...);
}

Field read_field(MessageReader& reader) {
  switch (const std::uint8_t kind = reader.byte()) {
    case 'n':
      return {Field::Kind::null, {}};
    case 'u':
      return {Field::Kind::unchanged, {}};
    case 't':
      return {Field::Kind::text, reader.bytes(reader.int32())};
    default:
      throw wrong_message("a value of the kind ", int{kind});
  }
}

Tuple read_tuple(MessageReader& reader) {
  const std::size_t count = reader.int16();
  Tuple tuple;
  // Each field has at least a byte.
  tuple.reserve(std::min(count, reader.rest().size()));
  while (tuple.size() < count) tuple.push_back(read_field(reader));
  return tuple;
}

Begin read_begin(MessageReader& reader) {
  Begin begin;
  begin.commit = reader.int64();
  reader.int64();  // time
  reader.int32();  // transaction id
  return begin;
}

Commit read_commit(MessageReader& reader) {
  Commit commit;
  reader.byte();   // flags
  reader.int64();  // begin of the commit
  commit.end = reader.int64();
  reader.int64();  // time
  return commit;
}

RelationColumn read_column(MessageReader& reader) {
  RelationColumn column;
  column.in_identity = (reader.byte() & 1) != 0;
  column.name = reader.text();
  column.type = reader.int32();
  column.modifier = static_cast<std::int32_t>(reader.int32());
  return column;
}

Relation read_relation(MessageReader& reader) {
  Relation relation;
  relation.id = reader.int32();
  const std::string_view schema = reader.text();
  relation.name = sdk::text(schema.empty() ? "pg_catalog" : schema, ".", reader.text());
  reader.byte();  // the replica identity
  for (std::size_t left = reader.int16(); left > 0; --left) {
    relation.columns.push_back(read_column(reader));
  }
  return relation;
}

RowChange read_change(MessageReader& reader, RowChange::Kind kind) {
  RowChange change;
  change.kind = kind;
  change.relation = reader.int32();
  std::uint8_t part = reader.byte();
  if (kind != RowChange::Kind::insert && (part == 'K' || part == 'O')) {
    change.before_is_key = part == 'K';
    change.before = read_tuple(reader);
    if (kind == RowChange::Kind::remove) return change;
    part = reader.byte();
  }
  if (kind == RowChange::Kind::remove || part != 'N') throw wrong_message("a row ", int{part});
  change.after = read_tuple(reader);
  return change;
}

Truncate read_truncate(MessageReader& reader) {
  Truncate truncate;
  std::uint32_t left = reader.int32();
  reader.byte();  // options
  for (; left > 0; --left) truncate.relations.push_back(reader.int32());
  return truncate;
}

Message read_message(MessageReader& reader) {
  switch (const std::uint8_t kind = reader.byte()) {
    case 'B':
      return read_begin(reader);
    case 'C':
      return read_commit(reader);
    case 'R':
      return read_relation(reader);
    case 'I':
      return read_change(reader, RowChange::Kind::insert);
    case 'U':
      return read_change(reader, RowChange::Kind::update);
    case 'D':
      return read_change(reader, RowChange::Kind::remove);
    case 'T':
      return read_truncate(reader);
    case 'M':
    case 'O':
    case 'Y':
      reader.bytes(reader.rest().size());
      return Other{};
    default:
      throw wrong_message("the kind ", int{kind});
  }
}

}  // namespace

std::string_view MessageReader::bytes(std::size_t size) {
  if (size > rest_.size()) throw wrong_message("it is too short");
  const std::string_view bytes = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return bytes;
}

std::string_view MessageReader::text() {
  const std::size_t size = rest_.find('\0');
  if (size == std::string_view::npos) throw wrong_message("a text has no end");
  const std::string_view text = bytes(size);
  rest_.remove_prefix(1);
  return text;
}

std::uint64_t MessageReader::number(std::size_t size) {
  std::uint64_t number = 0;
  for (const char c : bytes(size)) number = number << 8 | static_cast<std::uint8_t>(c);
  return number;
}

Message decode(std::string_view bytes) {
  MessageReader reader(bytes);
  Message message = read_message(reader);
  if (!reader.rest().empty()) throw wrong_message("it is too long");
  return message;
}

}  // namespace tenon::postgres
