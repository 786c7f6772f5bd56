// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/plugin.hpp: includes the core of the SDK. A plugin includes the generated header of a
// kind, which includes this one:
//
//   #include <photo/sdk/filter.hpp>
//   struct Blur : photo::sdk::FilterV1 {
//     void configure(const tenon::sdk::Config& c) override { radius = c.get("radius", 3.f); }
//     void apply(tenon::sdk::Buffer px, int w, int h, float strength) override { ... }
//     float radius = 3;
//   };
//   TENON_PLUGIN(Blur, "me.example/blur", "1.0.0");
//
// A method fails by throwing a Failure or any other exception. Methods that are not overridden fail
// with TENON_UNIMPLEMENTED. No code of the author runs before the first instance is created, except
// the `start` function of TENON_PLUGIN_WITH.
#pragma once

#include <tenon/sdk/base.hpp>
#include <tenon/sdk/call.hpp>
#include <tenon/sdk/config.hpp>
#include <tenon/sdk/failure.hpp>
#include <tenon/sdk/host.hpp>
#include <tenon/sdk/logger.hpp>
#include <tenon/sdk/module.hpp>
#include <tenon/sdk/stream.hpp>
#include <tenon/sdk/text.hpp>
#include <tenon/sdk/vtable.hpp>
