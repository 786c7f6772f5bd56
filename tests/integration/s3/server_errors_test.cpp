// SPDX-License-Identifier: BSL-1.0
//
// The store with servers that disconnect, stall, or return errors.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <string_view>
#include <thread>

#include "fake_server.hpp"
#include "storing.hpp"

namespace tenon::tests { namespace {

using namespace std::chrono_literals;

class S3ServerErrors : public Storing {
 protected:
  Handle<ObjectStore> store(const FakeServer& peer, const TextMap& more = {}) {
    TextMap config = {{"endpoint", peer.endpoint()},
                      {"access_key_id", "KEY"},
                      {"secret_access_key", "very-secret"},
                      {"part_size", "5MiB"}};
    for (const auto& [key, value] : more) config[key] = value;
    return create(config);
  }
  static std::string refusal(const std::string& code) {
    return "<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>Why.</Message></Error>";
  }
  static bool begins(const std::string& request, const std::string& with) {
    return request.compare(0, with.size(), with) == 0;
  }
};

TEST_F(S3ServerErrors, RefusedConnectionsAreRetryable) {
  const std::string endpoint =
      FakeServer([](const std::string&) { return ""; }).endpoint();  // nothing listens any more
  auto store = create({{"endpoint", endpoint}, {"access_key_id", "K"}, {"secret_access_key", "S"}});
  const Error error = store->object_info("b", "k").error();
  EXPECT_EQ(error.status(), TENON_UNAVAILABLE | TENON_RETRYABLE) << error.to_string();
  EXPECT_NE(error.message().find("cannot read the metadata of b/k: "), std::string::npos)
      << error.message();
  EXPECT_EQ(store->put_object("b", "k", body("x")).error().code(), "unavailable");
  EXPECT_EQ(store->list_objects("b", "", "", 0).error().code(), "unavailable");
}

TEST_F(S3ServerErrors, MessagesAreCut) {
  const FakeServer peer([](const std::string&) {
    return http("403 Forbidden", "<Error><Code>AccessDenied</Code><Message>" +
                                     std::string(1'000'000, 'x') + "</Message></Error>");
  });
  const Error refused = store(peer)->list_objects("b", "", "", 0).error();
  EXPECT_EQ(refused.code(), "permission-denied");
  EXPECT_NE(refused.message().find(std::string(2048, 'x') + "…"), std::string::npos);
  EXPECT_LT(refused.message().size(), 2200u);
}

TEST_F(S3ServerErrors, PutWithoutABodySendsNothing) {
  const FakeServer peer([](const std::string&) { return http("200 OK", ""); });
  EXPECT_EQ(store(peer)->put_object("b", "k", Reader()).error().code(), "invalid-argument");
  EXPECT_TRUE(peer.requests().empty());
}

TEST_F(S3ServerErrors, PutSendsASignedTypeOfContent) {
  const FakeServer peer([](const std::string&) { return http("200 OK", ""); });
  EXPECT_TRUE(store(peer)->put_object("b", "k", body("x")));
  ASSERT_EQ(peer.heads().size(), 1u);
  const std::string head = peer.heads()[0];
  EXPECT_NE(head.find("\r\ncontent-type: application/octet-stream\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("SignedHeaders=content-type;"), std::string::npos) << head;
}

TEST_F(S3ServerErrors, TruncatedObjectsAreRetryable) {
  const FakeServer peer([](const std::string&) {
    return "HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + bytes(200'000);
  });
  auto store = this->store(peer);
  Reader reader = store->get_object("b", "k").value();
  std::string got;
  std::uint8_t room[10'000];
  auto count = reader.read(room);
  for (; count && *count > 0; count = reader.read(room)) {
    got.append(reinterpret_cast<const char*>(room), *count);
  }
  EXPECT_EQ(got, bytes(200'000)) << "the received part is correct";
  ASSERT_FALSE(count);
  EXPECT_EQ(count.error().status(), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_FALSE(reader.read(room)) << "the end is never reported";
}

TEST_F(S3ServerErrors, ObjectsWithoutALengthAreRefused) {
  const FakeServer peer([](const std::string&) { return "HTTP/1.1 200 OK\r\n\r\nhalf"; });
  EXPECT_EQ(store(peer)->get_object("b", "k").error().code(), "data-loss");
}

TEST_F(S3ServerErrors, SlowResponsesEndAtTheDeadline) {
  const FakeServer peer([](const std::string&) { return ""; });
  auto store = this->store(peer);
  Call call;
  call.set_timeout(30ms);
  EXPECT_EQ(store->get_object(call, "b", "k").error().code(), "deadline-exceeded");
  Call another;
  another.set_timeout(30ms);
  EXPECT_EQ(store->put_object(another, "b", "k", body("x")).error().code(), "deadline-exceeded");
}

TEST_F(S3ServerErrors, MissingResponsesEndAtTheTimeout) {
  const FakeServer peer([](const std::string&) { return ""; });
  auto store = this->store(peer, {{"timeout", "30ms"}});
  const Error error = store->get_object("b", "k").error();
  EXPECT_EQ(error.status(), TENON_UNAVAILABLE | TENON_RETRYABLE) << error.to_string();
  EXPECT_NE(error.message().find("does not respond"), std::string::npos) << error.message();
}

TEST_F(S3ServerErrors, CancelledCallsEndImmediately) {
  const FakeServer peer([](const std::string&) { return ""; });
  auto store = this->store(peer);
  Call call;
  std::thread canceller([&] {
    EXPECT_TRUE(eventually([&] { return peer.requests().size() == 1; }));
    call.cancel();
  });
  EXPECT_EQ(store->get_object(call, "b", "k").error().code(), "cancelled");
  canceller.join();
}

TEST_F(S3ServerErrors, ReadsContinueAfterACancelledRead) {
  const std::string content = bytes(2'000'000);
  const FakeServer peer([&](const std::string&) { return http("200 OK", content); });
  auto store = this->store(peer);
  Reader reader = store->get_object("b", "k").value();
  std::string got;
  std::uint8_t room[100'000];
  for (int i = 0;; ++i) {
    Call call;
    if (i % 2 == 0) call.cancel();
    const auto count = reader.read(call, room);
    if (!count) {
      ASSERT_EQ(count.error().code(), "cancelled") << count.error().to_string();
      continue;
    }
    if (*count == 0) break;
    got.append(reinterpret_cast<const char*>(room), *count);
  }
  EXPECT_EQ(got, content);
}

TEST_F(S3ServerErrors, ErrorsIncludeTheMessageOfTheServer) {
  const FakeServer peer([](const std::string& request) {
    if (begins(request, "PUT")) return http("503 Busy", refusal("SlowDown"));
    if (begins(request, "DELETE")) return http("403 No", refusal("AccessDenied"));
    if (begins(request, "HEAD")) return std::string("HTTP/1.1 403 No\r\nConnection: close\r\n\r\n");
    if (begins(request, "GET /b/")) return http("502 Bad Gateway", "<html>nginx & co</html>");
    return http("200 OK", "<html/>");
  });
  auto store = this->store(peer);
  const Error busy = store->put_object("b", "k", body("x")).error();
  EXPECT_EQ(busy.status(), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(busy.message(), "cannot write b/k: HTTP status 503, SlowDown: Why.");
  const Error denied = store->delete_object("b", "k").error();
  EXPECT_EQ(denied.code(), "permission-denied");
  EXPECT_EQ(store->object_info("b", "k").error().code(), "permission-denied");
  EXPECT_EQ(store->get_object("b", "k").error().status(), TENON_UNAVAILABLE | TENON_RETRYABLE);
  EXPECT_EQ(store->list_objects("b", "", "", 0).error().code(), "data-loss");
}

TEST_F(S3ServerErrors, RedirectsAreNotFollowed) {
  const FakeServer other([](const std::string&) { return http("200 OK", "stolen"); });
  const FakeServer peer([&](const std::string&) {
    return http("301 Moved", refusal("PermanentRedirect"),
                "Location: " + other.endpoint() + "/b/k\r\nx-amz-bucket-region: eu-west-1\r\n");
  });
  const Error error = store(peer)->get_object("b", "k").error();
  EXPECT_EQ(error.code(), "failed-precondition");
  EXPECT_NE(error.message().find("set \"region\" to it"), std::string::npos) << error.message();
  EXPECT_TRUE(other.requests().empty());
}

TEST_F(S3ServerErrors, NameTheRegionOfTheBucket) {
  std::string status;
  const FakeServer peer([&](const std::string&) {
    return "HTTP/1.1 " + status + "\r\nx-amz-bucket-region: eu-west-1\r\nConnection: close\r\n\r\n";
  });
  for (const char* redirection : {"301 Moved", "307 Redirect", "400 Bad Request"}) {
    status = redirection;
    const Error error = store(peer)->object_info("b", "k").error();
    EXPECT_EQ(error.code(), "failed-precondition") << redirection;
    EXPECT_NE(
        error.message().find("the bucket is in the region eu-west-1; fix: set \"region\" to it"),
        std::string::npos)
        << error.message();
  }
  status = "400 Bad Request";
  const Error same = store(peer, {{"region", "eu-west-1"}})->object_info("b", "k").error();
  EXPECT_EQ(same.message(), "cannot read the metadata of b/k: HTTP status 400");
  EXPECT_EQ(same.code(), "invalid-argument");
  status = "403 Forbidden";
  EXPECT_EQ(store(peer)->object_info("b", "k").error().message(),
            "cannot read the metadata of b/k: HTTP status 403");
}

TEST_F(S3ServerErrors, ListingsThatDoNotAdvanceFail) {
  int pages = 0;
  const FakeServer peer([&](const std::string&) {
    return http("200 OK", ++pages < 4 ? "<ListBucketResult><IsTruncated>true</IsTruncated>"
                                        "<NextContinuationToken>same</NextContinuationToken>"
                                        "</ListBucketResult>"
                                      : "<ListBucketResult/>");
  });
  const std::string expected =
      "data-loss: cannot list b: the server returned the same continuation token twice";
  const auto keys = store(peer)->list_objects("b", "", "", 0);
  ASSERT_FALSE(keys);
  EXPECT_NE(keys.error().to_string().find(expected), std::string::npos) << keys.error().to_string();
  pages = 0;
  const auto prefixes = store(peer)->list_common_prefixes("b", "", "/");
  ASSERT_FALSE(prefixes);
  EXPECT_NE(prefixes.error().to_string().find(expected), std::string::npos)
      << prefixes.error().to_string();
}

/// Returns successful responses to a multipart upload; tests override single ones.
std::string take_upload(const std::string& request) {
  if (request == "POST /b/k?uploads=") {
    return http("200 OK",
                "<InitiateMultipartUploadResult><UploadId>U&amp;1</UploadId>"
                "</InitiateMultipartUploadResult>");
  }
  if (request.find("partNumber=") != std::string::npos)
    return http("200 OK", "", "ETag: \"e\"\r\n");
  if (request.find("DELETE") == 0) return http("204 No Content", "");
  return http("200 OK", "<CompleteMultipartUploadResult/>");
}

TEST_F(S3ServerErrors, FailedUploadsWithStatus200AreErrors) {
  const FakeServer peer([&](const std::string& request) {
    if (request == "POST /b/k?uploadId=U%261") return http("200 OK", refusal("InternalError"));
    return take_upload(request);
  });
  const Error error = store(peer)->put_object("b", "k", body(bytes(6 << 20))).error();
  EXPECT_EQ(error.status(), TENON_UNAVAILABLE | TENON_RETRYABLE) << error.to_string();
  EXPECT_EQ(peer.requests(), (Texts{"POST /b/k?uploads=", "PUT /b/k?partNumber=1&uploadId=U%261",
                                    "PUT /b/k?partNumber=2&uploadId=U%261",
                                    "POST /b/k?uploadId=U%261", "DELETE /b/k?uploadId=U%261"}));
}

TEST_F(S3ServerErrors, UnconfirmedUploadsAreErrors) {
  for (const char* response : {"", "<html/>", "<CompleteMultipartUploadResult>"}) {
    const FakeServer peer([&](const std::string& request) {
      if (request == "POST /b/k?uploadId=U%261") return http("200 OK", response);
      return take_upload(request);
    });
    const auto done = store(peer)->put_object("b", "k", body(bytes(6 << 20)));
    ASSERT_FALSE(done) << response;
    EXPECT_EQ(done.error().code(), "data-loss") << response;
    EXPECT_EQ(peer.requests().back(), "DELETE /b/k?uploadId=U%261");
  }
}

TEST_F(S3ServerErrors, CancelledUploadsAreAborted) {
  Call call;
  const FakeServer peer([&](const std::string& request) {
    if (request.find("partNumber=2") == std::string::npos) return take_upload(request);
    call.cancel();
    return std::string();
  });
  auto store = this->store(peer);
  EXPECT_EQ(store->put_object(call, "b", "k", body(bytes(6 << 20))).error().code(), "cancelled");
  EXPECT_EQ(peer.requests().back(), "DELETE /b/k?uploadId=U%261");
}

TEST_F(S3ServerErrors, FailedAbortsAreLogged) {
  const FakeServer peer([&](const std::string& request) {
    if (begins(request, "DELETE")) return http("403 No", refusal("AccessDenied"));
    return take_upload(request);
  });
  auto store = this->store(peer);
  testing::internal::CaptureStderr();
  EXPECT_EQ(store->put_object("b", "k", broken_body(bytes(6 << 20))).error().code(), "data-loss");
  const std::string logged = testing::internal::GetCapturedStderr();
  EXPECT_NE(logged.find("the upload U&1 of b/k was not aborted"), std::string::npos) << logged;
  EXPECT_NE(logged.find("AccessDenied"), std::string::npos) << logged;
  EXPECT_EQ(logged.find("very-secret"), std::string::npos) << logged;
}

}}  // namespace tenon::tests
