// SPDX-License-Identifier: BSL-1.0
//
// What a pipeline reports to `tenon status`; see pipeline.md.
#pragma once

#include <tenon/host.hpp>

#include <string>

namespace pipeline {

/// The figures of one pipeline, by its name.
struct Figures {
  Figures(tenon::Host& host, const std::string& pipeline)
      : read(host.figure({.name = "read", .unit = "records", .part = pipeline})),
        read_bytes(host.figure({.name = "read", .unit = "bytes", .part = pipeline})),
        done(host.figure({.name = "done", .unit = "records", .part = pipeline})),
        failed(host.figure({.name = "failed", .unit = "records", .part = pipeline})),
        recoveries(host.figure({.name = "recoveries", .part = pipeline})) {}

  tenon::Figure read;
  tenon::Figure read_bytes;
  tenon::Figure done;    // committed
  tenon::Figure failed;  // became dead letters
  tenon::Figure recoveries;
};

}  // namespace pipeline
