// SPDX-License-Identifier: BSL-1.0
#include "file_source.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "json_text.hpp"
#include "log_rotation.hpp"
#include "path_parameter.hpp"
#include "utf8.hpp"

namespace tenon::builtin {
namespace {

/// The numbers of a position.
enum Number : std::size_t { offset, line, inode, content, count };

std::string_view name_of(FileFormat format) {
  return format == FileFormat::csv ? "csv" : "json-lines";
}

/// Returns the first of these files that was written to after another file.
std::vector<std::string>::const_iterator written_after(const std::vector<std::string>& files,
                                                       const std::string& other) {
  const auto time_of = [](const std::string& path) {
    return std::filesystem::last_write_time(std::filesystem::u8path(path));
  };
  return std::find_if(files.begin(), files.end(), [&, time = time_of(other)](const auto& file) {
    return time_of(file) > time;
  });
}

/// Returns whether a file begins with the content that was read before a position.
bool has_content(const std::string& path, const DataPosition& last) {
  Lines lines(path);
  const auto content = lines.checksum_before(last.numbers[Number::offset]);
  return static_cast<std::int64_t>(content.value()) == last.numbers[Number::content];
}

}  // namespace

void FileSource::configure(const sdk::Config& config) {
  path_ = path_parameter(config, "path");
  key_field_ = config.get("key", "");
  format_ = file_format(config, path_);
}

void FileSource::open(std::optional<BytesView> position) {
  later_.clear();
  end_of_positions_ = end_of_positions(name_of(format_), path_);
  if (!position) {
    open_file(path_);
    if (format_ == FileFormat::csv && header_.empty()) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, path_, ": no header, the file is empty");
    }
    return;
  }
  const DataPosition last = parse_data_position(*position, Number::count);
  const auto& numbers = last.numbers;
  if (numbers[Number::offset] < 0 || numbers[Number::line] < 0) throw foreign_position(*position);
  if (last.name != name_of(format_) || !last.path.is(path_)) {
    throw sdk::wrong_position(
        sdk::text(last.path.is(path_) ? path_ : "another path", " as ", last.name),
        sdk::text(path_, " as ", name_of(format_)));
  }
  later_ = files_after(last);
  open_file(later_.front());
  later_.pop_front();
  lines_->seek(numbers[Number::offset], numbers[Number::line]);
}

/// Opens a file and reads its header. An empty CSV file has none.
void FileSource::open_file(const std::string& path) {
  lines_.emplace(path);
  inode_ = static_cast<std::int64_t>(lines_->inode());
  header_.clear();
  if (format_ != FileFormat::csv || !read_csv_row(*lines_, header_)) return;
  check_csv_header(*lines_, header_);
  for (const std::string& name : header_) {
    if (!is_utf8(name)) throw wrong("a name in the header is not UTF-8");
  }
}

/// Returns the file that a position is in, and the files after it. Throws sdk::Failure,
/// TENON_DATA_LOSS if no file has the content that was read.
std::deque<std::string> FileSource::files_after(const DataPosition& last) const {
  const std::vector<std::string> rotated = rotated_files(path_);
  std::vector<std::string> candidates;
  const auto inode = static_cast<std::uint64_t>(last.numbers[Number::inode]);
  // A file that was renamed comes before the new one, which may begin with the same lines.
  const bool is_renamed = Lines(path_).inode() != inode;
  if (is_renamed) {
    if (const auto renamed = file_of_inode(path_, inode)) candidates.push_back(*renamed);
  }
  candidates.push_back(path_);
  candidates.insert(candidates.end(), rotated.rbegin(), rotated.rend());
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const std::string& path) { return has_content(path, last); });
  if (found == candidates.end()) throw sdk::data_changed(path_);
  std::deque<std::string> files = {*found};
  if (*found == path_) return files;
  const auto at = std::find(rotated.begin(), rotated.end(), *found);
  files.insert(files.end(), at == rotated.end() ? written_after(rotated, *found) : at + 1,
               rotated.end());
  files.push_back(path_);
  return files;
}

void FileSource::read_some(sdk::RecordBatch& batch) {
  call().check();
  while (!batch.full() && next()) batch.add(record_);
}

bool FileSource::next() {
  while (!(format_ == FileFormat::csv ? next_row() : next_json())) {
    if (later_.empty()) return false;
    open_file(later_.front());
    later_.pop_front();
  }
  return true;
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
  set_position(
      position_,
      {lines_->offset(), lines_->line(), inode_, static_cast<std::int64_t>(lines_->checksum())},
      end_of_positions_);
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
