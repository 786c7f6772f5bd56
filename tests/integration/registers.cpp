// SPDX-License-Identifier: BSL-1.0
//
// A module with a kind and a document type that the program does not define, as in a module that
// contains a host.
#include <tenon/detail/document_type.hpp>
#include <tenon/detail/kind.hpp>

#include <test/sdk/echo.hpp>

#include <string>
#include <string_view>

namespace {

const tenon::KindVersion versions[] = {{1, false, 1, sizeof(tenon_table), 0, {}, {}, nullptr}};
const tenon::Kind kind{"test.example/inside", false, versions};
const tenon::KindRegistration kind_registration(kind);

const tenon::DocumentType type{
    .id = "test.example/inside", .hub = "", .versions = {}, .steps = {}, .conversions = {}};
const tenon::DocumentTypeRegistration type_registration(type);

struct Echo : test::sdk::EchoV1 {
  std::string say(std::string_view text) override { return std::string(text); }
};

}  // namespace

TENON_PLUGIN(Echo, "test.example/echo", "1.0.0");
