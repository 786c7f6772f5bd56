// SPDX-License-Identifier: BSL-1.0
#include "upload.hpp"

#include "failures.hpp"
#include "xml.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

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
  // Not zeroed, so that a short object does not touch memory that it does not need.
  const std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint8_t ahead_ = 0;
  bool has_ahead_ = false;
};

/// The responses to uploads, except for errors.
struct Receipt {
  std::string upload_id;
  bool completed = false;
  Refusal refusal;
};

Receipt read_receipt(const std::string& xml) {
  Receipt receipt;
  read_xml(xml, [&](std::string_view path, const std::string& text) {
    if (path == "InitiateMultipartUploadResult/UploadId") receipt.upload_id = text;
    if (path == "CompleteMultipartUploadResult") receipt.completed = true;
    if (path == "Error/Code") receipt.refusal.code = text;
    if (path == "Error/Message") receipt.refusal.message = text;
  });
  return receipt;
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
        patience_(client.patience(call)),
        warn_(warn) {
    Request request = client_.about("POST", bucket_, key_);
    request.query = {{"uploads", ""}};
    id_ = read_receipt(client_.send(std::move(request), action_, patience_)).upload_id;
    if (id_.empty()) throw no_answer("did not start the upload");
  }
  ~Multipart() {
    if (!completed_) abort();
  }
  Multipart(const Multipart&) = delete;
  Multipart& operator=(const Multipart&) = delete;

  void add(BytesView part) {
    Request request = client_.about("PUT", bucket_, key_);
    request.query = {{"partNumber", std::to_string(tags_.size() + 1)}, {"uploadId", id_}};
    request.body = part;
    const auto exchange = client_.begin(std::move(request), action_, patience_);
    auto tag = exchange->header("etag");
    if (!tag) throw no_answer("did not return the tag of a part");
    rest_of(*exchange, patience_);
    tags_.push_back(*std::move(tag));
  }

  void complete() {
    std::string xml = "<CompleteMultipartUpload>";
    for (std::size_t i = 0; i < tags_.size(); i++) {
      xml += sdk::text("<Part><PartNumber>", i + 1, "</PartNumber><ETag>", escape_xml(tags_[i]),
                       "</ETag></Part>");
    }
    xml += "</CompleteMultipartUpload>";
    Request request = client_.about("POST", bucket_, key_);
    request.query = {{"uploadId", id_}};
    request.headers["content-type"] = "application/xml";
    request.body = BytesView(std::string_view(xml));
    // The server sends the status before it is done, so the body may still be an error.
    const Receipt receipt = read_receipt(client_.send(std::move(request), action_, patience_));
    if (!receipt.refusal.code.empty()) {
      Refusal refusal = receipt.refusal;
      refusal.http_status = 200;
      throw failure_of(action_, refusal);
    }
    if (!receipt.completed) throw no_answer("did not confirm that the object is complete");
    completed_ = true;
  }

 private:
  sdk::Failure no_answer(std::string_view what) const {
    return sdk::Failure(TENON_DATA_LOSS, action_, ": the server ", what);
  }

  /// Aborts the upload, also after a cancelled call, and therefore with a short timeout.
  void abort() noexcept {
    try {
      const Patience patience{sdk::Call(nullptr),
                              std::min<Duration>(patience_.silence, std::chrono::seconds(5))};
      Request request = client_.about("DELETE", bucket_, key_);
      request.query = {{"uploadId", id_}};
      client_.send(std::move(request), "cannot abort the upload", patience);
    } catch (const std::exception& error) {
      // The upload may be complete: perhaps only the response to its completion was lost.
      warn_(sdk::text("the upload ", id_, " of ", bucket_, "/", key_,
                      " was not aborted and may take space: ", error.what()));
    }
  }

  const Client& client_;
  const std::string bucket_;
  const std::string key_;
  const std::string action_;
  const Patience patience_;
  const Warn& warn_;
  std::string id_;
  std::vector<std::string> tags_;
  bool completed_ = false;
};

void upload_at_once(const Client& client, std::string_view bucket, std::string_view key,
                    BytesView body, sdk::Call call) {
  Request request = client.about("PUT", bucket, key);
  request.body = body;
  client.send(std::move(request), sdk::text("cannot write ", bucket, "/", key),
              client.patience(call));
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
