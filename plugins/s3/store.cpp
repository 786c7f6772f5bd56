// SPDX-License-Identifier: BSL-1.0
#include "store.hpp"

#include <chrono>
#include <optional>
#include <utility>

#include "listing.hpp"
#include "upload.hpp"

namespace tenon::s3 {
namespace {

/// Reads the content of an object while it arrives.
class Content : public sdk::Reader {
 public:
  Content(std::unique_ptr<Exchange> exchange, Duration timeout)
      : exchange_(std::move(exchange)), timeout_(timeout) {}

  std::size_t read(sdk::Call call, Buffer into) override {
    return exchange_->read({call, timeout_}, into);
  }

 private:
  const std::unique_ptr<Exchange> exchange_;
  const Duration timeout_;
};

/// Returns nothing if the text is not a date.
std::optional<Timestamp> date_of(const std::optional<std::string>& text) {
  const std::time_t seconds = text ? curl_getdate(text->c_str(), nullptr) : -1;
  if (seconds < 0) return std::nullopt;
  return Timestamp(std::chrono::seconds(seconds));
}

std::optional<std::string> without_quotes(std::optional<std::string> tag) {
  const bool quoted = tag && tag->size() >= 2 && tag->front() == '"' && tag->back() == '"';
  if (quoted) tag = tag->substr(1, tag->size() - 2);
  return tag;
}

}  // namespace

void Store::configure(const sdk::Config& config) {
  const Settings settings(config);
  if (is_unprotected(settings.endpoint)) {
    log.warn("objects and the session token are sent to ", settings.endpoint.host,
             " without encryption; fix: use an endpoint with https");
  }
  auto client = std::make_shared<const Client>(settings);
  const sync::Lock lock(mutex_);
  client_ = std::move(client);
}

std::shared_ptr<const Client> Store::client() {
  const sync::Lock lock(mutex_);
  // Without a configuration all settings come from the environment.
  if (client_ == nullptr) client_ = std::make_shared<const Client>(Settings(sdk::Config({})));
  return client_;
}

void Store::put_object(std::string_view bucket, std::string_view key,
                       std::unique_ptr<sdk::Reader> body) {
  if (body == nullptr) throw sdk::Failure(TENON_INVALID_ARGUMENT, "there is no body to write");
  upload(*client(), bucket, key, *body, call(), [this](std::string_view text) { log.warn(text); });
}

ObjectInfoV1 Store::object_info(std::string_view bucket, std::string_view key) {
  const auto client = this->client();
  const auto exchange = client->begin(client->request("HEAD", bucket, key),
                                      sdk::text("cannot read the metadata of ", bucket, "/", key),
                                      client->limits(call()));
  ObjectInfoV1 info;
  info.size = exchange->length();
  info.modified = date_of(exchange->header("last-modified"));
  info.etag = without_quotes(exchange->header("etag"));
  return info;
}

std::unique_ptr<sdk::Reader> Store::get_object(std::string_view bucket, std::string_view key) {
  const auto client = this->client();
  auto exchange =
      client->begin(client->request("GET", bucket, key),
                    sdk::text("cannot read ", bucket, "/", key), client->limits(call()));
  // Without the length, a truncated object would look complete.
  if (!exchange->length()) {
    throw sdk::Failure(TENON_DATA_LOSS, exchange->action(),
                       ": the server does not report the size of the object");
  }
  return std::make_unique<Content>(std::move(exchange), client->settings().timeout);
}

std::vector<std::string> Store::list_common_prefixes(std::string_view bucket,
                                                     std::string_view prefix,
                                                     std::string_view delimiter) {
  if (delimiter.empty()) throw sdk::Failure(TENON_INVALID_ARGUMENT, "the delimiter is empty");
  const auto client = this->client();
  return list_prefixes(*client, bucket, prefix, delimiter, client->limits(call()));
}

Store::ListObjectsResult Store::list_objects(std::string_view bucket, std::string_view prefix,
                                             std::string_view start_after, std::uint32_t limit) {
  const auto client = this->client();
  Page page = list_keys(*client, bucket, prefix, start_after, limit, client->limits(call()));
  return {std::move(page.keys), !page.next.empty()};
}

void Store::delete_object(std::string_view bucket, std::string_view key) {
  const auto client = this->client();
  client->send(client->request("DELETE", bucket, key),
               sdk::text("cannot delete ", bucket, "/", key), client->limits(call()));
}

std::string Store::create_signed_url(std::string_view bucket, std::string_view key, Duration ttl) {
  if (ttl <= Duration::zero() || ttl > max_ttl) {
    throw sdk::Failure(TENON_INVALID_ARGUMENT,
                       "a signed URL is valid for more than 0 and at most 168 hours, not for ",
                       std::chrono::duration<double, std::ratio<3600>>(ttl).count());
  }
  const auto client = this->client();
  return client->signed_url(client->request("GET", bucket, key), ttl);
}

}  // namespace tenon::s3
