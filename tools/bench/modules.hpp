// SPDX-License-Identifier: BSL-1.0
//
// The modules that are measured; the build says where they are.
#pragma once

namespace tenon::bench {

inline constexpr const char* counter_v1 = COUNTER_V1;
inline constexpr const char* counter_v2 = COUNTER_V2;
/// As version 2, by the C++ SDK.
inline constexpr const char* counter_sdk = COUNTER_SDK;
/// As version 2, with state that a restart hands over.
inline constexpr const char* counter_with_state = COUNTER_STATE;
inline constexpr const char* counter_numbered = COUNTER_NUMBERED;
inline constexpr const char* packaged_module = PACKAGED;
inline constexpr const char* counter_name = "bench.example/counter";
inline constexpr const char* flow_module = FLOW;
inline constexpr const char* flow_name = "bench.example/flow";

}  // namespace tenon::bench
