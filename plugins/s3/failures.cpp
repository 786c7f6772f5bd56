// SPDX-License-Identifier: BSL-1.0
#include "failures.hpp"

#include <curl/curl.h>

#include <optional>
#include <utility>

namespace tenon::s3 {
namespace {

constexpr tenon_status later = TENON_UNAVAILABLE | TENON_RETRYABLE;

/// Returns the status of an error code of S3, or nothing for a code that is not listed.
std::optional<tenon_status> status_of_code(std::string_view code) {
  constexpr std::pair<std::string_view, tenon_status> known[] = {
      {"AccessDenied", TENON_PERMISSION_DENIED},
      {"AccountProblem", TENON_PERMISSION_DENIED},
      {"AllAccessDisabled", TENON_PERMISSION_DENIED},
      {"AuthorizationHeaderMalformed", TENON_FAILED_PRECONDITION},  // another region
      {"BadDigest", TENON_DATA_LOSS | TENON_RETRYABLE},
      {"BucketAlreadyExists", TENON_ALREADY_EXISTS},
      {"ConditionalRequestConflict", TENON_ABORTED | TENON_RETRYABLE},
      {"EntityTooLarge", TENON_INVALID_ARGUMENT},
      {"ExpiredToken", TENON_PERMISSION_DENIED},
      {"IncompleteBody", TENON_DATA_LOSS | TENON_RETRYABLE},
      {"InternalError", later},
      {"InvalidAccessKeyId", TENON_PERMISSION_DENIED},
      {"InvalidBucketName", TENON_INVALID_ARGUMENT},
      {"InvalidObjectState", TENON_FAILED_PRECONDITION},
      {"InvalidToken", TENON_PERMISSION_DENIED},
      {"KeyTooLongError", TENON_INVALID_ARGUMENT},
      {"MethodNotAllowed", TENON_UNIMPLEMENTED},
      {"NoSuchBucket", TENON_NOT_FOUND},
      {"NoSuchKey", TENON_NOT_FOUND},
      {"NoSuchUpload", TENON_NOT_FOUND},
      {"NotImplemented", TENON_UNIMPLEMENTED},
      {"OperationAborted", TENON_ABORTED | TENON_RETRYABLE},
      {"PermanentRedirect", TENON_FAILED_PRECONDITION},
      {"PreconditionFailed", TENON_FAILED_PRECONDITION},
      {"QuotaExceeded", TENON_RESOURCE_EXHAUSTED},
      {"RequestTimeTooSkewed", TENON_FAILED_PRECONDITION},
      {"RequestTimeout", later},
      {"ServiceUnavailable", later},
      {"SignatureDoesNotMatch", TENON_PERMISSION_DENIED},
      {"SlowDown", later},
      {"TemporaryRedirect", later},
      {"XAmzContentSHA256Mismatch", TENON_DATA_LOSS | TENON_RETRYABLE},
  };
  for (const auto& [name, status] : known) {
    if (name == code) return status;
  }
  return std::nullopt;
}

tenon_status status_of_http(long status) {
  switch (status) {
    case 301:
    case 302:
    case 307:
    case 308:
    case 412:
      return TENON_FAILED_PRECONDITION;
    case 400:
    case 411:
    case 416:
      return TENON_INVALID_ARGUMENT;
    case 401:
      return TENON_UNAUTHENTICATED;
    case 403:
      return TENON_PERMISSION_DENIED;
    case 404:
      return TENON_NOT_FOUND;
    case 405:
    case 501:
      return TENON_UNIMPLEMENTED;
    case 409:
      return TENON_ABORTED | TENON_RETRYABLE;
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
      return later;
    case 507:
      return TENON_RESOURCE_EXHAUSTED;
    default:
      return TENON_UNKNOWN;
  }
}

tenon_status status_of_curl(int code) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_OPERATION_TIMEDOUT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
      return later;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
      return TENON_FAILED_PRECONDITION;
    case CURLE_OUT_OF_MEMORY:
      return TENON_RESOURCE_EXHAUSTED;
    case CURLE_WEIRD_SERVER_REPLY:
      return TENON_DATA_LOSS;
    default:
      return TENON_UNKNOWN;
  }
}

/// Returns whether a request was refused because the bucket is in another region. Responses to HEAD
/// have no code.
bool is_elsewhere(const Refusal& refusal) {
  if (refusal.region.empty()) return false;
  if (!refusal.code.empty()) {
    return refusal.code == "PermanentRedirect" || refusal.code == "AuthorizationHeaderMalformed";
  }
  return refusal.http_status == 301 || refusal.http_status == 307 || refusal.http_status == 400;
}

tenon_status status_of(const Refusal& refusal) {
  if (is_elsewhere(refusal)) return TENON_FAILED_PRECONDITION;
  return status_of_code(refusal.code).value_or(status_of_http(refusal.http_status));
}

}  // namespace

std::string shortened(std::string_view text) {
  constexpr std::size_t longest = 2048;
  if (text.size() <= longest) return std::string(text);
  std::size_t size = longest;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size)) + "…";
}

sdk::Failure failure_of(std::string_view action, const Refusal& refusal) {
  std::string text = sdk::text(action, ": HTTP status ", refusal.http_status);
  if (!refusal.code.empty()) text += ", " + refusal.code;
  if (!refusal.message.empty()) text += ": " + refusal.message;
  if (is_elsewhere(refusal)) {
    text += "; the bucket is in the region " + refusal.region + "; fix: set \"region\" to it";
  }
  return sdk::Failure(status_of(refusal), text);
}

sdk::Failure connection_failure(std::string_view action, int code, std::string_view details) {
  const char* general = curl_easy_strerror(static_cast<CURLcode>(code));
  return sdk::Failure(status_of_curl(code), action, ": ",
                      details.empty() ? std::string_view(general) : details);
}

}  // namespace tenon::s3
