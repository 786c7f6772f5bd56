// SPDX-License-Identifier: BSL-1.0
//
// Parsing of responses of S3 servers and other HTTP servers.
#include <curl/curl.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "failures.hpp"
#include "listing.hpp"
#include "xml.hpp"

namespace tenon::s3 { namespace {

using Texts = std::vector<std::string>;
constexpr tenon_status later = TENON_UNAVAILABLE | TENON_RETRYABLE;

tenon_status status_of(const std::string& xml) {
  try {
    read_page(xml);
    return TENON_OK;
  } catch (const sdk::Failure& failure) {
    return failure.status();
  }
}

TEST(Listing, IsReadInAnyOrderOfItsParts) {
  const Page page = read_page(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Prefix>a%2F</Prefix><IsTruncated>true</IsTruncated>
  <Contents><Key>a%2Fb+c%2Bd</Key><Size>1</Size><Owner><ID>Key</ID></Owner></Contents>
  <CommonPrefixes><Prefix>a%2F1%2F</Prefix></CommonPrefixes>
  <Contents><Key>a%2F%01</Key></Contents>
  <NextContinuationToken>t+1=</NextContinuationToken>
  <EncodingType>url</EncodingType>
</ListBucketResult>)");
  EXPECT_EQ(page.keys, (Texts{"a/b c+d", "a/\x01"}));
  EXPECT_EQ(page.prefixes, Texts{"a/1/"});
  EXPECT_EQ(page.next, "t+1=");
}

TEST(Listing, IsNotDecodedIfTheServerDoesNotEncode) {
  const Page page = read_page(
      "<ListBucketResult><IsTruncated>false</IsTruncated>"
      "<Contents><Key>a+b%20&lt;&amp;</Key></Contents></ListBucketResult>");
  EXPECT_EQ(page.keys, Texts{"a+b%20<&"});
  EXPECT_EQ(page.next, "");
}

/// 9 MB of nested elements took 559 MB.
TEST(Listing, FailsForXmlThatNoServerOfS3Sends) {
  const auto nested = [](std::size_t levels) {
    std::string xml = "<ListBucketResult>";
    for (std::size_t i = 1; i < levels; ++i) xml += "<a>";
    for (std::size_t i = 1; i < levels; ++i) xml += "</a>";
    return xml + "</ListBucketResult>";
  };
  EXPECT_EQ(status_of(nested(32)), TENON_OK);
  EXPECT_EQ(status_of(nested(33)), TENON_DATA_LOSS);
  EXPECT_EQ(status_of(nested(3'000'000)), TENON_DATA_LOSS);

  std::string many = "<ListBucketResult>";
  for (int i = 0; i < 99'999; ++i) many += "<a" + std::to_string(i) + "/>";
  EXPECT_EQ(status_of(many + "</ListBucketResult>"), TENON_OK);
  EXPECT_EQ(status_of(many + "<b/></ListBucketResult>"), TENON_DATA_LOSS);

  const auto with_tag = [](std::size_t size) {
    return "<ListBucketResult a='" + std::string(size, 'x') + "'></ListBucketResult>";
  };
  EXPECT_EQ(status_of(with_tag(200'000)), TENON_OK);
  EXPECT_EQ(status_of(with_tag(1'000'000)), TENON_DATA_LOSS);
  std::string with_text = "<ListBucketResult>";
  with_text.append(20'000'000, 'x');  // text between tags is no tag
  EXPECT_EQ(status_of(with_text + "</ListBucketResult>"), TENON_OK);
}

TEST(Listing, FailsForOtherXml) {
  EXPECT_EQ(status_of(""), TENON_DATA_LOSS);
  EXPECT_EQ(status_of("<html><body>Welcome</body></html>"), TENON_DATA_LOSS);
  EXPECT_EQ(status_of("<ListBucketResult><IsTruncated>false"), TENON_DATA_LOSS);
  EXPECT_EQ(status_of("<ListBucketResult/>"), TENON_OK);
}

TEST(Listing, FailsWithoutTheStartOfTheNextPage) {
  EXPECT_EQ(status_of("<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"),
            TENON_DATA_LOSS);
}

TEST(Listing, IgnoresATokenAfterTheLastPage) {
  const Page page = read_page(
      "<ListBucketResult><NextContinuationToken>t</NextContinuationToken>"
      "<IsTruncated>false</IsTruncated></ListBucketResult>");
  EXPECT_EQ(page.next, "");
}

TEST(Xml, RefusesDocumentTypes) {
  EXPECT_EQ(status_of("<!DOCTYPE a [<!ENTITY b \"c\">]><ListBucketResult>&b;</ListBucketResult>"),
            TENON_DATA_LOSS);
}

TEST(Xml, PropagatesExceptions) {
  EXPECT_THROW(read_xml("<a><b/></a>", [](std::string_view, const std::string&) { throw 1; }), int);
}

TEST(Xml, IsEscaped) {
  EXPECT_EQ(escape_xml("\"a\"<&>"), "\"a\"&lt;&amp;&gt;");
}

TEST(ErrorResponses, GetTheStatusOfTheirCode) {
  EXPECT_EQ(failure_of("", {404, "NoSuchKey", "", ""}).status(), TENON_NOT_FOUND);
  EXPECT_EQ(failure_of("", {200, "NoSuchBucket", "", ""}).status(), TENON_NOT_FOUND);
  EXPECT_EQ(failure_of("", {403, "AccessDenied", "", ""}).status(), TENON_PERMISSION_DENIED);
  EXPECT_EQ(failure_of("", {403, "RequestTimeTooSkewed", "", ""}).status(),
            TENON_FAILED_PRECONDITION);
  EXPECT_EQ(failure_of("", {503, "SlowDown", "", ""}).status(), later);
  EXPECT_EQ(failure_of("", {200, "InternalError", "", ""}).status(), later);
  EXPECT_EQ(failure_of("", {400, "BadDigest", "", ""}).status(), TENON_DATA_LOSS | TENON_RETRYABLE);
}

TEST(ErrorResponses, GetTheHttpStatusWithoutAKnownCode) {
  EXPECT_EQ(failure_of("", {400, "Newer", "", ""}).status(), TENON_INVALID_ARGUMENT);
  EXPECT_EQ(failure_of("", {401, "", "", ""}).status(), TENON_UNAUTHENTICATED);
  EXPECT_EQ(failure_of("", {403, "", "", ""}).status(), TENON_PERMISSION_DENIED);
  EXPECT_EQ(failure_of("", {404, "", "", ""}).status(), TENON_NOT_FOUND);
  EXPECT_EQ(failure_of("", {429, "", "", ""}).status(), later);
  EXPECT_EQ(failure_of("", {500, "", "", ""}).status(), later);
  EXPECT_EQ(failure_of("", {507, "StorageFull", "", ""}).status(), TENON_RESOURCE_EXHAUSTED);
  EXPECT_EQ(failure_of("", {418, "", "", ""}).status(), TENON_UNKNOWN);
}

TEST(ErrorResponses, IncludeTheMessageOfTheServer) {
  EXPECT_EQ(failure_of("cannot read b/k", {404, "NoSuchKey", "It is gone.", "eu-1"}).message(),
            "cannot read b/k: HTTP status 404, NoSuchKey: It is gone.");
  EXPECT_EQ(failure_of("cannot read b/k", {301, "PermanentRedirect", "", "eu-1"}).message(),
            "cannot read b/k: HTTP status 301, PermanentRedirect; "
            "the bucket is in the region eu-1; fix: set \"region\" to it");
  EXPECT_EQ(
      failure_of("cannot read b/k", {400, "AuthorizationHeaderMalformed", "", "eu-1"}).message(),
      "cannot read b/k: HTTP status 400, AuthorizationHeaderMalformed; "
      "the bucket is in the region eu-1; fix: set \"region\" to it");
  for (const char* code : {"PreconditionFailed", "RequestTimeTooSkewed", "InvalidObjectState"}) {
    EXPECT_EQ(failure_of("cannot read b/k", {403, code, "", "eu-1"}).message(),
              std::string("cannot read b/k: HTTP status 403, ") + code);
  }
}

TEST(Connections, AreNotRetriedIfUntrusted) {
  EXPECT_EQ(connection_failure("", CURLE_PEER_FAILED_VERIFICATION, "").status(),
            TENON_FAILED_PRECONDITION);
  EXPECT_EQ(connection_failure("", CURLE_COULDNT_CONNECT, "").status(), later);
}

}}  // namespace tenon::s3
