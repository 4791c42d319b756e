// Copyright (c) 2026, the Remit authors. SPDX-License-Identifier: BSD-3-Clause
// Whether arguments are checked.
#pragma once

#include "runtime/params.hpp"

namespace remit {

/// The checks choose between the fast paths and the others, too, so they are always made, and what
/// they cost cannot be saved. Switched off, a value that fails one (a count, rank, tag, buffer or
/// root, an uncommitted type) is used as it is. Handles of nothing, and operations on types that
/// they are not defined for, stay errors.
inline const ParamDecl check_arguments_param{
    "check_arguments", true, "", "refuse wrong arguments; off: what they do is undefined"};

}  // namespace remit
