// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/file as a source: each line of JSON, or each row of CSV below a header, is a record. A
// position is the byte offset of the next record and the number of lines before it: "1734 12".
#pragma once

#include <tenon/sdk/reading_source.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "csv.hpp"
#include "file_format.hpp"
#include "json_members.hpp"
#include "lines.hpp"

namespace tenon::builtin {

class FileSource : public sdk::ReadingSource {
 public:
  void configure(const sdk::Config& config) override;
  void open(std::optional<BytesView> position) override;
  void read_some(sdk::RecordBatch& batch) override;
  void teardown() override { lines_.reset(); }

 private:
  /// Reads the next line or row into `record_`. Returns false at the end.
  bool next();
  bool next_json();
  bool next_row();
  void set_record(std::string_view key, std::string_view payload);
  std::string key() const;
  std::string key_of(const boost::json::object& row) const;
  template <class... Parts>
  sdk::Failure wrong(const Parts&... parts) const {
    return sdk::Failure(TENON_INVALID_ARGUMENT, path_, ":", lines_->line(), ": ", parts...);
  }

  std::string path_;
  std::string key_field_;
  FileFormat format_ = FileFormat::json_lines;
  std::optional<Lines> lines_;
  JsonMembers members_;
  CsvRow header_;
  RecordV2 record_;       // the last record that was read
  std::string position_;  // the position of that record
};

}  // namespace tenon::builtin
