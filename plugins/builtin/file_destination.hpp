// SPDX-License-Identifier: BSL-1.0
//
// tenon.dev/file as a destination: appends the payload of each record as a line of JSON or a row of
// CSV, or each record as the text of a template and a newline. A batch is on the disk before it is
// acknowledged. If an earlier run was interrupted in the middle of a line, opening the file moves
// that line, which was never acknowledged, to the end of a file with the extension ".incomplete":
// another program may have written it.
#pragma once

#include <tenon/sdk/holding_destination.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "append_file.hpp"
#include "csv.hpp"
#include "file_format.hpp"
#include "json_members.hpp"
#include "record_template.hpp"

namespace tenon::builtin {

class FileDestination : public sdk::HoldingDestination {
 public:
  void configure(const sdk::Config& config) override;
  void open() override;
  Refused write_all(ListView<RecordV2> records) override;
  void sync() override { file_->sync(); }
  void teardown() override;

 private:
  /// Appends a record to `piece_` as a line or row. Throws sdk::Refusal if that is not possible.
  void add(RecordV2View record);
  void add_row(std::string_view payload);
  void set_header(CsvRow names);

  std::string path_;
  FileFormat format_ = FileFormat::json_lines;  // without a template
  std::optional<RecordTemplate> template_;
  std::optional<AppendFile> file_;
  CsvRow header_;                                            // empty until the first row
  std::map<std::string, std::size_t, std::less<>> columns_;  // by the names in the header
  JsonMembers fields_;                                       // of the current record
  std::string piece_;                                        // the text of the batch
};

}  // namespace tenon::builtin
