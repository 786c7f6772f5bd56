// SPDX-License-Identifier: BSL-1.0
//
// The code of Boost.JSON as a part of libtenon, which exports none of it. So plugins with a copy of
// their own do not use the one of the host, which may be another version.
#include <boost/json/src.hpp>
