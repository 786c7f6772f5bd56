// SPDX-License-Identifier: BSL-1.0
#include "file_source.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string_view>
#include <utility>

#include "json_text.hpp"
#include "path_parameter.hpp"
#include "records.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

void set_position(std::string& position, std::int64_t offset, std::int64_t line) {
  char digits[20];
  position.assign(digits, std::to_chars(digits, std::end(digits), offset).ptr);
  position.push_back(' ');
  position.append(digits, std::to_chars(digits, std::end(digits), line).ptr);
}

}  // namespace

void FileSource::configure(const sdk::Config& config) {
  path_ = path_parameter(config, "path");
  key_field_ = config.get("key", "");
  format_ = file_format(config, path_);
}

void FileSource::open(std::optional<BytesView> position) {
  lines_.emplace(path_);
  if (format_ == FileFormat::csv && !read_csv_row(*lines_, header_)) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": no header, the file is empty");
  }
  check_csv_header(*lines_, header_);
  for (const std::string& name : header_) {
    if (!is_utf8(name)) throw wrong("a name in the header is not UTF-8");
  }
  if (!position) return;
  std::string_view rest = position->text();
  const std::int64_t offset = take_number(rest);
  if (!rest.empty()) rest.remove_prefix(1);
  const std::int64_t line = take_number(rest);
  set_position(position_, offset, line);
  if (offset < 0 || line < 0 || position->text() != position_) throw foreign_position(*position);
  lines_->seek(offset, line);
}

void FileSource::read_some(sdk::RecordBatch& batch) {
  call().check();
  while (!batch.full() && next()) batch.add(record_);
}

bool FileSource::next() {
  return format_ == FileFormat::csv ? next_row() : next_json();
}

bool FileSource::next_json() {
  std::string_view line;
  do {
    if (!lines_->next(line)) return false;
    line = without_return(line);
  } while (line.find_first_not_of(" \t") == std::string_view::npos);
  const bool has_members = !key_field_.empty() && members_.read(line);
  if (!has_members) {
    if (const auto error = check_json(line).error) throw wrong("not JSON: ", error.message());
  }
  set_record(key_field_.empty() ? std::to_string(lines_->line()) : key(), line);
  return true;
}

bool FileSource::next_row() {
  CsvRow row;
  if (!read_csv_row(*lines_, row)) return false;
  if (row.size() != header_.size()) {
    throw wrong(row.size(), " fields, but the header has ", header_.size());
  }
  boost::json::object object;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!is_utf8(row[i])) throw wrong("the field \"", header_[i], "\" is not UTF-8");
    object.insert_or_assign(header_[i], row[i]);
  }
  const std::string payload = boost::json::serialize(object);
  set_record(key_field_.empty() ? std::to_string(lines_->line()) : key_of(object), payload);
  return true;
}

void FileSource::set_record(std::string_view key, std::string_view payload) {
  set_position(position_, lines_->offset(), lines_->line());
  set_json(record_, position_, key, payload);
}

/// Returns the key of the object in `members_`: a number as it is written, since different numbers
/// may be the same double.
std::string FileSource::key() const {
  const auto& all = members_.all();
  const auto found = std::find_if(all.rbegin(), all.rend(),
                                  [this](const auto& member) { return member.name == key_field_; });
  if (found == all.rend()) throw wrong("the key field \"", key_field_, "\" is missing");
  const std::string_view value = found->value();
  if (value == "null") throw wrong("the key field \"", key_field_, "\" is null");
  return value.front() == '"' ? text_of_json(value) : std::string(value);
}

std::string FileSource::key_of(const boost::json::object& row) const {
  const boost::json::value* key = row.if_contains(key_field_);
  if (key == nullptr) throw wrong("the key field \"", key_field_, "\" is missing");
  return std::string(key->get_string());
}

}  // namespace tenon::builtin
