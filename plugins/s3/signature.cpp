// SPDX-License-Identifier: BSL-1.0
#include "signature.hpp"

#include <sodium.h>

#include <array>
#include <ctime>

namespace tenon::s3 {
namespace {

constexpr std::string_view algorithm = "AWS4-HMAC-SHA256";

std::string hexadecimal(const unsigned char* bytes, std::size_t size) {
  std::string text(size * 2 + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes, size);
  text.pop_back();  // the terminating NUL that libsodium writes
  return text;
}

using Mac = std::array<unsigned char, crypto_auth_hmacsha256_BYTES>;

Mac mac_of(const void* key, std::size_t size, std::string_view text) {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, static_cast<const unsigned char*>(key), size);
  crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(text.data()),
                                text.size());
  Mac mac;
  crypto_auth_hmacsha256_final(&state, mac.data());
  return mac;
}

Mac mac_of(const Mac& key, std::string_view text) {
  return mac_of(key.data(), key.size(), text);
}

/// Returns a time as 20130524T000000Z.
std::string basic_form(Timestamp time) {
  const std::time_t seconds =
      std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts)};
}

std::string_view day_of(std::string_view time) {
  return time.substr(0, 8);
}

std::string names_of(const Headers& headers) {
  std::string names;
  for (const auto& header : headers) names += (names.empty() ? "" : ";") + header.first;
  return names;
}

/// Returns the request in the form that both sides hash.
std::string canonical(const Request& request, std::string_view body_hash) {
  std::string text = request.method + "\n" + request.path + "\n" + query_of(request.query) + "\n";
  for (const auto& [name, value] : request.headers) text += name + ":" + value + "\n";
  return text.append("\n").append(names_of(request.headers)).append("\n").append(body_hash);
}

}  // namespace

std::string sha256(BytesView bytes) {
  unsigned char hash[crypto_hash_sha256_BYTES];
  crypto_hash_sha256(hash, bytes.data(), bytes.size());
  return hexadecimal(hash, sizeof hash);
}

void Signer::sign(Request& request, Timestamp now) const {
  const std::string time = basic_form(now);
  const std::string hash = sha256(request.body);
  request.headers["x-amz-date"] = time;
  request.headers["x-amz-content-sha256"] = hash;
  if (!credentials_.session_token.empty()) {
    request.headers["x-amz-security-token"] = credentials_.session_token;
  }
  const std::string names = names_of(request.headers);
  const std::string signature = this->signature(request, hash, time);
  request.headers["authorization"] = std::string(algorithm)
                                         .append(" Credential=")
                                         .append(credentials_.access_key_id)
                                         .append("/" + scope(time))
                                         .append(",SignedHeaders=" + names)
                                         .append(",Signature=" + signature);
}

void Signer::presign(Request& request, Timestamp now, std::chrono::seconds ttl) const {
  const std::string time = basic_form(now);
  request.query.emplace_back("X-Amz-Algorithm", algorithm);
  request.query.emplace_back("X-Amz-Credential", credentials_.access_key_id + "/" + scope(time));
  request.query.emplace_back("X-Amz-Date", time);
  request.query.emplace_back("X-Amz-Expires", std::to_string(ttl.count()));
  if (!credentials_.session_token.empty()) {
    request.query.emplace_back("X-Amz-Security-Token", credentials_.session_token);
  }
  request.query.emplace_back("X-Amz-SignedHeaders", names_of(request.headers));
  const std::string signature = this->signature(request, "UNSIGNED-PAYLOAD", time);
  request.query.emplace_back("X-Amz-Signature", signature);
}

std::string Signer::scope(std::string_view time) const {
  return std::string(day_of(time)) + "/" + region_ + "/s3/aws4_request";
}

std::string Signer::signature(const Request& request, std::string_view body_hash,
                              std::string_view time) const {
  const std::string hash = sha256(BytesView(std::string_view(canonical(request, body_hash))));
  std::string text(algorithm);
  text.append("\n").append(time).append("\n" + scope(time)).append("\n" + hash);
  const std::string secret = "AWS4" + credentials_.secret_access_key;
  Mac key = mac_of(secret.data(), secret.size(), day_of(time));
  for (const std::string_view part :
       {std::string_view(region_), std::string_view("s3"), std::string_view("aws4_request")}) {
    key = mac_of(key, part);
  }
  const Mac mac = mac_of(key, text);
  return hexadecimal(mac.data(), mac.size());
}

}  // namespace tenon::s3
