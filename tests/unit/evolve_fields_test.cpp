// SPDX-License-Identifier: BSL-1.0
//
// Fields of requests and responses that were renamed in a newer version.
#include <tenon/call.hpp>
#include <tenon/detail/steps.hpp>

#include <gtest/gtest.h>
#include <test/evolve_fields.hpp>

#include "adapted.hpp"

namespace {

using namespace tenon::tests;

/// The last request to the plugin.
struct Seen {
  const void* request = nullptr;
  std::string move;
};

tenon_status move(tenon_call* call, void* self, const test_evolve_fields_v1_move_request* in,
                  const test_evolve_fields_v1_move_response** out) {
  static_cast<Seen*>(self)->move =
      own(in->left) + " " + own(in->right) + " " + own(in->size) + " " + own(in->kept);
  auto* answer = tenon::new_response<test_evolve_fields_v1_move_response>(call);
  answer->left = in->left;
  answer->right = in->right;
  answer->size = in->size;
  answer->kept = in->kept;
  *out = answer;
  return TENON_OK;
}

tenon_status pass(tenon_call* call, void* self, const test_evolve_fields_v1_pass_request* in,
                  const test_evolve_fields_v1_pass_response** out) {
  static_cast<Seen*>(self)->request = in;
  auto* answer = tenon::new_response<test_evolve_fields_v1_pass_response>(call);
  answer->text = in->text;
  answer->point = &in->point;
  *out = answer;
  return TENON_OK;
}

constexpr test_evolve_fields_v1 plugin = {sizeof plugin, 1, 0, nullptr, move, pass};

class EvolveFields : public testing::Test {
 protected:
  Seen seen_{};
  tenon::Call call_{};
  Adapted<test_evolve_fields_v2> adapted_{test::EvolveFields::kind(), plugin, 2, &seen_};
};

TEST_F(EvolveFields, AreMappedByTheirNewNames) {
  const test_evolve_fields_v2_move_request in{sizeof in,     text("left"), text("right"),
                                              text("bytes"), text("size"), text("kept")};
  const test_evolve_fields_v2_move_response* out = nullptr;
  ASSERT_EQ(adapted_->move(call_.raw(), adapted_.self(), &in, &out), TENON_OK);
  EXPECT_EQ(seen_.move, "right left bytes of the adapter");
  EXPECT_EQ(own(out->left), "left");
  EXPECT_EQ(own(out->right), "right");
  EXPECT_EQ(own(out->size_bytes), "bytes");
  EXPECT_EQ(own(out->size), "new");
  EXPECT_EQ(own(out->kept), "of the adapter");
}

TEST_F(EvolveFields, AreForwardedIfOnlyNamesChange) {
  const test_evolve_fields_v2_pass_request in{
      sizeof in, text("word"), {7, text("here")}, {}, TEST_EVOLVE_FIELDS_V2_COLOUR_DARK};
  const test_evolve_fields_v2_pass_response* out = nullptr;
  ASSERT_EQ(adapted_->pass(call_.raw(), adapted_.self(), &in, &out), TENON_OK);
  EXPECT_EQ(seen_.request, &in);
  EXPECT_EQ(own(out->word), "word");
  ASSERT_NE(out->place, nullptr);
  EXPECT_EQ(out->place->x, 7);
}

}  // namespace
