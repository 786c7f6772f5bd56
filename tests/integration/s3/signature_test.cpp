// SPDX-License-Identifier: BSL-1.0
//
// The examples of signatures that Amazon publishes, with their results.
#include "signature.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace tenon::s3 { namespace {

using namespace std::chrono_literals;

constexpr Timestamp midnight(1369353600s);  // 2013-05-24T00:00:00Z
constexpr const char* secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

Signer signer(std::string token = "") {
  return {{"AKIAIOSFODNN7EXAMPLE", secret, std::move(token)}, "us-east-1"};
}

Request request(std::string method, std::string path) {
  Request request;
  request.method = std::move(method);
  request.path = std::move(path);
  request.headers["host"] = "examplebucket.s3.amazonaws.com";
  return request;
}

std::string authorization(Request request) {
  signer().sign(request, midnight);
  return request.headers.at("authorization");
}

constexpr const char* credential =
    "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,";

TEST(Signature, SignsGetObject) {
  Request get = request("GET", "/test.txt");
  get.headers["range"] = "bytes=0-9";
  EXPECT_EQ(authorization(get),
            std::string(credential) +
                "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
                "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
}

TEST(Signature, SignsPutObject) {
  Request put = request("PUT", encode_path("/test$file.text"));
  put.headers["date"] = "Fri, 24 May 2013 00:00:00 GMT";
  put.headers["x-amz-storage-class"] = "REDUCED_REDUNDANCY";
  put.body = BytesView(std::string_view("Welcome to Amazon S3."));
  EXPECT_EQ(authorization(put),
            std::string(credential) +
                "SignedHeaders=date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class,"
                "Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

TEST(Signature, SignsAParameterWithoutValue) {
  Request get = request("GET", "/");
  get.query = {{"lifecycle", ""}};
  EXPECT_EQ(authorization(get),
            std::string(credential) +
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date,"
                "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
}

TEST(Signature, SignsAListing) {
  Request get = request("GET", "/");
  get.query = {{"prefix", "J"}, {"max-keys", "2"}};
  EXPECT_EQ(authorization(get),
            std::string(credential) +
                "SignedHeaders=host;x-amz-content-sha256;x-amz-date,"
                "Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

TEST(Signature, SignsAUrl) {
  Request get = request("GET", "/test.txt");
  signer().presign(get, midnight, 24h);
  EXPECT_EQ(query_of(get.query),
            "X-Amz-Algorithm=AWS4-HMAC-SHA256"
            "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
            "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400"
            "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
            "&X-Amz-SignedHeaders=host");
}

TEST(Signature, CoversTheSessionToken) {
  Request get = request("GET", "/test.txt");
  signer("a+token").sign(get, midnight);
  EXPECT_EQ(get.headers.at("x-amz-security-token"), "a+token");
  const std::string& line = get.headers.at("authorization");
  EXPECT_NE(line.find(";x-amz-date;x-amz-security-token,"), std::string::npos) << line;

  Request address = request("GET", "/test.txt");
  signer("a+token").presign(address, midnight, 1h);
  const std::string query = query_of(address.query);
  EXPECT_NE(query.find("&X-Amz-Security-Token=a%2Btoken&"), std::string::npos) << query;
}

TEST(Uri, EncodesAllButUnreservedCharacters) {
  EXPECT_EQ(encode("aZ09-._~"), "aZ09-._~");
  EXPECT_EQ(encode("a b+c%/\xc3\xbc\x01"), "a%20b%2Bc%25%2F%C3%BC%01");
  EXPECT_EQ(encode_path("a//b c"), "a//b%20c");
}

TEST(Uri, DecodesWhatServersEncode) {
  EXPECT_EQ(decode("a%20b+c%2B%C3%bc"), "a b c+\xc3\xbc");
  EXPECT_EQ(decode("100%"), "100%");
  EXPECT_EQ(decode("%4"), "%4");
  EXPECT_EQ(decode("%zz%41"), "%zzA");
}

TEST(Uri, SortsParametersByTheirEncodedNames) {
  EXPECT_EQ(query_of({{"b", "2"}, {"a", ""}, {"B", "x y"}}), "B=x%20y&a=&b=2");
}

}}  // namespace tenon::s3
