// SPDX-License-Identifier: BSL-1.0
//
// The parameter `table` of the destination. It is a name in SQL, in which {metadata.NAME} stands
// for a name in the metadata of the record: sales.{metadata.opencdc.collection}
#pragma once

#include <tenon/record.hpp>
#include <tenon/sdk/failure.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connection.hpp"

namespace tenon::postgres {

class TableTemplate {
 public:
  /// `{{` is a bracket. Throws sdk::Failure.
  explicit TableTemplate(std::string_view text) {
    while (!text.empty()) {
      const std::size_t begin = text.find('{');
      add_text(text.substr(0, begin));
      if (begin == std::string_view::npos) return;
      text.remove_prefix(begin + 1);
      if (text.substr(0, 1) == "{") {
        add_text("{");
        text.remove_prefix(1);
        continue;
      }
      const std::size_t end = text.find('}');
      const std::string_view part = text.substr(0, end);
      if (end == std::string_view::npos || part.substr(0, prefix.size()) != prefix ||
          part.size() == prefix.size()) {
        throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"table\" has the part \"{", part,
                           "\", expected {metadata.NAME}; fix: write {{ for a bracket");
      }
      parts_.push_back({true, std::string(part.substr(prefix.size()))});
      is_constant_ = false;
      text.remove_prefix(end + 1);
    }
  }

  /// Returns whether the table is the same for all records.
  bool is_constant() const noexcept { return is_constant_; }

  /// Returns the name of the table for a record in SQL. Returns nothing if the record lacks an
  /// entry of the metadata.
  std::optional<std::string> name_for(RecordV2View record) const {
    std::string name;
    for (const Part& part : parts_) {
      if (!part.is_metadata) {
        name += part.text;
        continue;
      }
      const auto value = record.metadata().find(part.text);
      if (!value || value->empty()) return std::nullopt;
      name += quoted_name(*value);
    }
    return name;
  }
  /// Returns the name if it is the same for all records.
  std::string constant() const { return parts_.empty() ? "" : parts_.front().text; }

 private:
  static constexpr std::string_view prefix = "metadata.";

  struct Part {
    bool is_metadata;
    std::string text;  // or the name of the entry
  };

  void add_text(std::string_view text) {
    if (parts_.empty() || parts_.back().is_metadata) parts_.push_back({false, {}});
    parts_.back().text += text;
    if (parts_.back().text.empty()) parts_.pop_back();
  }

  std::vector<Part> parts_;
  bool is_constant_ = true;
};

}  // namespace tenon::postgres
