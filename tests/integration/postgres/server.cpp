// SPDX-License-Identifier: BSL-1.0
#include "server.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tenon::tests {
namespace {

namespace fs = std::filesystem;

using Command = std::vector<std::string>;

/// Returns the directory of the newest installed server, or an empty path if there is none.
fs::path find_server() {
  fs::path found;
  std::error_code ignored;
  for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    const fs::path directory = version.path() / "bin";
    if (fs::exists(directory / "initdb") && directory > found) found = directory;
  }
  return found;
}

/// Returns the command run as the user nobody if this is root, since the server refuses root.
Command as_nobody(Command command) {
  if (geteuid() == 0) {
    command.insert(command.begin(),
                   {"setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"});
  }
  return command;
}

}  // namespace

postgres::WaitLimits limits() {
  return {sdk::Call(nullptr), std::chrono::seconds(60)};
}

Server* Server::running() {
  static const bool installed = !find_server().empty();
  if (!installed) return nullptr;
  static const auto server = std::make_unique<Server>();
  return server.get();
}

Server::Server() {
  const fs::path data = world_.path("data/d").parent_path();
  fs::permissions(world_.root(), fs::perms(0755));
  if (geteuid() == 0) {
    const passwd* nobody = getpwnam("nobody");
    if (chown(data.c_str(), nobody->pw_uid, nobody->pw_gid) != 0) {
      throw std::runtime_error("cannot give the data to nobody");
    }
  }
  const Outcome made =
      world_.run(as_nobody({find_server() / "initdb", "-D", data, "-U", "postgres", "-A", "trust",
                            "-E", "UTF8", "--locale=C.UTF-8", "-N"}));
  if (made.exit != 0) throw std::runtime_error("initdb: " + made.err);
  // Two users: one has a password, the other has no permissions.
  const std::string access =
      "local all guarded scram-sha-256\nlocal all all trust\n"
      "local replication all trust\n";
  world_.write("data/pg_hba.conf", access);
  start();
  rows("CREATE ROLE guarded LOGIN PASSWORD 'secret'; CREATE ROLE stranger LOGIN");
}

Server::~Server() {
  if (child_) stop();
}

void Server::start(std::string_view wal_level) {
  const std::string data = world_.path("data");
  child_.emplace(world_.start(
      as_nobody({find_server() / "postgres", "-D", data, "-k", data, "-c",
                 "listen_addresses=", "-c", "fsync=off", "-c", sdk::text("wal_level=", wal_level),
                 "-c", "max_connections=20", "-c", "log_min_messages=fatal"})));
  if (!eventually([&] { return is_ready(); })) {
    throw std::runtime_error("the server did not start: " + child_->err());
  }
}

void Server::stop() {
  child_->signal(SIGINT);
  child_->wait();
  child_.reset();
}

void Server::kill() {
  child_->signal(SIGQUIT);  // like a crash, except that shared memory is released
  child_->wait();
  child_.reset();
}

std::string Server::url(std::string_view user, std::string_view database) const {
  return sdk::text("host=", world_.path("data").native(), " user=", user, " dbname=", database);
}

bool Server::is_ready() const {
  return PQping(url().c_str()) == PQPING_OK;
}

postgres::Connection Server::connect() const {
  return postgres::Connection(url(), limits());
}

std::vector<std::string> Server::rows(const std::string& sql) const {
  postgres::Connection connection = connect();
  const postgres::Rows rows = connection.run(limits(), "test", sql);
  std::vector<std::string> lines;
  for (int row = 0; row < rows.size(); ++row) {
    std::string line;
    for (int column = 0; column < PQnfields(rows.raw()); ++column) {
      line.append(column == 0 ? "" : "|").append(rows.text(row, column));
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string Server::value(const std::string& sql) const {
  const std::vector<std::string> all = rows(sql);
  return all.size() == 1 ? all[0] : std::to_string(all.size()) + " rows";
}

void Server::clear() const {
  rows(
      "DROP SCHEMA public CASCADE; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO stranger");
}

}  // namespace tenon::tests
