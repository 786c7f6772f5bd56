// SPDX-License-Identifier: BSL-1.0
//
// The fixture of tests that read from the source.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "databases.hpp"

namespace tenon::tests {

/// Returns the operation, key and payload of a record.
inline std::string text_of(RecordV2View record) {
  constexpr const char* operations[] = {"create", "update", "delete", "snapshot"};
  std::string text = operations[static_cast<int>(record.operation())];
  for (const auto& part : {record.key(), record.payload().before(), record.payload().after()}) {
    text.append(" ").append(part ? part->text() : "-");
  }
  return text;
}

class Reading : public Databases {
 protected:
  void TearDown() override { close(); }

  void close() {
    if (!source_) return;
    EXPECT_TRUE((*source_)->teardown());
    source_.reset();
  }

  /// Returns the failure of open.
  std::string open(const TextMap& config, std::optional<std::string> position = {}) {
    close();
    auto created = host_->create<Source>(postgres, with(config));
    if (!created) return created.error().to_string();
    source_.emplace(*std::move(created));
    const auto opened =
        (*source_)->open(position ? std::optional(BytesView(*position)) : std::nullopt);
    return opened ? "" : opened.error().to_string();
  }

  /// Reads at most `max` records. Returns them, or the failure.
  Texts read(int max = 10'000) {
    Call call;
    call.set_timeout(std::chrono::seconds(20));
    const auto records = (*source_)->read_batch(call, max, std::nullopt);
    if (!records) return {records.error().to_string()};
    Texts all;
    for (const auto record : *records) {
      all.push_back(text_of(record));
      positions_.emplace_back(record.position().text());
      collections_.emplace(record.metadata().find("opencdc.collection").value_or("-"));
    }
    return all;
  }
  /// Reads until there are `count` records, or to the end. After another failure, the last text is
  /// its message.
  Texts read_all(std::size_t count = 1'000'000) {
    Texts all;
    while (all.size() < count) {
      Texts some = read();
      if (some.size() == 1 && some[0] == end) break;
      all.insert(all.end(), some.begin(), some.end());
      if (some.size() == 1 && some[0].compare(0, failure.size(), failure) == 0) break;
    }
    return all;
  }

  static constexpr std::string_view failure = "tenon.dev/postgres: read_batch: ";
  static constexpr const char* end =
      "tenon.dev/postgres: read_batch: out-of-range: no more records";

  std::optional<Handle<Source>> source_;
  Texts positions_;
  std::set<std::string> collections_;  // of the records that were read
};

}  // namespace tenon::tests
