// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/conformance.hpp: what the tests of a plugin ask that changes documents. A document may
// hold in its bag what the plugin's version cannot name; one that is made from another takes the
// bag along, so that nothing is lost behind the plugin. Copying a document (tenon::own) does that.
//
//   record.bag = conformance::bag();
//   const auto back = plugin.pass(record);
//   EXPECT_EQ(conformance::lost(record, back), "");
//
// With instances of a host as well: give the plugin a document of a newer version, and compare.
#pragma once

#include <tenon/values.hpp>

#include <string>
#include <string_view>

namespace tenon::sdk::conformance {

/// A bag as a document from the future has it: no version of today can name what is in it.
inline Bytes bag() {
  return to_bytes(R"({"of_tomorrow@999":{"type":"string","value":"kept"}})");
}

/// What a plugin has lost of the bag of the document that it was given, in words; empty: nothing.
/// A plugin that makes a document from several others gives it no bag, and is not asked.
template <class Given, class Returned>
std::string lost(const Given& given, const Returned& returned) {
  const std::string_view before = BytesView(given.bag).text();
  const std::string_view after = BytesView(returned.bag).text();
  if (before == after || before.empty()) return {};
  if (after.empty()) {
    return "the bag was dropped: " + std::string(before) +
           "; make the document from the one that it comes from (tenon::own), or copy its bag";
  }
  return "the bag was changed: " + std::string(before) + " became " + std::string(after) +
         "; it is copied as it is";
}

}  // namespace tenon::sdk::conformance
