// SPDX-License-Identifier: BSL-1.0
#include "file_destination.hpp"

#include "json_text.hpp"
#include "lines.hpp"
#include "path_parameter.hpp"
#include "records.hpp"

#include <boost/json.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace tenon::builtin {
namespace {

/// The content that an earlier run wrote.
struct ExistingContent {
  std::int64_t size = 0;        // bytes up to the end of the last complete line
  bool needs_newline = false;   // the last line is complete except for its newline
  std::string incomplete_line;  // for the log
};

/// Returns whether a line may be the beginning of an object. Part of a file may contain zeros after
/// a power failure.
bool may_begin_object(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  return begin == line.npos || line[begin] == '{' || line[begin] == '\0';
}

ExistingContent check_json_lines(Lines& lines) {
  ExistingContent content;
  std::string_view line;
  while (lines.next(line)) {
    // Only objects are written, and a part of an object is not valid JSON.
    if (!lines.ends_with_newline() && !check_json(line).is_object) {
      if (!may_begin_object(line)) {
        throw sdk::Failure(TENON_FAILED_PRECONDITION, lines.path(), ":", lines.line(),
                           ": the last line is not part of a JSON object, so this destination did "
                           "not write it; fix: choose another path, or end the line");
      }
      content.incomplete_line.assign(line);
      return content;
    }
    content.size = lines.offset();
    content.needs_newline = !lines.ends_with_newline();
  }
  return content;
}

ExistingContent check_csv(Lines& lines, CsvRow& header) {
  ExistingContent content;
  CsvRow row;
  for (;;) {
    try {
      if (!read_csv_row(lines, row)) return content;
    } catch (const sdk::Failure& failure) {
      if (failure.status() != TENON_DATA_LOSS) throw;
      content.incomplete_line = failure.message();
      return content;
    }
    if (!lines.ends_with_newline()) {
      for (const std::string& field : row) content.incomplete_line.append(field).push_back(' ');
      return content;
    }
    if (header.empty()) header = row;
    if (row.size() != header.size()) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, lines.path(), ":", lines.line(), ": ",
                         row.size(), " fields, but the header has ", header.size());
    }
    content.size = lines.offset();
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
  path_ = path_parameter(config, "path");
  format_ = file_format(config, path_);
}

void FileDestination::open() {
  header_.clear();
  struct stat status;
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, path_, " is not a regular file");
  }
  file_.emplace(path_);  // before the check, so that no other writer changes what was checked
  Lines lines(path_);
  const ExistingContent content =
      format_ == FileFormat::csv ? check_csv(lines, header_) : check_json_lines(lines);
  if (!content.incomplete_line.empty()) {
    log.warn(path_, " ends with an incomplete line, which is removed: ", content.incomplete_line);
  }
  file_->truncate(content.size);
  if (content.needs_newline) file_->append("\n");
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
    throw sdk::Refusal("no-payload", "the record has no payload");
  }
  const std::string_view text = payload->text();
  if (!check_json(text).is_object) {
    throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
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
