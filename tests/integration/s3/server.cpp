// SPDX-License-Identifier: BSL-1.0
#include "server.hpp"

#include <tenon/call.hpp>

#include <memory>
#include <utility>

#include "xml.hpp"

namespace tenon::tests {
namespace {

constexpr const char* python = "/usr/bin/python3";  // the interpreter of Debian's packages

s3::Settings settings(const TextMap& config) {
  Call call;
  const auto raw = Value<TextMap>::raw<Copy::deep>(call.raw(), config);
  return s3::Settings(sdk::Config(Value<TextMap>::view(raw)));
}

}  // namespace

Server* Server::running() {
  static const bool installed = World().run({python, "-c", "import swift, eventlet"}).exit == 0;
  if (!installed) return nullptr;
  static const auto server = std::make_unique<Server>();
  return server.get();
}

Server::Server() : child_(world_.start({python, SERVER, world_.path("s3").string()})) {
  std::string port;
  if (eventually([&] { return !(port = world_.read("s3/port")).empty(); })) {
    endpoint_ = "http://127.0.0.1:" + port;
    make_bucket();
  }
}

TextMap Server::config() const {
  return {{"endpoint", endpoint_},
          {"access_key_id", "test:tester"},
          {"secret_access_key", "testing"},
          {"part_size", "5MiB"}};
}

s3::Client Server::client() const {
  return s3::Client(settings(config()));
}

void Server::make_bucket() const {
  const s3::Client client = this->client();
  client.send(client.request("PUT", bucket), "cannot make a bucket",
              client.limits(sdk::Call(nullptr)));
}

std::vector<std::string> Server::unfinished_uploads() const {
  const s3::Client client = this->client();
  s3::Request request = client.request("GET", bucket);
  request.query = {{"uploads", ""}};
  const std::string xml =
      client.send(std::move(request), "cannot list uploads", client.limits(sdk::Call(nullptr)));
  std::vector<std::string> keys;
  s3::read_xml(xml, [&](std::string_view path, const std::string& text) {
    if (path == "ListMultipartUploadsResult/Upload/Key") keys.push_back(text);
  });
  return keys;
}

}  // namespace tenon::tests
