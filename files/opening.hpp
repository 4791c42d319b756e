// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// How all members come to have a file open (MPI-5.0, section 14.2.1).
#pragma once

#include <memory>
#include <string>

#include "files/file.hpp"

namespace remit {

/// What a program asks for. The same at all members, but for the name, which may be another one of
/// the same file.
struct FileWish {
  std::string path;
  int amode = 0;
  HintList hints;
  Outcome refused;  ///< what is wrong with other arguments of this member: all fail
};

/// Opens a file for the members of `parent`, an intra-communicator, who all call this. First one of
/// them opens and makes it, then the others do, so that a failure of any is an error of all, in the
/// same words, and nobody waits in vain. Members of one host must have opened the same file. Waits.
[[nodiscard]] Expected<std::shared_ptr<File>> open_file(const CommCall& call, FileProcess& process,
                                                        const ParentComm& parent,
                                                        const FileWish& wish);

}  // namespace remit
