// SPDX-License-Identifier: BSL-1.0
#include "painter.hpp"

TENON_PLUGIN(Painter, "me.example/painter", "1.2.3",
             {"summary": "Paints \"walls\"", "license": "MIT"});
