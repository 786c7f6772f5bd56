// SPDX-License-Identifier: BSL-1.0
//
// The deletion of a pipeline that will not run again.
#pragma once

#include <tenon/host.hpp>
#include <tenon/result.hpp>

#include "messages.hpp"
#include "position_store.hpp"

namespace pipeline {

/// Calls `on_deleted` of the plugins that the pipeline used last, with the configs that they had
/// then, and removes its position file. Failures of plugins are reported; the file then keeps these
/// plugins, so that another deletion calls only them. Returns whether all plugins were deleted.
/// Errors: cannot-write.
tenon::Result<bool> delete_pipeline(tenon::Host& host, const PipelineFile& file,
                                    PositionStore& store, const Messages& messages);

}  // namespace pipeline
