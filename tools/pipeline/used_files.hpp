// SPDX-License-Identifier: BSL-1.0
//
// Checks that no pipeline of a run writes to a file that it or another pipeline uses for something
// else: a source that reads what its destination writes never ends.
#pragma once

#include <vector>

#include "pipeline_file.hpp"
#include "stages.hpp"

namespace pipeline {

/// A pipeline whose files are checked.
struct FilesOfPipeline {
  const PipelineFile& file;
  const Stages& stages;
};

/// Adds a diagnostic for each two uses of one file, whatever links lead to it. The files are: the
/// pipeline file, the position and its lock, and the path in the parameter `path` of a source, a
/// destination or dead letters. Different tables in the parameter `table` are different files. A
/// source may read what the destination of another pipeline writes, and several destinations may
/// have one file, since they lock it if they have to.
void check_files(const std::vector<FilesOfPipeline>& pipelines, Diagnostics& diagnostics);

}  // namespace pipeline
