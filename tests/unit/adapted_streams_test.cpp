// SPDX-License-Identifier: BSL-1.0
//
// The owners of streams that pass between versions, if a call fails after the plugin has succeeded.
#include <tenon/detail/steps.hpp>
#include <tenon/host.hpp>

#include <gtest/gtest.h>
#include <test/deposit.hpp>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace {

/// A stream that counts how often it is released.
struct Counted : tenon_reader {
  Counted() : tenon_reader{sizeof(tenon_reader), nullptr, count} {}
  static void count(tenon_reader* self) { ++static_cast<Counted*>(self)->releases; }
  int releases = 0;
};

/// What the plugins see. One test at a time uses it.
struct Seen {
  tenon_reader* kept = nullptr;  // the stream that the depositor owns
  Counted rest;
  Counted trailer;
  // Of the relay:
  Counted body;
  Counted note;
  tenon_status status = TENON_UNKNOWN;
  bool has_response = true;
};
Seen* seen = nullptr;

void destroy(void*) {}

// -- A plugin of version 1. The title of an entry states what is wrong with its response. ----

tenon_status create_depositor(tenon_call*, const tenon_create_request*, void**) {
  return TENON_OK;
}
void destroy_depositor(void*) {
  if (tenon_reader* kept = std::exchange(seen->kept, nullptr)) kept->release(kept);
}
tenon_status put(tenon_call* call, void*, const test_deposit_v1_put_request* in,
                 const test_deposit_v1_put_response** out) {
  const std::string_view title(in->entry.title.data, in->entry.title.size);
  if (title == "refused") return tenon_fail(call, TENON_ABORTED, "refused");
  seen->kept = in->body;
  if (title == "no response") return TENON_OK;
  auto* response = tenon::new_response<test_deposit_v1_put_response>(call);
  response->entry = in->entry;
  response->rest = &seen->rest;
  response->trailer = &seen->trailer;
  if (title == "bad bag") response->entry.bag = {reinterpret_cast<const std::uint8_t*>("["), 1};
  if (title == "bad text") response->entry.title = TENON_TEXT("\xff");
  *out = response;
  return TENON_OK;
}
constexpr tenon_base depositor_base = {
    sizeof depositor_base, create_depositor, destroy_depositor, nullptr, nullptr, nullptr, nullptr};
constexpr test_deposit_v1 depositor = {sizeof depositor, 1, 0, &depositor_base, put};

// -- A plugin of version 2, which passes its own streams to the first one ----------

const tenon_host* host_of_relay = nullptr;

tenon_status create_relay(tenon_call*, const tenon_create_request* in, void**) {
  host_of_relay = in->host;
  return TENON_OK;
}
tenon_status relay(tenon_call* call, void*, const test_deposit_v2_put_request* in,
                   const test_deposit_v2_put_response**) {
  const tenon_plugin_request request{sizeof request,
                                     TENON_TEXT(TENON_KIND_test_deposit_v2),
                                     2,
                                     0,
                                     TENON_FINGERPRINT_test_deposit_v2,
                                     TENON_TEXT("test.example/depositor")};
  tenon_instance other;
  if (const auto status = host_of_relay->create(host_of_relay, call, &request, &other)) {
    return status;
  }
  const test_deposit_v2_put_request passed{sizeof passed, &seen->body, &seen->note, in->entry};
  const test_deposit_v2_put_response* response = nullptr;
  seen->status =
      static_cast<const test_deposit_v2*>(other.table)->put(call, other.self, &passed, &response);
  seen->has_response = response != nullptr;
  if (response != nullptr) response->rest->release(response->rest);
  host_of_relay->release(host_of_relay, &other);
  return tenon_fail(call, TENON_ABORTED, "done");
}
constexpr tenon_base relay_base = {sizeof relay_base, create_relay, destroy, nullptr,
                                   nullptr,           nullptr,      nullptr};
constexpr test_deposit_v2 relay_table = {sizeof relay_table, 2, 0, &relay_base, relay};

#define PLUGINS(P)                                         \
  P(test_deposit, 1, "test.example/depositor", &depositor) \
  P(test_deposit, 2, "test.example/relay", &relay_table)
constexpr tenon_registration registrations[] = {PLUGINS(TENON_REGISTRATION_ROW_)};
constexpr char manifest[] =
    TENON_MANIFEST_TEXT_("test.example/deposits", "1.0.0", PLUGINS(TENON_MANIFEST_ROW_), );
constexpr tenon_module module = {TENON_MAGIC,
                                 sizeof(tenon_module),
                                 TENON_ABI_MAJOR,
                                 TENON_ABI,
                                 manifest,
                                 sizeof manifest - 1,
                                 {registrations, std::size(registrations), sizeof registrations[0]},
                                 nullptr,
                                 nullptr};

struct AdaptedStreams : testing::TestWithParam<std::string_view> {
  AdaptedStreams() { seen = &streams; }

  /// Puts a stream and a note, and ends the plugin. Returns the message of the failure.
  std::string put(const char* plugin, bool check_calls = false) {
    tenon::Host host({.app = "tenon-tests", .builtins = {&module}, .check_calls = check_calls});
    auto deposit = host.create<test::Deposit>(plugin).value();
    test::EntryV2 entry;
    entry.title = title;
    const auto done = deposit->put(tenon::Reader(&body), tenon::Reader(&note), entry);
    return done ? "" : std::string(done.error().message());
  }

  const std::string_view title = GetParam();
  const bool is_usable = title == "good" || title == "bad text";
  Seen streams;
  Counted body;
  Counted note;
};

TEST_P(AdaptedStreams, HaveOneOwnerEach) {
  EXPECT_EQ(put("test.example/depositor").empty(), is_usable);
  EXPECT_EQ(body.releases, 1);
  EXPECT_EQ(note.releases, 1);
  const int returned = is_usable || title == "bad bag" ? 1 : 0;
  EXPECT_EQ(streams.rest.releases, returned);
  EXPECT_EQ(streams.trailer.releases, returned);
}

TEST_P(AdaptedStreams, HaveOneOwnerEachIfCallsAreChecked) {
  EXPECT_EQ(put("test.example/depositor", true).empty(), title == "good");
  EXPECT_EQ(body.releases, 1);
  EXPECT_EQ(note.releases, 1);
}

TEST_P(AdaptedStreams, BelongToACallingPluginOnlyIfItGetsAFailure) {
  EXPECT_EQ(put("test.example/relay"), "done");
  const bool is_refused = title == "refused";
  EXPECT_EQ(streams.status == TENON_OK, !is_refused);
  EXPECT_EQ(streams.has_response, is_usable);
  EXPECT_EQ(streams.body.releases, is_refused ? 0 : 1);
  EXPECT_EQ(streams.note.releases, is_refused ? 0 : 1);
}

INSTANTIATE_TEST_SUITE_P(Titles, AdaptedStreams,
                         testing::Values("good", "refused", "no response", "bad bag", "bad text"),
                         [](const auto& info) {
                           std::string name(info.param);
                           std::erase(name, ' ');
                           return name;
                         });

}  // namespace
