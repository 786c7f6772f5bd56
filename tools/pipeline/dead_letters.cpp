// SPDX-License-Identifier: BSL-1.0
#include "dead_letters.hpp"

#include <tenon/detail/json.hpp>

#include <utility>

#include "common/hidden_values.hpp"
#include "common/private_file.hpp"
#include "platform/utf8_path.hpp"
#include "record_text.hpp"

namespace pipeline {
namespace {

using tenon::tools::IfAbsent;
using tenon::tools::Others;
using tenon::tools::PrivateFile;

tenon::Error letter_refused(const UsedPlugin& stage, std::string message, std::string found) {
  return tenon::Error({.code = "dead-letter-refused",
                       .message = std::move(message),
                       .where = label_of(stage),
                       .found = std::move(found),
                       .needed = "a destination that accepts every refused record",
                       .fix = "correct the config of \"dead_letters\""});
}

const char* word_of(Refusal::By by) {
  return by == Refusal::By::processor ? "processor" : "destination";
}

}  // namespace

tenon::Result<void> make_private(const DeadLettersStage& letters) {
  const std::string& plugin = letters.used.plugin;
  const auto path = letters.config.find("path");
  const bool has_file = plugin == "tenon.dev/file" || plugin == "tenon.dev/sqlite";
  if (!has_file || path == letters.config.end()) return {};
  const auto file = PrivateFile::open(tenon::platform::path_from(path->second), IfAbsent::create,
                                      Others::read, "the file of refused records");
  return file ? tenon::Result<void>() : file.error();
}

tenon::Result<void> DeadLetters::add(const InFlightWindow::Refused& refused) {
  for (const Refusal& refusal : refused.refusals) {
    if (refusal.error.retryable) return error_of(refused.record, refusal);
  }
  if (exceeds_limit(refused.number)) return error_of(refused.record, refused.refusals.front());
  return write({letter(refused)});
}

const UsedPlugin& DeadLetters::plugin_of(const Refusal& refusal) const {
  return refusal.by == Refusal::By::processor ? stages_.processors[refusal.number].used
                                              : stages_.destinations[refusal.number].used;
}

bool DeadLetters::exceeds_limit(InFlightWindow::Number number) {
  const auto& stage = stages_.dead_letters;
  if (!stage) return true;
  const RefusalLimit& limit = stage->limit;
  if (limit.of == 0) return false;
  refused_.push_back(number);
  while (number - refused_.front() >= limit.of) refused_.pop_front();
  return refused_.size() > limit.refused;
}

tenon::Error DeadLetters::error_of(const tenon::RecordView& record, const Refusal& refusal) const {
  const auto& stage = stages_.dead_letters;
  const std::string plugin = word_of(refusal.by);
  const std::string fix =
      refusal.error.retryable
          ? "wait, or repair the " + plugin + "; the next run begins with this record"
          : "correct the record at its origin, or the config of the " + plugin +
                "; the next run begins with this record";
  return tenon::Error({.code = "record-refused",
                       .status = refusal.error.retryable ? TENON_ABORTED | TENON_RETRYABLE : 0,
                       .message = refusal.error.message,
                       .where = label_of(plugin_of(refusal)),
                       .found = "the record at position " + position_text(record.position()) +
                                ", refused as " + refusal.error.code,
                       .needed = stage && !refusal.error.retryable
                                     ? "at most " + std::to_string(stage->limit.refused) +
                                           " refused of " + std::to_string(stage->limit.of) +
                                           " records"
                                     : "a record that the " + plugin + " accepts",
                       .fix = fix});
}

/// Returns a record that contains the refused record and the reasons. It has the same position and
/// key.
tenon::Record DeadLetters::letter(const InFlightWindow::Refused& refused) const {
  tenon::json::Writer out;
  out.begin_object();
  out.key("pipeline");
  out.text(pipeline_);
  out.key("refused");
  out.begin_array();
  for (const Refusal& refusal : refused.refusals) {
    out.begin_object();
    out.key(word_of(refusal.by));
    out.text(plugin_of(refusal).id);
    out.key("code");
    out.text(refusal.error.code);
    out.key("message");
    out.text(tenon::tools::without_hidden_values(refusal.error.message));
    out.end_object();
  }
  out.end_array();
  out.key("record");
  pipeline::write(out, refused.record);
  out.end_object();

  tenon::Record letter;
  letter.position = refused.record.position().own();
  if (refused.record.key()) letter.key = refused.record.key()->own();
  letter.payload.after = tenon::to_bytes(out.view());
  return letter;
}

tenon::Result<void> DeadLetters::write(const std::vector<tenon::Record>& letters) {
  const UsedPlugin& used = stages_.dead_letters->used;
  auto& destination = *stages_.dead_letters->plugin;
  for (;;) {
    auto written = try_write(letters);
    if (written) {
      last_ = letters.back().position;
      return {};
    }
    if (!written.error().restarted()) return labelled(written.error(), used);
    const CallSlot::Scope call(calls_, "open");
    if (auto opened = destination->open(); !ok_or_unimplemented(opened)) {
      return labelled(opened.error(), used);
    }
  }
}

tenon::Result<void> DeadLetters::try_write(const std::vector<tenon::Record>& letters) {
  auto& destination = *stages_.dead_letters->plugin;
  calling_.attach(call_);
  {
    const CallSlot::Scope call(calls_, "write_batch");
    if (auto written = destination->write_batch(call_, letters); !written) return written;
  }
  for (;;) {
    calling_.attach(call_);
    const CallSlot::Scope call(calls_, "next_acks");
    const auto acks = destination->next_acks(call_);
    if (acks) return check(*acks, letters.front().position);
    if (!interrupted_by_restart(call_) || acks.error().restarted()) return acks.error();
  }
}

tenon::Result<void> DeadLetters::check(tenon::ListView<tenon::Destination::Ack> acks,
                                       tenon::BytesView position) const {
  const UsedPlugin& used = stages_.dead_letters->used;
  if (acks.size() != 1 || acks[0].position() != position) {
    return letter_refused(
        used, "the destination did not acknowledge the record",
        std::to_string(acks.size()) + " acknowledgements, not one for " + position_text(position));
  }
  const auto error = acks[0].error();
  if (!error) return {};
  return letter_refused(used, std::string(error->message()),
                        "the record at position " + position_text(position) + ", refused as " +
                            std::string(error->code()));
}

tenon::Result<void> DeadLetters::stop() {
  if (!stages_.dead_letters) return {};
  calling_.attach(call_);
  const CallSlot::Scope call(calls_, "stop");
  const auto stopped = (*stages_.dead_letters->plugin)->stop(call_, last_);
  if (ok_or_unimplemented(stopped) || stopped.error().restarted()) return {};
  return labelled(stopped.error(), stages_.dead_letters->used);
}

}  // namespace pipeline
