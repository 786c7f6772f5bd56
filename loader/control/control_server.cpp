// SPDX-License-Identifier: BSL-1.0
#include "control/control_server.hpp"

#include <tenon/mutex.hpp>

#include <algorithm>
#include <atomic>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/event.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {
namespace {

using Clock = ControlServer::Clock;

constexpr std::size_t read_size = std::size_t{16} << 10;
// After this time, the system may have resources for another connection.
constexpr auto accept_pause = std::chrono::seconds(1);
constexpr auto trace_interval = std::chrono::milliseconds(50);

/// A connection.
struct Client {
  Client(std::uint64_t number, platform::LocalSocket connected, Clock::time_point now)
      : id(number), socket(std::move(connected)), changed(now) {}

  std::uint64_t id;
  platform::LocalSocket socket;
  std::string in;             // what was received and not handled
  std::string out;            // what was not sent
  Clock::time_point changed;  // when a request was last complete, or bytes were sent
  bool busy = false;          // its request was passed to the handler
  bool subscribed = false;
  bool traces = false;
  bool ended = false;    // it sends nothing more
  bool closing = false;  // the connection ends when all is sent
  bool gone = false;
  std::uint64_t last_event = 0;  // the number of the last one at its subscription
  std::uint64_t lost = 0;        // events

  bool idle() const noexcept { return out.empty() && !busy && !streams(); }
  /// Returns whether it gets more than replies.
  bool streams() const noexcept { return subscribed || traces; }
  /// Returns whether the next request can be handled.
  bool ready() const noexcept { return !gone && !busy && !closing && out.empty(); }
  void say(std::string_view line) { out.append(line).append(1, '\n'); }
};

Error too_long(std::size_t limit) {
  return Error({.code = "wrong-value",
                .where = "request",
                .found = "a longer line",
                .needed = "a line of at most " + std::to_string(limit) + " bytes",
                .fix = "end each request with a line feed"});
}

Error too_many(std::size_t limit) {
  return Error({.code = "too-many-clients",
                .found = std::to_string(limit) + " control clients",
                .needed = "fewer clients at a time",
                .fix = "try again when another client has ended"});
}

}  // namespace

/// What the thread, the server and replies share. Members without a comment belong to the thread.
struct ControlServer::State : std::enable_shared_from_this<State> {
  State(platform::LocalListener listening, std::shared_ptr<ControlEvents> happening, Handler handle,
        const ControlLimits& limited, ControlTrace traced)
      : events(std::move(happening)),
        handler(std::move(handle)),
        limits(limited),
        trace(std::move(traced)) {
    listener.emplace(std::move(listening));
  }

  void run();
  void serve();
  std::vector<platform::SocketEvents> wait() const;
  void take_replies();
  void take_events();
  void take_trace();
  bool take_trace(Client& client);
  void complete_trace(Client& client);
  void begin_trace(Client& client);
  void end_trace();
  void accept();
  void admit(platform::LocalSocket connection);
  void receive(Client& client);
  void handle_lines(Client& client);
  void handle(Client& client, std::string_view line);
  void subscribe(Client& client);
  void send(Client& client);
  void drop_overdue(Client& client, Clock::time_point now);

  const std::shared_ptr<ControlEvents> events;
  const Handler handler;
  const ControlLimits limits;
  const ControlTrace trace;
  bool tracing = false;
  std::atomic<bool> stopped{false};  // any thread
  sync::Mutex mutex;
  std::vector<std::pair<std::uint64_t, std::string>> replies TENON_GUARDED_BY(mutex);

  std::optional<platform::LocalListener> listener;
  std::intptr_t wake = events->wake();
  std::vector<Client> clients;
  std::uint64_t last_id = 0;
  Clock::time_point accept_at{};
  ControlCounts counts;
  json::Parser parser;
};

// -- The thread ---------------------------------------------------------------

/// Serves until the server is stopped. If memory is exhausted, the connections end.
void ControlServer::State::run() {
  while (!stopped) {
    try {
      serve();
    } catch (const std::exception&) {  // out of memory
      clients.clear();
    }
  }
  for (Client& client : clients) {
    if (!client.traces) continue;
    complete_trace(client);
    send(client);  // as much as the system takes
  }
  clients.clear();
  end_trace();
  listener.reset();
}

std::vector<platform::SocketEvents> ControlServer::State::wait() const {
  const auto now = Clock::now();
  std::vector<platform::SocketEvents> sockets;
  sockets.push_back({.handle = wake, .wants_read = true});
  sockets.push_back({.handle = now >= accept_at ? listener->handle() : -1, .wants_read = true});
  auto until = now >= accept_at ? Clock::time_point::max() : accept_at;
  for (const Client& client : clients) {
    const bool reads =
        !client.ended && !client.closing && !client.busy && client.in.size() <= limits.line;
    sockets.push_back({.handle = client.socket.handle(),
                       .wants_read = reads,
                       .wants_write = !client.out.empty()});
    if (client.idle() || !client.out.empty()) {
      until = std::min(until, client.changed + limits.patience);
    }
  }
  if (tracing) until = std::min(until, now + trace_interval);
  using std::chrono::milliseconds;
  auto timeout = milliseconds(60'000);
  if (until < now + timeout) {
    timeout = std::max(std::chrono::ceil<milliseconds>(until - now), milliseconds(0));
  }
  // Without a handle for the event, nothing wakes the thread.
  if (wake == platform::no_event) timeout = std::min(timeout, milliseconds(100));
  platform::wait_sockets(sockets, timeout);
  return sockets;
}

void ControlServer::State::serve() {
  const auto ready = wait();
  if (tracing) take_trace();
  if (stopped) return;
  if (ready[0].ended) wake = platform::no_event;  // other code has closed it
  platform::clear_event(wake);
  take_replies();
  take_events();
  const auto now = Clock::now();
  for (std::size_t i = 0; i < clients.size(); ++i) {
    Client& client = clients[i];
    const platform::SocketEvents& can = ready[i + 2];
    if (can.can_read) receive(client);
    if (can.ended && !can.can_read) client.gone = true;
    do {
      handle_lines(client);
      send(client);
    } while (client.ready() && client.in.find('\n') != std::string::npos);
    drop_overdue(client, now);
  }
  std::erase_if(clients, [](const Client& client) { return client.gone; });
  if (std::ranges::none_of(clients, &Client::subscribed)) events->unsubscribe();
  if (std::ranges::none_of(clients, &Client::traces)) end_trace();
  if (ready[1].can_read || ready[1].ended) accept();
}

void ControlServer::State::take_replies() {
  std::vector<std::pair<std::uint64_t, std::string>> taken;
  {
    const sync::Lock lock(mutex);
    taken.swap(replies);
  }
  for (const auto& [id, line] : taken) {
    const auto client = std::ranges::find(clients, id, &Client::id);
    if (client == clients.end()) continue;  // it has ended
    client->busy = false;
    client->changed = Clock::now();
    client->say(line);
  }
}

void ControlServer::State::take_events() {
  const ControlEvents::Queue queue = events->take();
  for (Client& client : clients) {
    if (!client.subscribed) continue;
    for (const auto& [number, event] : queue.events) {
      if (number <= client.last_event) continue;
      const std::string line = event_line(event);
      if (client.out.size() + line.size() > limits.events) {
        ++client.lost;
        ++counts.events_lost;
        continue;
      }
      if (client.out.empty()) client.changed = Clock::now();
      if (client.lost != 0) client.say(lost_line(std::exchange(client.lost, 0)));
      client.say(line);
    }
    client.lost += queue.lost;
  }
  counts.events_lost += queue.lost;
}

// -- Clients ------------------------------------------------------------------

void ControlServer::State::accept() {
  // Bounded, so that a flood of clients does not delay the others.
  for (std::size_t i = 0; i < limits.clients; ++i) {
    std::optional<platform::LocalSocket> connection;
    switch (listener->accept(connection)) {
      case platform::LocalListener::Accept::connected:
        admit(*std::move(connection));
        break;
      case platform::LocalListener::Accept::foreign:
        ++counts.foreign;
        break;
      case platform::LocalListener::Accept::none:
        return;
      case platform::LocalListener::Accept::failed:
        accept_at = Clock::now() + accept_pause;
        return;
    }
  }
}

void ControlServer::State::admit(platform::LocalSocket connection) {
  if (clients.size() >= limits.clients) {
    ++counts.refused;
    connection.write(error_line({}, too_many(limits.clients)) + "\n");
    return;
  }
  ++counts.accepted;
  clients.emplace_back(++last_id, std::move(connection), Clock::now());
}

void ControlServer::State::receive(Client& client) {
  switch (client.socket.read(client.in, read_size)) {
    case platform::LocalSocket::Read::some:
    case platform::LocalSocket::Read::none:
      return;
    case platform::LocalSocket::Read::end:
      client.ended = true;
      if (client.traces) return complete_trace(client);
      // It may still wait for a reply, but not for events.
      if (client.streams() || (client.idle() && client.in.empty())) client.gone = true;
      return;
  }
}

/// Handles requests until one waits for its reply.
void ControlServer::State::handle_lines(Client& client) {
  while (client.ready()) {
    const std::size_t end = client.in.find('\n');
    if (end == std::string::npos) {
      if (client.in.size() > limits.line) {
        ++counts.malformed;
        client.say(error_line({}, too_long(limits.line)));
        client.closing = true;
      } else if (client.ended) {
        client.gone = true;
      }
      return;
    }
    const std::string line = client.in.substr(0, end);
    client.in.erase(0, end + 1);
    client.changed = Clock::now();
    handle(client, line);
  }
}

void ControlServer::State::handle(Client& client, std::string_view line) {
  const auto request = parse_control_request(parser, line);
  if (!request) {
    client.say(error_line({}, request.error()));
    // Where the next request begins is unknown.
    if (request.error().code() != "not-json") return;
    ++counts.malformed;
    client.closing = true;
  } else if (request->request == "events") {
    subscribe(client);
  } else if (request->request == "trace" && trace.begin) {
    begin_trace(client);
  } else {
    client.busy = true;
    handler(*request, Reply(weak_from_this(), client.id));
    take_replies();  // most are immediate
  }
}

void ControlServer::State::subscribe(Client& client) {
  const ControlEvents::Queue recent = events->subscribe();
  client.subscribed = true;
  if (!recent.events.empty()) client.last_event = recent.events.back().first;
  client.say(result_line("events", [&recent](json::Writer& out) {
    out.begin_object();
    out.key("recent");
    out.begin_array();
    for (const auto& [number, event] : recent.events) out.raw(event);
    out.end_array();
    out.end_object();
  }));
}

void ControlServer::State::begin_trace(Client& client) {
  if (auto begun = trace.begin(); !begun) {
    client.say(error_line("trace", begun.error()));
    return;
  }
  tracing = client.traces = true;
  client.say(result_line("trace", [](json::Writer& out) {
    out.begin_object();
    out.end_object();
  }));
}

void ControlServer::State::end_trace() {
  if (std::exchange(tracing, false)) trace.end();
}

/// Passes on what was recorded, unless the client has much to read.
void ControlServer::State::take_trace() {
  const auto client = std::ranges::find(clients, true, &Client::traces);
  if (client == clients.end()) return;
  while (client->out.size() <= limits.events && take_trace(*client)) continue;
}

/// Returns false if there was nothing.
bool ControlServer::State::take_trace(Client& client) {
  json::Writer out;
  out.begin_array();
  const std::size_t elements = trace.write(out);
  out.end_array();
  if (elements == 0) return false;
  if (client.out.empty()) client.changed = Clock::now();
  client.say(trace_line(out.view()));
  return true;
}

/// Ends the trace of a client, which still gets all that was recorded.
void ControlServer::State::complete_trace(Client& client) {
  end_trace();
  while (take_trace(client)) continue;
  client.traces = false;
  client.closing = true;
}

/// Sends what the system takes. A client that has read all events learns how many it has missed.
void ControlServer::State::send(Client& client) {
  while (!client.gone) {
    if (client.out.empty() && client.lost != 0) {
      client.say(lost_line(std::exchange(client.lost, 0)));
    }
    if (client.out.empty()) {
      client.gone = client.closing;
      return;
    }
    const auto sent = client.socket.write(client.out);
    client.gone = !sent;
    if (sent.value_or(0) == 0) return;
    client.changed = Clock::now();
    client.out.erase(0, *sent);
  }
}

void ControlServer::State::drop_overdue(Client& client, Clock::time_point now) {
  if (client.gone || now < client.changed + limits.patience) return;
  if (!client.out.empty()) {
    ++counts.slow;
    client.gone = true;
  } else if (client.idle()) {
    ++counts.silent;
    client.gone = true;
  }
}

// -- The server ---------------------------------------------------------------

void ControlServer::Reply::send(std::string line) const noexcept try {
  const auto state = state_.lock();
  if (state == nullptr) return;
  {
    const sync::Lock lock(state->mutex);
    state->replies.emplace_back(client_, std::move(line));
  }
  platform::signal_event(state->events->wake());
} catch (const std::exception&) {  // out of memory: the client sees its own deadline
}

std::string ControlServer::Reply::host() const {
  const auto state = state_.lock();
  return state != nullptr ? to_string(state->listener->name()) : std::string();
}

ControlCounts ControlServer::Reply::counts() const noexcept {
  const auto state = state_.lock();
  return state != nullptr ? state->counts : ControlCounts();
}

Result<std::unique_ptr<ControlServer>> ControlServer::start(std::shared_ptr<ControlEvents> events,
                                                            Handler handler,
                                                            const ControlLimits& limits,
                                                            ControlTrace trace) {
  const auto directory =
      platform::SocketDirectory::open(platform::SocketDirectory::paths().front(), true);
  if (!directory) return directory.error();
  auto listener = directory->listen();
  if (!listener) return std::move(listener).error();
  std::unique_ptr<ControlServer> server(new ControlServer(std::make_shared<State>(
      *std::move(listener), std::move(events), std::move(handler), limits, std::move(trace))));
  auto started =
      server->thread_.start("control clients", [state = server->state_] { state->run(); });
  if (!started) return std::move(started).error();
  return server;
}

ControlServer::~ControlServer() {
  stop(Clock::now());
}

bool ControlServer::stop(Clock::time_point deadline) noexcept {
  state_->stopped = true;
  platform::signal_event(state_->events->wake());
  return thread_.end(deadline);
}

}}}  // namespace tenon::v0_1::detail
