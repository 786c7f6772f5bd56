/* SPDX-License-Identifier: BSL-1.0 */
#include "planted.h"

const char planted_fault[] = FAULT;
