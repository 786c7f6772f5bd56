// SPDX-License-Identifier: BSL-1.0
#include "file_source.hpp"

#include "records.hpp"

#include <boost/json.hpp>

#include <string_view>
#include <utility>

namespace tenon::builtin {
namespace {

std::string make_position(std::int64_t offset, std::int64_t line) {
  return sdk::text(offset, ' ', line);
}

}  // namespace

void FileSource::configure(const sdk::Config& config) {
  path_ = config.get<std::string>("path");
  key_field_ = config.get("key", "");
  format_ = file_format(config, path_);
}

void FileSource::open(std::optional<BytesView> position) {
  lines_.emplace(path_);
  if (format_ == FileFormat::csv && !read_csv_row(*lines_, header_)) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": no header, the file is empty");
  }
  if (!position) return;
  std::string_view rest = position->text();
  const std::int64_t offset = take_number(rest);
  if (!rest.empty()) rest.remove_prefix(1);
  const std::int64_t line = take_number(rest);
  if (offset < 0 || line < 0 || *position != BytesView(make_position(offset, line))) {
    throw not_ours(*position);
  }
  lines_->seek(offset, line);
}

void FileSource::read_some(sdk::RecordBatch& batch) {
  call().check();
  while (!batch.full()) {
    std::optional<RecordV2> record = next();
    if (!record) return;
    batch.add(*std::move(record));
  }
}

std::optional<RecordV2> FileSource::next() {
  std::string payload;
  boost::json::value value;
  bool found = format_ == FileFormat::csv ? next_row(payload, value) : next_json(payload, value);
  if (!found) return std::nullopt;
  return json_record(make_position(lines_->offset(), lines_->line()), key_of(value), payload);
}

bool FileSource::next_json(std::string& payload, boost::json::value& value) {
  std::string_view line;
  do {
    if (!lines_->next(line)) return false;
    line = without_return(line);
  } while (line.find_first_not_of(" \t") == std::string_view::npos);
  boost::json::error_code error;
  value = boost::json::parse({line.data(), line.size()}, error);
  if (error) throw wrong("not JSON: ", error.message());
  payload.assign(line);
  return true;
}

bool FileSource::next_row(std::string& payload, boost::json::value& value) {
  CsvRow row;
  if (!read_csv_row(*lines_, row)) return false;
  if (row.size() != header_.size()) {
    throw wrong(row.size(), " fields, but the header has ", header_.size());
  }
  boost::json::object object;
  for (std::size_t i = 0; i < row.size(); i++) object.insert_or_assign(header_[i], row[i]);
  payload = boost::json::serialize(object);
  value = std::move(object);
  return true;
}

std::string FileSource::key_of(const boost::json::value& value) const {
  if (key_field_.empty()) return std::to_string(lines_->line());
  const boost::json::value* key =
      value.is_object() ? value.get_object().if_contains(key_field_) : nullptr;
  if (key == nullptr) throw wrong("no field \"", key_field_, "\" to be the key");
  return key->is_string() ? std::string(key->get_string()) : boost::json::serialize(*key);
}

}  // namespace tenon::builtin
