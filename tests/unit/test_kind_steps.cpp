// SPDX-License-Identifier: BSL-1.0
//
// The hand-written steps of the kinds and types in tests/specs.
#include <tenon/detail/steps.hpp>
#include <tenon/values.hpp>

#include <test/chain.hpp>
#include <test/entry_steps.hpp>
#include <test/evolve_added.hpp>
#include <test/evolve_changed.hpp>

#include <charconv>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace test {
namespace {

using tenon::Copy;
using tenon::Value;

/// Returns twice the result of `keep`.
struct TwiceByKeeping : EvolveAddedStep1 {
  using EvolveAddedStep1::EvolveAddedStep1;

  tenon_status worked(tenon_call* call, const test_evolve_added_v2_worked_request* in,
                      const test_evolve_added_v2_worked_response** out) override {
    test_evolve_added_v1_keep_request older{sizeof older, in->number};
    const test_evolve_added_v1_keep_response* kept = nullptr;
    const tenon_status status =
        older_plugin().vtable->keep(call, older_plugin().self, &older, &kept);
    if (status != TENON_OK) return status;
    auto* answer = tenon::new_response<test_evolve_added_v2_worked_response>(call);
    answer->twice = 2 * kept->number;
    *out = answer;
    return TENON_OK;
  }
};

/// Calls the older method once for each text.
struct OneByOne : EvolveChangedStep1 {
  using EvolveChangedStep1::EvolveChangedStep1;

  tenon_status signature(tenon_call* call, const test_evolve_changed_v2_signature_request* in,
                         const test_evolve_changed_v2_signature_response** out) override {
    std::vector<std::int32_t> sizes;
    for (std::size_t i = 0; i < in->texts.count; ++i) {
      test_evolve_changed_v1_signature_request older{sizeof older,
                                                     TENON_AT(tenon_string, in->texts, i)};
      const test_evolve_changed_v1_signature_response* size = nullptr;
      const tenon_status status =
          older_plugin().vtable->signature(call, older_plugin().self, &older, &size);
      if (status != TENON_OK) return status;
      sizes.push_back(size->size);
    }
    auto* answer = tenon::new_response<test_evolve_changed_v2_signature_response>(call);
    answer->sizes = Value<std::vector<std::int32_t>>::raw<Copy::deep>(call, sizes);
    *out = answer;
    return TENON_OK;
  }
};

/// Adds the version to the trail: "x" of the older plugin becomes "2(x)".
template <class OlderRequest, class OlderResponse, class Response, class OlderPlugin>
tenon_status pass_trail(tenon_call* call, const OlderPlugin& plugin, int version, tenon_string text,
                        const Response** out) {
  OlderRequest older{sizeof older, text};
  const OlderResponse* inner = nullptr;
  const tenon_status status = plugin.vtable->trail(call, plugin.self, &older, &inner);
  if (status != TENON_OK) return status;
  const std::string trail =
      std::to_string(version) + "(" + Value<std::string>::own(inner->text) + ")";
  auto* answer = tenon::new_response<Response>(call);
  answer->text = Value<std::string>::raw<Copy::deep>(call, trail);
  *out = answer;
  return TENON_OK;
}

struct ChainTo2 : ChainStep1 {
  using ChainStep1::ChainStep1;
  tenon_status trail(tenon_call* call, const test_chain_v2_trail_request* in,
                     const test_chain_v2_trail_response** out) override {
    return pass_trail<test_chain_v1_trail_request, test_chain_v1_trail_response>(
        call, older_plugin(), 2, in->text, out);
  }
};

struct ChainTo3 : ChainStep2 {
  using ChainStep2::ChainStep2;
  tenon_status trail(tenon_call* call, const test_chain_v3_trail_request* in,
                     const test_chain_v3_trail_response** out) override {
    return pass_trail<test_chain_v2_trail_request, test_chain_v2_trail_response>(
        call, older_plugin(), 3, in->text, out);
  }
  /// Computed from the response of version 2.
  tenon_status since_3(tenon_call* call, const test_chain_v3_since_3_request*,
                       const test_chain_v3_since_3_response** out) override {
    test_chain_v2_since_2_request older{sizeof older};
    const test_chain_v2_since_2_response* since = nullptr;
    const tenon_status status =
        older_plugin().vtable->since_2(call, older_plugin().self, &older, &since);
    if (status != TENON_OK) return status;
    auto* answer = tenon::new_response<test_chain_v3_since_3_response>(call);
    answer->version = since->version + 20;
    *out = answer;
    return TENON_OK;
  }
};

struct ChainTo4 : ChainStep3 {
  using ChainStep3::ChainStep3;
  tenon_status trail(tenon_call* call, const test_chain_v4_trail_request* in,
                     const test_chain_v4_trail_response** out) override {
    return pass_trail<test_chain_v3_trail_request, test_chain_v3_trail_response>(
        call, older_plugin(), 4, in->text, out);
  }
};

}  // namespace

bool refuses_step = false;
bool lacks_step = false;

std::unique_ptr<EvolveAddedStep1> make_evolve_added_step1(
    const EvolveAddedStep1::OlderPlugin& plugin) {
  if (refuses_step) throw std::runtime_error("no step");
  if (lacks_step) return nullptr;
  return std::make_unique<TwiceByKeeping>(plugin);
}
std::unique_ptr<EvolveChangedStep1> make_evolve_changed_step1(
    const EvolveChangedStep1::OlderPlugin& plugin) {
  return std::make_unique<OneByOne>(plugin);
}
std::unique_ptr<ChainStep1> make_chain_step1(const ChainStep1::OlderPlugin& plugin) {
  return std::make_unique<ChainTo2>(plugin);
}
std::unique_ptr<ChainStep2> make_chain_step2(const ChainStep2::OlderPlugin& plugin) {
  return std::make_unique<ChainTo3>(plugin);
}
std::unique_ptr<ChainStep3> make_chain_step3(const ChainStep3::OlderPlugin& plugin) {
  return std::make_unique<ChainTo4>(plugin);
}

namespace {

constexpr tenon::BagField retyped_2{"retyped", "2", "string"};
constexpr std::string_view version_2[] = {"2"};

}  // namespace

// A number in version 1 becomes a text in version 2; texts that are not numbers stay in the bag.
bool EntryStep1To2::up(tenon::Conversion& conversion, const EntryV1Storage& from,
                       EntryV2Storage& to) {
  if (!tenon::pull(conversion, to.bag, "retyped", "string", version_2, to.retyped)) return false;
  if (from.retyped == nullptr || to.retyped != nullptr) return true;
  to.retyped = conversion.make(conversion.copy(std::to_string(*from.retyped)));
  return true;
}
bool EntryStep1To2::down(tenon::Conversion& conversion, const EntryV2Storage& from,
                         EntryV1Storage& to) {
  if (from.retyped == nullptr) return true;
  const std::string_view text = tenon::text_of(*from.retyped);
  std::int32_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  if (std::to_string(number) == text) {
    to.retyped = conversion.make(number);
  } else {
    tenon::push(conversion, to.bag, retyped_2, version_2, from.retyped);
  }
  return true;
}

}  // namespace test
