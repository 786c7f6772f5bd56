// SPDX-License-Identifier: BSL-1.0
//
// tenon trace: writes the calls and events of a running host into a file that Perfetto opens.
#include <signal.h>
#include <sys/signalfd.h>

#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "common/descriptor.hpp"
#include "control.hpp"
#include "control_client.hpp"
#include "platform/output_file.hpp"
#include "text.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

using Clock = ControlClient::Clock;

/// A handle that can be read after SIGINT or SIGTERM, which no longer end the process: the file has
/// to be completed.
tools::Descriptor requests_to_stop() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return tools::Descriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

/// The file, a JSON array with an element on each line.
class TraceOutput {
 public:
  explicit TraceOutput(platform::OutputFile file) : file_(std::move(file)) {}

  Result<void> add(const json::array& elements) {
    std::string lines;
    for (const json::value& element : elements) {
      if (!element.is_object()) continue;
      lines += std::exchange(separator_, ",\n");
      lines += json::serialize(element);
      count(element.get_object());
    }
    return file_.write(lines);
  }
  Result<void> end() { return file_.write(separator_[0] == '[' ? "[]\n" : "\n]\n"); }

  /// eg: "12 calls, 1 event; 3 lost"
  std::string summary() const {
    std::string text = counted(calls_, "call") + ", " + counted(events_, "event");
    if (lost_ != 0) text += "; " + std::to_string(lost_) + " lost";
    return text;
  }

 private:
  void count(const json::object& element) {
    const std::string_view category = text_of(element, "cat");
    if (category == "call") ++calls_;
    if (category == "event") ++events_;
    if (category == "lost") lost_ += number_of(object_of(element, "args"), "count");
  }

  platform::OutputFile file_;
  const char* separator_ = "[\n";
  std::uint64_t calls_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t lost_ = 0;
};

/// Records until the host ends the connection, or until `end`, or a signal arrives. Errors:
/// cannot-write; no-reply, if it was not the host; wrong-value, if the host sends no trace.
Result<void> record(ControlClient& client, TraceOutput& output, Clock::time_point end) {
  for (;;) {
    const auto message = client.next_message(end);
    if (!message) return message.error();
    if (message->empty()) return {};
    const json::value* elements = message->if_contains("trace");
    if (elements == nullptr || !elements->is_array()) continue;
    if (auto added = output.add(elements->get_array()); !added) return added;
  }
}

Exit fail(const Error& error) {
  print_problems({error});
  if (error.code() == "bad-reference") return usage_error;
  return error.code() == "cannot-write" ? io_error : problems_found;
}

}  // namespace

Exit record_trace(const ControlArguments& arguments) {
  auto client = connect_to_host(arguments.host, arguments.timeout);
  if (!client) return fail(client.error());
  const tools::Descriptor stop = requests_to_stop();
  client->stop_at(stop.get());
  if (auto sent = client->send({{"request", "trace"}}); !sent) return fail(sent.error());
  if (const auto reply = client->reply(); !reply) return fail(reply.error());
  auto file = platform::OutputFile::create(arguments.file);
  if (!file) return fail(file.error());
  TraceOutput output(*std::move(file));
  const auto end =
      arguments.lasts.count() == 0 ? Clock::time_point::max() : Clock::now() + arguments.lasts;
  auto recorded = record(*client, output, end);
  if (!recorded && recorded.error().code() == "no-reply") {
    client->stop_at(-1);
    client->end_sending();
    recorded = record(*client, output, Clock::now() + arguments.timeout);
  }
  const auto ended = output.end();
  if (!recorded) return fail(recorded.error());
  if (!ended) return fail(ended.error());
  std::cerr << "tenon: " << output.summary() << "\n";
  return success;
}

}  // namespace tenon::command
