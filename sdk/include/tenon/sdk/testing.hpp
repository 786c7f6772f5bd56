// SPDX-License-Identifier: BSL-1.0
//
// tenon/sdk/testing.hpp: for tests of a plugin, which load its module into a host and call its
// methods. They link tenon-testing and the kinds of the plugin. A test is a program with GoogleTest
// or with a `main` of its own:
//
//   tenon::Host host(tenon::sdk::testing::options("libnumbers.so"));
//   auto numbers = host.create<tenon::Source>("me.example/numbers", {{"last", "3"}}).value();
//   numbers->open(std::nullopt).value();
//   host.restart("me.example/numbers").value();
//
// Result::value throws the error if there is no value, which fails a test of GoogleTest and ends a
// program.
#pragma once

#include <tenon/host.hpp>
#include <tenon/result.hpp>
#include <tenon/stream.hpp>

#include <cstddef>
#include <filesystem>
#include <string>

namespace tenon::sdk::testing {

/// Returns the options of a host that has the plugins of a module, and those in the directories of
/// $TENON_CONFORMANCE_PLUGIN_PATH, which is for packages that the module requires. The host checks
/// each call against the spec of its kind. Other options may be set as well, eg: builtins, for
/// plugins of the program that the module calls.
HostOptions options(const std::filesystem::path& module);

/// Returns a stream of a host for a plugin to read. It returns at most `piece` bytes at a time, at
/// least 1.
tenon::Reader reader(std::string content, std::size_t piece = std::string::npos);

/// Returns a stream of which reading fails with TENON_DATA_LOSS after `content`.
tenon::Reader failing_reader(std::string content);

/// Returns a stream of a host for a plugin to write. A commit stores all that was written in
/// `committed`, which must outlive the stream.
tenon::Writer writer(std::string& committed);

/// Reads a stream to its end, and releases it. Errors: those of Reader::read.
tenon::Result<std::string> read_all(tenon::Reader stream);

}  // namespace tenon::sdk::testing
