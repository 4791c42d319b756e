// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Words about errors for callers in Fortran, whose arrays begin at one.
#pragma once

#include <string>

namespace remit {

/// The words with each element of an array, as C has it, in Fortran's way: "counts[0] is -1"
/// becomes "counts(1) is -1".
[[nodiscard]] std::string with_fortran_elements(const std::string& words);

/// The same if a routine of Fortran called the MPI function that this thread is in, else the words
/// themselves. Only words that name an element make it look. Any thread.
[[nodiscard]] std::string in_callers_words(const std::string& words);

}  // namespace remit
