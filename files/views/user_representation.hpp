// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// A data representation that functions of the program make (MPI-5.0, section 14.5.3).
#pragma once

#include <memory>
#include <string>

#include "files/views/data_representation.hpp"

namespace remit {

/// Calls the functions in the thread that converts, for parts of a buffer one after the other, each
/// with the count of its basic elements (a pair is two) and the position of the first. Without
/// functions both ways it has the bytes of the memory; where one is missing, its way has, and the
/// sizes in the file must be those of the memory. MPI_ERR_CONVERSION for what a function returns.
[[nodiscard]] std::unique_ptr<const DataRepresentation> make_user_representation(
    std::string name, const UserFunctions& functions);

}  // namespace remit
