// SPDX-License-Identifier: BSL-1.0
#include "sqlite_destination.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "names.hpp"

namespace tenon::builtin {

void SqliteDestination::configure(const sdk::Config& config) {
  path_ = database_path(config);
  table_.emplace(config.get<std::string>("table"), "table");
  key_column_ = config.get("key", "key");
  columns_ = Columns(key_column_);
  for (const std::string& field : split_names(config.get("columns", ""))) {
    if (field == key_column_) {
      throw sdk::Failure(TENON_INVALID_ARGUMENT, "parameter \"columns\" has \"", key_column_,
                         "\", which is the column of the key; choose its name with \"key\"");
    }
    if (!columns_.find(field)) columns_.add(field, columns_.name_for(field));
  }
  const std::string name = table_->constant().value_or("records");
  Database memory;
  SqliteTable(memory, {}, name, key_column_, columns_, !columns_.names().empty())
      .check_names("parameter \"table\" is \"" + name + '"');
}

void SqliteDestination::open() {
  teardown();
  database_.emplace(path_, Database::Mode::write);
  database_->set_call(call());
  // Otherwise the removal of the journal, which commits, may be undone by a power failure.
  database_->run("PRAGMA synchronous = EXTRA");
  if (const auto name = table_->constant()) {
    current_ = &table(*name);
    current_->open();
  }
}

sdk::WritingDestination::Refused SqliteDestination::write_all(ListView<RecordV2> records) {
  database_->set_call(call());
  try {
    Transaction transaction(*database_);
    Refused refused = put_all(records);
    transaction.commit();
    return refused;
  } catch (...) {
    for (auto& [name, table] : tables_) table.forget();
    throw;
  }
}

sdk::WritingDestination::Refused SqliteDestination::put_all(ListView<RecordV2> records) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    RecordV2View record = records[i];
    try {
      SqliteTable& table = table_->constant() ? *current_ : table_of(record);
      if (record.operation() == RecordV2::Operation::Delete) {
        table.remove(record);
      } else {
        table.put(record);
      }
    } catch (const sdk::Failure& failure) {
      // An invalid record is refused alone; errors of the database end the batch.
      if (failure.status() != TENON_INVALID_ARGUMENT) throw;
      return {{i, sdk::ack_error(failure)}};
    }
  }
  return {};
}

/// Returns the table that the template chooses.
SqliteTable& SqliteDestination::table_of(RecordV2View record) {
  name_.clear();
  table_->append(name_, record);
  if (name_.empty()) {
    throw sdk::Refusal("no-table", "the parameter \"table\" is empty for this record");
  }
  if (current_ == nullptr || name_ != current_name_) {
    current_ = &table(name_);
    current_name_ = name_;
  }
  return *current_;
}

SqliteTable& SqliteDestination::table(const std::string& name) {
  return tables_
      .try_emplace(lower_case(name), *database_, path_, name, key_column_, columns_,
                   !columns_.names().empty())
      .first->second;
}

void SqliteDestination::teardown() {
  current_ = nullptr;
  tables_.clear();
  database_.reset();
  HoldingDestination::teardown();
}

}  // namespace tenon::builtin
