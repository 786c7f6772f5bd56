// SPDX-License-Identifier: BSL-1.0
#include "file_destination.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "json_text.hpp"
#include "lines.hpp"
#include "path_parameter.hpp"
#include "records.hpp"

namespace tenon::builtin {
namespace {

/// The content that an earlier run wrote.
struct ExistingContent {
  std::int64_t size = 0;       // bytes up to the end of the last complete line
  bool needs_newline = false;  // the last line is complete except for its newline
  bool has_rest = false;       // an incomplete line follows
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
      content.has_rest = true;
      return content;
    }
    content.size = lines.offset();
    content.needs_newline = !lines.ends_with_newline();
  }
  return content;
}

/// The text of a template may contain anything, so only the last line can be incomplete.
ExistingContent check_lines(Lines& lines) {
  ExistingContent content;
  std::string_view line;
  while (lines.next(line)) {
    content.has_rest = !lines.ends_with_newline();
    if (!content.has_rest) content.size = lines.offset();
  }
  return content;
}

/// Returns whether a row may be from a power failure.
bool has_zeros(const CsvRow& row) {
  return std::any_of(row.begin(), row.end(), [](const std::string& field) {
    return field.find('\0') != std::string::npos;
  });
}

ExistingContent check_csv(Lines& lines, CsvRow& header) {
  ExistingContent content;
  CsvRow row;
  for (;;) {
    bool closed = true;
    try {
      if (!read_csv_row(lines, row)) return content;
    } catch (const sdk::Failure& failure) {
      if (failure.status() != TENON_DATA_LOSS) throw;
      closed = false;
    }
    const bool complete = closed && lines.ends_with_newline();
    if (header.empty() && closed && !complete && !has_zeros(row)) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, lines.path(), ":", lines.line(),
                         ": the header does not end with a newline; fix: choose another path, or "
                         "end the line");
    }
    if (header.empty() && complete) {
      check_csv_header(lines, row);
      header = row;
    }
    // The part of a row that a crash left has the same number of fields or fewer.
    const bool fits =
        complete ? row.size() == header.size() : header.empty() || row.size() <= header.size();
    if (!fits) {
      throw sdk::Failure(TENON_FAILED_PRECONDITION, lines.path(), ":", lines.line(), ": ",
                         row.size(), " fields, but the header has ", header.size());
    }
    if (!complete) {
      content.has_rest = true;
      return content;
    }
    content.size = lines.offset();
  }
}

/// Returns the field for a JSON value: numbers, lists and objects as they are written.
std::string field_text(std::string_view json) {
  if (json == "null") return {};
  return json.front() == '"' ? text_of_json(json) : std::string(json);
}

mode_t mode_of(const std::filesystem::file_status& status) {
  return static_cast<mode_t>(status.permissions() & std::filesystem::perms::all);
}

/// Appends a file from an offset on to another file, followed by a newline. `mode`: of a new file.
void copy_rest(const std::string& path, std::int64_t offset, const std::string& to, mode_t mode) {
  std::ifstream from(std::filesystem::u8path(path), std::ios::binary);
  from.seekg(offset);
  AppendFile rest(to, mode);
  rest.truncate(static_cast<std::int64_t>(std::filesystem::file_size(std::filesystem::u8path(to))));
  std::array<char, 65536> piece;
  do {
    from.read(piece.data(), piece.size());
    rest.append({piece.data(), static_cast<std::size_t>(from.gcount())});
  } while (from);
  if (!from.eof()) throw sdk::Failure(TENON_UNKNOWN, "cannot read ", path);
  rest.append("\n");
  rest.sync();
}

}  // namespace

void FileDestination::configure(const sdk::Config& config) {
  path_ = path_parameter(config, "path");
  template_ = RecordTemplate::of(config);
  if (!template_) format_ = file_format(config, path_);
}

void FileDestination::open() {
  std::error_code ignored;
  const auto status = std::filesystem::status(std::filesystem::u8path(path_), ignored);
  const bool exists = std::filesystem::exists(status);
  if (exists && !std::filesystem::is_regular_file(status)) {
    throw sdk::Failure(TENON_FAILED_PRECONDITION, path_, " is not a regular file");
  }
  file_.emplace(path_);  // before the check, so that no other writer changes what was checked
  Lines lines(path_);
  CsvRow header;
  const ExistingContent content = [&] {
    if (template_) return check_lines(lines);
    return format_ == FileFormat::csv ? check_csv(lines, header) : check_json_lines(lines);
  }();
  set_header(std::move(header));
  if (content.has_rest) {
    const std::string to = path_ + ".incomplete";
    copy_rest(path_, content.size, to, exists ? mode_of(status) : 0600);
    log.warn(path_, " ends with an incomplete line, which is moved to ", to);
  }
  file_->truncate(content.size);
  if (content.needs_newline) file_->append("\n");
}

sdk::WritingDestination::Refused FileDestination::write_all(ListView<RecordV2> records) {
  Refused refused;
  const CsvRow header_before = header_;
  piece_.clear();
  for (std::size_t i = 0; i < records.size() && refused.empty(); ++i) {
    try {
      add(records[i]);
    } catch (const sdk::Refusal& refusal) {
      refused.emplace(i, sdk::ack_error(refusal));
    }
  }
  try {
    file_->append(piece_);
  } catch (const sdk::Failure&) {
    set_header(header_before);
    throw;
  }
  return refused;
}

void FileDestination::add(RecordV2View record) {
  if (template_) {
    template_->append(piece_, record);
    piece_.push_back('\n');
    return;
  }
  const std::optional<BytesView> payload = record.payload().after();
  if (!payload) {
    throw sdk::Refusal("no-payload", "the record has no payload");
  }
  const std::string_view text = payload->text();
  if (format_ == FileFormat::csv) return add_row(text);
  if (!check_json(text).is_object) {
    throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
  }
  const std::size_t begin = piece_.size();
  piece_.append(text);
  // Outside of strings, line ends are only white space; inside, they are escaped.
  for (const char end : {'\n', '\r'}) {
    for (std::size_t at = begin; (at = piece_.find(end, at)) != piece_.npos;) piece_[at] = ' ';
  }
  piece_.push_back('\n');
}

void FileDestination::add_row(std::string_view payload) {
  if (!fields_.read(payload)) {
    throw sdk::Refusal("wrong-json", "the payload is not a JSON object");
  }
  if (header_.empty()) {
    if (fields_.all().empty()) throw sdk::Refusal("no-fields", "the payload has no fields");
    CsvRow names;
    for (const auto& field : fields_.all()) {
      if (std::find(names.begin(), names.end(), field.name) == names.end())
        names.emplace_back(field.name);
    }
    set_header(std::move(names));
    append_csv_row(piece_, header_);
  }
  CsvRow row(header_.size());
  for (const auto& field : fields_.all()) {
    const auto column = columns_.find(field.name);
    if (column == columns_.end()) {
      throw sdk::Refusal("unknown-field", "the field \"", field.name, "\" is not in the header of ",
                         path_);
    }
    row[column->second] = field_text(field.value());
  }
  append_csv_row(piece_, row);
}

void FileDestination::set_header(CsvRow names) {
  header_ = std::move(names);
  columns_.clear();
  for (std::size_t i = 0; i < header_.size(); ++i) columns_.emplace(header_[i], i);
}

void FileDestination::teardown() {
  file_.reset();
  HoldingDestination::teardown();
}

}  // namespace tenon::builtin
