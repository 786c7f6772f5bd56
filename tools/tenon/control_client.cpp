// SPDX-License-Identifier: BSL-1.0
#include "control_client.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <optional>
#include <sstream>

#include "base/plain_text.hpp"

namespace tenon::command {

namespace json = boost::json;

namespace {

constexpr std::size_t read_size = std::size_t{64} << 10;
constexpr std::size_t longest_line = std::size_t{256} << 20;

/// A process as proc(5) describes it.
struct Process {
  char state = ' ';  // 'T' if it is stopped; ' ' if unknown
  std::int64_t parent = 0;
};

Process process_of(std::int64_t number) {
  std::ifstream file("/proc/" + std::to_string(number) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t end = line.rfind(')');  // of the name, which may contain any character
  Process process;
  if (end != std::string::npos) {
    std::istringstream(line.substr(end + 1)) >> process.state >> process.parent;
  }
  return process;
}

/// Opens the directories that exist.
std::vector<platform::SocketDirectory> open_directories(std::vector<Error>& errors) {
  std::vector<platform::SocketDirectory> directories;
  for (const auto& path : platform::SocketDirectory::paths()) {
    auto directory = platform::SocketDirectory::open(path, false);
    if (directory) {
      directories.push_back(*std::move(directory));
    } else if (directory.error().code() != "not-found") {
      errors.push_back(std::move(directory).error());
    }
  }
  return directories;
}

bool is_digits(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// Returns whether a text names a process, or a host of a process.
bool is_host(const std::string& text) {
  const std::size_t dot = text.find('.');
  return is_digits(text.substr(0, dot)) &&
         (dot == std::string::npos || platform::parse_socket_name(text));
}

using Place = std::pair<const platform::SocketDirectory*, platform::SocketName>;

Error ambiguous(const std::string& text, const std::vector<Place>& places) {
  std::string found;
  for (const auto& [directory, name] : places) {
    found += (found.empty() ? "" : ", ") + to_string(name);
  }
  return Error({.code = "not-found",
                .where = text,
                .found = "several hosts: " + found,
                .needed = "one host",
                .fix = "name one of them"});
}

Error no_host(const std::string& text) {
  return Error({.code = "not-found",
                .where = text,
                .found = "no host of this user with a control socket",
                .needed = "a running host with HostOptions::control",
                .fix = "see tenon ps"});
}

/// Returns the hosts that a text names. The number of a process names its own hosts, or those of
/// its children if it has none: commands run plugins in a child, and a shell knows only the number
/// of the command.
std::vector<Place> places_of(const std::string& text,
                             const std::vector<platform::SocketDirectory>& directories) {
  std::vector<Place> own;
  std::vector<Place> of_children;
  for (const auto& directory : directories) {
    for (const platform::SocketName& name : directory.names()) {
      if (text == to_string(name) || text == std::to_string(name.process)) {
        own.emplace_back(&directory, name);
      } else if (text == std::to_string(process_of(name.process).parent)) {
        of_children.emplace_back(&directory, name);
      }
    }
  }
  return own.empty() ? of_children : own;
}

const json::value* member_of(const json::object& object, std::string_view key) {
  return object.if_contains(key);
}

}  // namespace

std::string time_text(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? std::to_string(time.count() / 1000) + "s"
                                  : std::to_string(time.count()) + "ms";
}

std::string microseconds_text(std::uint64_t time) {
  return time < 10'000 ? std::to_string(time) + " us" : std::to_string(time / 1000) + " ms";
}

std::string nanoseconds_text(std::uint64_t time) {
  // Hosts tell longer times not apart, see TimedCalls.
  if (time > 17'000'000'000) return "over 15 s";
  return time < 10'000 ? std::to_string(time) + " ns" : microseconds_text(time / 1000);
}

std::string real_text(double value) {
  char text[400];  // the largest double has 309 digits
  std::snprintf(text, sizeof text, "%.6f", value);
  std::string digits(text);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

// -- Replies ------------------------------------------------------------------

std::string_view text_of(const json::object& object, std::string_view key) {
  const json::value* value = member_of(object, key);
  const json::string* text = value != nullptr ? value->if_string() : nullptr;
  return text != nullptr ? std::string_view(text->data(), text->size()) : std::string_view();
}

std::uint64_t number_of(const json::object& object, std::string_view key) {
  const json::value* value = member_of(object, key);
  if (value == nullptr) return 0;
  if (const auto* number = value->if_uint64()) return *number;
  const auto* number = value->if_int64();
  return number != nullptr && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

double real_of(const json::object& object, std::string_view key) {
  const json::value* value = member_of(object, key);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

bool flag_of(const json::object& object, std::string_view key) {
  const json::value* value = member_of(object, key);
  const bool* flag = value != nullptr ? value->if_bool() : nullptr;
  return flag != nullptr && *flag;
}

const json::object& object_of(const json::object& object, std::string_view key) {
  static const json::object none;
  const json::value* value = member_of(object, key);
  const json::object* inner = value != nullptr ? value->if_object() : nullptr;
  return inner != nullptr ? *inner : none;
}

std::vector<const json::object*> objects_of(const json::object& object, std::string_view key) {
  std::vector<const json::object*> objects;
  const json::value* value = member_of(object, key);
  const json::array* array = value != nullptr ? value->if_array() : nullptr;
  if (array == nullptr) return objects;
  for (const json::value& element : *array) {
    if (const json::object* one = element.if_object()) objects.push_back(one);
  }
  return objects;
}

Error error_of(const json::object& sent) {
  const std::string_view severity = text_of(sent, "severity");
  const std::string_view code = text_of(sent, "code");
  return Error({.code = std::string(code.empty() ? "wrong-value" : code),
                .message = std::string(text_of(sent, "message")),
                .where = std::string(text_of(sent, "where")),
                .found = std::string(text_of(sent, "found")),
                .needed = std::string(text_of(sent, "needed")),
                .fix = std::string(text_of(sent, "fix")),
                .severity = severity == "warning" ? Severity::warning
                            : severity == "note"  ? Severity::note
                                                  : Severity::error});
}

// -- One host -----------------------------------------------------------------

Result<ControlClient> ControlClient::connect(const platform::SocketDirectory& directory,
                                             const platform::SocketName& host,
                                             std::chrono::milliseconds timeout) {
  auto socket = directory.connect(host, Clock::now() + timeout);
  if (!socket) return std::move(socket).error();
  return ControlClient(*std::move(socket), host, timeout);
}

Error ControlClient::no_reply() const {
  const std::string process = std::to_string(host_.process);
  const bool stopped = process_of(host_.process).state == 'T';
  return Error({.code = "no-reply",
                .where = to_string(host_),
                .found = "no reply within " + time_text(timeout_) +
                         (stopped ? "; the process is stopped" : ""),
                .needed = "the reply of this host",
                .fix = stopped ? "kill -CONT " + process : "wait longer with --timeout"});
}

Error ControlClient::bad_reply(std::string found) const {
  return Error({.code = "wrong-value",
                .where = to_string(host_),
                .found = std::move(found),
                .needed = "a reply in version 1 of the protocol",
                .fix = "use the command of the version of the host"});
}

/// Waits until the socket can be read or written. Returns false at the deadline, or if the command
/// has to stop.
bool ControlClient::wait(bool to_write, Clock::time_point deadline) const {
  const auto now = Clock::now();
  if (now >= deadline) return false;
  constexpr std::chrono::milliseconds longest{60'000};
  const auto left = std::min<Clock::duration>(deadline - now, longest);
  platform::SocketEvents events[] = {
      {.handle = socket_.handle(), .wants_read = !to_write, .wants_write = to_write},
      {.handle = stop_, .wants_read = true}};
  platform::wait_sockets(events, std::chrono::ceil<std::chrono::milliseconds>(left));
  return !events[1].can_read;
}

Result<void> ControlClient::send(json::object request) {
  request["control"] = 1;
  const std::string line = json::serialize(request) + "\n";
  for (std::string_view rest = line; !rest.empty();) {
    const auto sent = socket_.write(rest);
    if (!sent) return {};  // the host may have said why it ended the connection
    if (*sent == 0 && !wait(true, deadline_)) return no_reply();
    rest.remove_prefix(*sent);
  }
  return {};
}

Result<bool> ControlClient::read_line(std::string& line, Clock::time_point deadline) {
  for (std::size_t from = 0;;) {
    const std::size_t end = in_.find('\n', from);
    if (end != std::string::npos) {
      line = in_.substr(0, end);
      in_.erase(0, end + 1);
      return true;
    }
    from = in_.size();
    if (from > longest_line) return bad_reply("a line of more than 256 MiB");
    switch (socket_.read(in_, read_size)) {
      case platform::LocalSocket::Read::some:
        break;
      case platform::LocalSocket::Read::end:
        return false;
      case platform::LocalSocket::Read::none:
        if (!wait(false, deadline)) return no_reply();
        break;
    }
  }
}

bool ControlClient::must_stop() const {
  if (stop_ < 0) return false;
  platform::SocketEvents stop[] = {{.handle = stop_, .wants_read = true}};
  platform::wait_sockets(stop, std::chrono::milliseconds(0));
  return stop[0].can_read;
}

Result<json::object> ControlClient::next_message(Clock::time_point deadline) {
  // A host that always has another message leaves no time to wait.
  if (Clock::now() >= deadline || must_stop()) return no_reply();
  std::string line;
  const auto read = read_line(line, deadline);
  if (!read) return read.error();
  if (!*read) return json::object();
  boost::system::error_code failed;
  json::value message = json::parse(line, failed);
  if (failed || !message.is_object()) return bad_reply("a line that is no JSON object");
  return std::move(message.get_object());
}

Result<json::object> ControlClient::reply() {
  std::string line;
  const auto read = read_line(line, deadline_);
  if (!read) return read.error();
  if (!*read) {
    return Error({.code = "no-reply",
                  .where = to_string(host_),
                  .found = "the host has ended, or has closed the connection",
                  .needed = "the reply of this host",
                  .fix = "see tenon ps"});
  }
  boost::system::error_code failed;
  json::value message = json::parse(line, failed);
  if (failed || !message.is_object()) return bad_reply("a line that is no JSON object");
  const json::object& all = message.get_object();
  if (number_of(all, "control") != 1) return bad_reply("another version of the protocol");
  if (all.contains("error")) return error_of(object_of(all, "error"));
  return object_of(all, "result");
}

// -- All hosts ----------------------------------------------------------------

Result<ControlClient> connect_to_host(const std::string& text, std::chrono::milliseconds timeout) {
  if (!is_host(text)) {
    return Error({.code = "bad-reference",
                  .where = text,
                  .found = "no process",
                  .needed = "the number of a process, such as 1234, or one of its hosts: 1234.2",
                  .fix = "see tenon ps"});
  }
  std::vector<Error> errors;
  const auto directories = open_directories(errors);
  const std::vector<Place> places = places_of(text, directories);
  if (places.size() > 1) return ambiguous(text, places);
  if (!places.empty()) {
    auto client = ControlClient::connect(*places[0].first, places[0].second, timeout);
    if (client || client.error().code() != "not-found") return client;
    return no_host(text);  // it was killed
  }
  if (!errors.empty()) return std::move(errors.front());
  return no_host(text);
}

std::vector<ControlClient> connect_to_all(std::chrono::milliseconds timeout,
                                          std::vector<Error>& errors) {
  std::vector<ControlClient> clients;
  for (const auto& directory : open_directories(errors)) {
    for (const platform::SocketName& name : directory.names()) {
      auto client = ControlClient::connect(directory, name, timeout);
      if (client) {
        clients.push_back(*std::move(client));
      } else if (client.error().code() != "not-found") {  // a killed process
        errors.push_back(std::move(client).error());
      }
    }
  }
  return clients;
}

Result<json::object> ask_host(const std::string& host, json::object request,
                              std::chrono::milliseconds timeout) {
  auto client = connect_to_host(host, timeout);
  if (!client) return std::move(client).error();
  if (auto sent = client->send(std::move(request)); !sent) return std::move(sent).error();
  return client->reply();
}

}  // namespace tenon::command
