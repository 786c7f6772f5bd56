// SPDX-License-Identifier: BSL-1.0
//
// The text of a trace: the elements of an array in the Trace Event Format of Chrome, which Perfetto
// reads; see loader/guide/control.md.
#pragma once

#include <tenon/detail/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "call/call_trace.hpp"

namespace tenon { inline namespace v0_1 { namespace detail {

/// One trace. Belongs to one thread at a time.
class TraceText {
 public:
  /// `app`: the name of the program.
  TraceText(std::shared_ptr<CallTrace> trace, std::string app);

  /// Takes what the host has recorded since the last time, at most 1,000 calls, and writes it as
  /// elements of an array.
  /// Names of the process, of threads and of methods come before their first use. Returns the
  /// number of elements.
  std::size_t write(json::Writer& out);

 private:
  void begin(json::Writer& out, std::string_view phase, std::string_view name, std::int64_t track);
  void write_name(json::Writer& out, std::string_view what, std::int64_t track,
                  std::string_view name);
  void write_call(json::Writer& out, const TracedCall& call);
  void write_event(json::Writer& out, const TracedEvent& traced);
  void write_lost(json::Writer& out, std::string_view name, std::uint64_t count);
  std::int64_t track_of(json::Writer& out, const Event& event);
  const std::string& name_of(std::uint32_t method);

  const std::shared_ptr<CallTrace> trace_;
  const std::string app_;
  const std::int64_t process_;
  std::size_t elements_ = 0;
  bool begun_ = false;
  std::map<std::uint32_t, std::string> methods_;
  std::map<std::string, std::int64_t, std::less<>> tracks_;  // of packages
};

}}}  // namespace tenon::v0_1::detail
