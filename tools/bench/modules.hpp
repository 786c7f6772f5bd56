// SPDX-License-Identifier: BSL-1.0
//
// The measured modules. The build defines their paths.
#pragma once

namespace tenon::bench {

inline constexpr const char* counter_v1 = COUNTER_V1;
inline constexpr const char* counter_v2 = COUNTER_V2;
/// Version 2, written with the C++ SDK.
inline constexpr const char* counter_sdk = COUNTER_SDK;
/// Version 2, with state that is transferred during a restart.
inline constexpr const char* counter_with_state = COUNTER_STATE;
inline constexpr const char* counter_numbered = COUNTER_NUMBERED;
inline constexpr const char* packaged_module = PACKAGED;
inline constexpr const char* counter_name = "bench.example/counter";
inline constexpr const char* flow_module = FLOW;
inline constexpr const char* flow_name = "bench.example/flow";

}  // namespace tenon::bench
