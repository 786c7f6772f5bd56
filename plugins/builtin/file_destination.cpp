// SPDX-License-Identifier: BSL-1.0
#include "file_destination.hpp"

#include "json_text.hpp"
#include "lines.hpp"
#include "records.hpp"

#include <boost/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tenon::builtin {
namespace {

/// What an earlier run left.
struct Kept {
  std::int64_t size = 0;       // that is complete
  bool needs_newline = false;  // the last line lacks its end and nothing else
  std::string cut;             // the line that is not complete, for the log
};

Kept keep_json_lines(Lines& lines) {
  Kept kept;
  std::string_view line;
  while (lines.next(line)) {
    // Of an object the beginning is told from the whole, and only objects are written here.
    if (!lines.ended() && !check_json(line).is_object) {
      kept.cut.assign(line);
      return kept;
    }
    kept.size = lines.offset();
    kept.needs_newline = !lines.ended();
  }
  return kept;
}

Kept keep_csv(Lines& lines, CsvRow& header) {
  Kept kept;
  CsvRow row;
  for (;;) {
    try {
      if (!read_csv_row(lines, row)) return kept;
    } catch (const sdk::Failure& failure) {
      if (failure.status() != TENON_DATA_LOSS) throw;
      kept.cut = failure.message();
      return kept;
    }
    if (!lines.ended()) {
      for (const std::string& field : row) kept.cut.append(field).push_back(' ');
      return kept;
    }
    if (header.empty()) header = row;
    if (row.size() != header.size()) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, lines.path(), ":", lines.line(), ": ",
                         row.size(), " fields, but the header has ", header.size());
    }
    kept.size = lines.offset();
  }
}

std::string field_text(const boost::json::value& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return std::string(value.get_string());
  if (value.is_double()) return number_text(value.get_double());
  return boost::json::serialize(value);
}

}  // namespace

void FileDestination::configure(const sdk::Config& config) {
  path_ = config.get<std::string>("path");
  format_ = file_format(config, path_);
}

void FileDestination::open() {
  header_.clear();
  Kept kept;
  if (::access(path_.c_str(), F_OK) == 0) {
    Lines lines(path_);
    kept = format_ == FileFormat::csv ? keep_csv(lines, header_) : keep_json_lines(lines);
  }
  if (!kept.cut.empty()) {
    log.warn(path_, " ended in the middle of a line, which is taken out: ", kept.cut);
  }
  file_.emplace(path_, kept.size);
  if (kept.needs_newline) file_->append("\n");
}

sdk::WritingDestination::Refused FileDestination::write_all(ListView<RecordV2> records) {
  Refused refused;
  const CsvRow header_before = header_;
  piece_.clear();
  for (std::size_t i = 0; i < records.size() && refused.empty(); i++) {
    try {
      add(records[i]);
    } catch (const sdk::Refusal& refusal) {
      refused.emplace(i, sdk::ack_error(refusal));
    }
  }
  try {
    file_->append(piece_);
  } catch (const sdk::Failure&) {
    header_ = header_before;
    throw;
  }
  return refused;
}

void FileDestination::add(RecordV2View record) {
  const std::optional<BytesView> payload = record.payload().after();
  if (!payload) {
    throw sdk::Refusal("no-payload", "a file takes no record without a payload");
  }
  const std::string_view text = payload->text();
  if (!check_json(text).is_object) {
    throw sdk::Refusal("wrong-json", "the payload is no JSON object");
  }
  const bool one_line =
      text.find('\n') == std::string_view::npos && text.find('\r') == std::string_view::npos;
  if (format_ == FileFormat::json_lines && one_line) {
    piece_.append(text).push_back('\n');
    return;
  }
  boost::json::error_code ignored;  // the text was checked
  const boost::json::value value = parse_json(text, ignored);
  if (format_ == FileFormat::csv) {
    add_row(value.get_object());
  } else {
    piece_.append(boost::json::serialize(value)).push_back('\n');
  }
}

void FileDestination::add_row(const boost::json::object& object) {
  if (header_.empty()) {
    if (object.empty()) throw sdk::Refusal("no-fields", "the payload has no fields");
    for (const auto& member : object) header_.emplace_back(member.key());
    append_csv_row(piece_, header_);
  }
  for (const auto& member : object) {
    if (std::find(header_.begin(), header_.end(), member.key()) == header_.end()) {
      throw sdk::Refusal("unknown-field", "the field \"", std::string_view(member.key()),
                         "\" is not in the header of ", path_);
    }
  }
  CsvRow row;
  for (const std::string& name : header_) {
    const boost::json::value* value = object.if_contains(name);
    row.push_back(value != nullptr ? field_text(*value) : std::string());
  }
  append_csv_row(piece_, row);
}

void FileDestination::teardown() {
  file_.reset();
  HoldingDestination::teardown();
}

}  // namespace tenon::builtin
