// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/file as a source: each line of JSON, or each row of CSV below a header, is a record. A
// position is the byte offset of the next record, the number of lines before it, the inode of the
// file, a checksum of what was read, the format, and marks of the path:
//
//   [1734,12,24581,-7123456789012345678,"json-lines",3735928559,57005]
//
// A position is valid for a file with the same content before the offset. If the file was rotated,
// the rest of the old file is read, then the files that were rotated after it, then the new one.
#pragma once

#include <tenon/sdk/reading_source.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "csv.hpp"
#include "file_format.hpp"
#include "json_members.hpp"
#include "lines.hpp"
#include "records.hpp"

namespace tenon::builtin {

class FileSource : public sdk::ReadingSource {
 public:
  void configure(const sdk::Config& config) override;
  void open(std::optional<BytesView> position) override;
  void read_some(sdk::RecordBatch& batch) override;
  void teardown() override { lines_.reset(); }

 private:
  void open_file(const std::string& path);
  std::deque<std::string> files_after(const DataPosition& last) const;
  /// Reads the next line or row into `record_`. Returns false at the end of the last file.
  bool next();
  bool next_json();
  bool next_row();
  void set_record(std::string_view key, std::string_view payload);
  std::string key() const;
  std::string key_of(const boost::json::object& row) const;
  template <class... Parts>
  sdk::Failure wrong(const Parts&... parts) const {
    return sdk::Failure(TENON_INVALID_ARGUMENT, lines_->path(), ":", lines_->line(), ": ",
                        parts...);
  }

  std::string path_;
  std::string key_field_;
  FileFormat format_ = FileFormat::json_lines;
  std::string end_of_positions_;
  std::optional<Lines> lines_;
  std::int64_t inode_ = 0;         // of the file that is read
  std::deque<std::string> later_;  // the files to read after it
  JsonMembers members_;
  CsvRow header_;
  RecordV2 record_;       // the last record that was read
  std::string position_;  // the position of that record
};

}  // namespace tenon::builtin
