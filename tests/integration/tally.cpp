// SPDX-License-Identifier: BSL-1.0
#include "tally.hpp"

#if TALLY_EDITION == 1
TENON_PLUGIN_WITH(Tally, "test.example/tally", "1.0.0", start_tally, stop_tally,
                  {"threads": "joined", "state": {"writes": 1, "reads": [1]}});
#else
TENON_PLUGIN_WITH(Tally, "test.example/tally", "2.0.0", start_tally, stop_tally,
                  {"threads": "joined", "state": {"writes": 2, "reads": [1, 2]}});
#endif
