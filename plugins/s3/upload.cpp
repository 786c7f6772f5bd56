// SPDX-License-Identifier: BSL-1.0
#include "upload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "failures.hpp"
#include "xml.hpp"

namespace tenon::s3 {
namespace {

using Warn = std::function<void(std::string_view)>;

/// Splits the body of an object into parts of one size; the last one may be shorter.
class Parts {
 public:
  Parts(sdk::Reader& body, sdk::Call call, std::size_t size)
      : body_(body), call_(call), size_(size), bytes_(new std::uint8_t[size]) {}

  /// Reads the next part, which is valid until the next call.
  BytesView next() {
    std::size_t filled = 0;
    if (has_ahead_) bytes_[filled++] = ahead_;
    has_ahead_ = false;
    while (filled < size_) {
      const std::size_t count = body_.read(call_, {bytes_.get() + filled, size_ - filled});
      if (count == 0) return {bytes_.get(), filled};
      filled += count;
    }
    has_ahead_ = body_.read(call_, {&ahead_, 1}) == 1;
    return {bytes_.get(), filled};
  }

  /// Returns whether there is another part.
  bool more() const noexcept { return has_ahead_; }

 private:
  sdk::Reader& body_;
  const sdk::Call call_;
  const std::size_t size_;
  // Not zeroed, so that short objects do not touch unneeded memory.
  const std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint8_t ahead_ = 0;
  bool has_ahead_ = false;
};

/// The body of a response to an upload.
struct UploadResponse {
  std::string upload_id;
  bool completed = false;
  Refusal refusal;
};

UploadResponse read_response(const std::string& xml) {
  UploadResponse response;
  read_xml(xml, [&](std::string_view path, const std::string& text) {
    if (path == "InitiateMultipartUploadResult/UploadId") response.upload_id = text;
    if (path == "CompleteMultipartUploadResult") response.completed = true;
    if (path == "Error/Code") response.refusal.code = text;
    if (path == "Error/Message") response.refusal.message = text;
  });
  return response;
}

/// An upload in several parts. The destructor aborts it unless it was completed.
class Multipart {
 public:
  Multipart(const Client& client, std::string_view bucket, std::string_view key, sdk::Call call,
            const Warn& warn)
      : client_(client),
        bucket_(bucket),
        key_(key),
        action_(sdk::text("cannot write ", bucket, "/", key)),
        limits_(client.limits(call)),
        warn_(warn) {
    Request request = client_.request("POST", bucket_, key_);
    request.query = {{"uploads", ""}};
    id_ = read_response(client_.send(std::move(request), action_, limits_)).upload_id;
    if (id_.empty()) throw wrong_response("did not start the upload");
  }
  ~Multipart() {
    if (!completed_) abort();
  }
  Multipart(const Multipart&) = delete;
  Multipart& operator=(const Multipart&) = delete;

  void add(BytesView part) {
    Request request = client_.request("PUT", bucket_, key_);
    request.query = {{"partNumber", std::to_string(tags_.size() + 1)}, {"uploadId", id_}};
    request.body = part;
    const auto exchange = client_.begin(std::move(request), action_, limits_);
    auto tag = exchange->header("etag");
    if (!tag) throw wrong_response("did not return the tag of a part");
    read_rest(*exchange, limits_);
    tags_.push_back(*std::move(tag));
  }

  void complete() {
    std::string xml = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < tags_.size(); ++i) {
      xml += sdk::text("<Part><PartNumber>", i + 1, "</PartNumber><ETag>", escape_xml(tags_[i]),
                       "</ETag></Part>");
    }
    xml += "</CompleteMultipartUpload>";
    Request request = client_.request("POST", bucket_, key_);
    request.query = {{"uploadId", id_}};
    request.headers["content-type"] = "application/xml";
    request.body = BytesView(std::string_view(xml));
    // The server sends the status before it has finished, so the body may still be an error.
    const UploadResponse response =
        read_response(client_.send(std::move(request), action_, limits_));
    if (!response.refusal.code.empty()) {
      Refusal refusal = response.refusal;
      refusal.http_status = 200;
      throw failure_of(action_, refusal);
    }
    if (!response.completed) throw wrong_response("did not confirm that the object is complete");
    completed_ = true;
  }

 private:
  sdk::Failure wrong_response(std::string_view what) const {
    return sdk::Failure(TENON_DATA_LOSS, action_, ": the server ", what);
  }

  /// Aborts the upload, also after a cancelled call, and therefore with a short timeout.
  void abort() noexcept {
    try {
      const WaitLimits limits{sdk::Call(nullptr),
                              std::min<Duration>(limits_.timeout, std::chrono::seconds(5))};
      Request request = client_.request("DELETE", bucket_, key_);
      request.query = {{"uploadId", id_}};
      client_.send(std::move(request), "cannot abort the upload", limits);
    } catch (const std::exception& error) {
      // The upload may be complete, if only the response to its completion was lost.
      warn_(sdk::text("the upload ", id_, " of ", bucket_, "/", key_,
                      " was not aborted and may take space: ", error.what()));
    }
  }

  const Client& client_;
  const std::string bucket_;
  const std::string key_;
  const std::string action_;
  const WaitLimits limits_;
  const Warn& warn_;
  std::string id_;
  std::vector<std::string> tags_;
  bool completed_ = false;
};

void upload_at_once(const Client& client, std::string_view bucket, std::string_view key,
                    BytesView body, sdk::Call call) {
  Request request = client.request("PUT", bucket, key);
  request.body = body;
  client.send(std::move(request), sdk::text("cannot write ", bucket, "/", key),
              client.limits(call));
}

}  // namespace

void upload(const Client& client, std::string_view bucket, std::string_view key, sdk::Reader& body,
            sdk::Call call, const Warn& warn) {
  Parts parts(body, call, client.settings().part_size);
  BytesView part = parts.next();
  if (!parts.more()) return upload_at_once(client, bucket, key, part, call);
  Multipart multipart(client, bucket, key, call, warn);
  for (;;) {
    multipart.add(part);
    if (!parts.more()) break;
    part = parts.next();
  }
  multipart.complete();
}

}  // namespace tenon::s3
